package io.berth.contracts;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// GPUs of some nodes that are given out in parts, and never whole.
///
/// @param nodes names; `ALL` alone is every node
/// @param gpus which of a node's GPUs, by index; null is all
/// @param of how many equal parts each of them is given out in
public record SharedGpus(List<String> nodes, @Nullable IndexSet gpus, GpuSharing sharing, int of) {

    public SharedGpus {
        nodes = List.copyOf(nodes);
    }

    public boolean on(NodeName node) {
        return nodes.equals(List.of("ALL")) || nodes.contains(node.value());
    }

    /// Whether that GPU of one of the nodes is shared. An instance of a GPU that is split is not.
    public boolean shares(Gpu gpu) {
        boolean split = gpu.hardware() != null && gpu.hardware().mig() != null;
        return !split && (gpus == null || gpus.contains(gpu.index()));
    }
}
