package io.berth.contracts.topic;

import io.berth.contracts.NodeName;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32;

/// The partition of `placements` that holds a node's orders: the CRC-32 of its name, modulo the
/// partition count, which is fixed for the life of the cell.
public final class NodePartitions {

    private NodePartitions() {}

    public static int of(NodeName node, int partitions) {
        var crc = new CRC32();
        crc.update(node.value().getBytes(StandardCharsets.UTF_8));
        return (int) (crc.getValue() % partitions);
    }
}
