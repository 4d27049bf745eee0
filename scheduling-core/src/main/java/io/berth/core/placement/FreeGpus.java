package io.berth.core.placement;

import io.berth.contracts.Gpu;
import io.berth.contracts.GpuRequest;
import io.berth.contracts.NodeName;
import io.berth.core.state.CellState;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The GPUs of each node that nobody holds. They are looked up when somebody asks and something has
/// changed on the node since.
final class FreeGpus {

    /// @param whole GPUs that are given out whole
    /// @param inParts GPUs that are given out in parts, of which some is free
    private record Free(List<Gpu> whole, List<Gpu> inParts) {}

    private final CellState state;
    private final NodeTable nodes;
    private final @Nullable Free[] known;

    FreeGpus(CellState state, NodeTable nodes) {
        this.state = state;
        this.nodes = nodes;
        this.known = new Free[nodes.names().size()];
    }

    /// The node, or what is held on some nodes, may be another than before.
    void changed(int... some) {
        for (int node : some) {
            known[node] = null;
        }
    }

    /// How many are free on a node that a request admits.
    int count(int node, GpuRequest request) {
        Free free = known[node];
        if (free == null) {
            free = look(nodes.name(node));
            known[node] = free;
        }
        int count = 0;
        for (Gpu gpu : request.share() == null ? free.whole : free.inParts) {
            count += request.admits(gpu) ? 1 : 0;
        }
        return count;
    }

    private Free look(NodeName node) {
        return new Free(
                nodes.gpus(node, false).stream()
                        .filter(gpu -> !state.holdsGpu(node, gpu.uuid()))
                        .toList(),
                nodes.gpus(node, true).stream()
                        .filter(gpu -> state.count(node, it -> it.freeUnits(gpu.uuid())) > 0)
                        .toList());
    }
}
