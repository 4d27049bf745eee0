package io.berth.submit;

import io.berth.contracts.NodeName;
import io.berth.contracts.Sharing;
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

    /// Whether the jobs of one of them have their nodes to themselves.
    static boolean ofOneJob(List<Partition> partitions) {
        return partitions.stream().anyMatch(it -> it.partitionRules().ofNodes().ofOneJob());
    }

    /// With whom a job shares its nodes that asks for that. Where all share their CPUs, which the
    /// partition says for them, none has its nodes to itself.
    ///
    /// @throws Refused if it asks for blocks where all have their nodes to themselves
    static Sharing within(List<Partition> partitions, Sharing asked) throws Refused {
        if (ofOneJob(partitions) && asked == Sharing.TOPOLOGY) {
            throw Checks.invalid(
                    "--exclusive=topo is not for a partition whose jobs have their nodes to themselves (OverSubscribe=EXCLUSIVE)");
        }
        if (ofOneJob(partitions)) {
            return Sharing.NODE;
        }
        boolean forced = partitions.stream().allMatch(it -> it.partitionRules().ofNodes().forced());
        return forced && asked == Sharing.NODE ? Sharing.SHARED : asked;
    }

    public static boolean has(Partition partition, NodeName node) {
        return isAll(partition) || partition.nodes().contains(node.value());
    }
}
