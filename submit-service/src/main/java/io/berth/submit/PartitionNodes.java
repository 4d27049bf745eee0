package io.berth.submit;

import io.berth.contracts.NodeName;
import io.berth.contracts.event.ConfigEntry.Partition;
import java.util.List;

/// Which nodes a partition has, and whether its jobs share them.
public final class PartitionNodes {
    private static final List<String> ALL = List.of("ALL");

    private PartitionNodes() {}

    /// Whether the partition is made of every node that there is.
    public static boolean isAll(Partition partition) {
        return partition.nodes().equals(ALL);
    }

    /// Whether each of its jobs has its nodes to itself.
    public static boolean ofOneJob(Partition partition) {
        return partition.partitionRules().ofNodes().ofOneJob();
    }

    public static boolean has(Partition partition, NodeName node) {
        return isAll(partition) || partition.nodes().contains(node.value());
    }
}
