package io.berth.core.placement;

import io.berth.contracts.Gpu;
import io.berth.contracts.Inventory;
import io.berth.contracts.ResourceRequest;
import io.berth.contracts.Sharing;
import io.berth.core.engine.Demand;
import io.berth.core.engine.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// What nodes of one kind have in common: their resources and their partitions.
///
/// @param gpus examples of their GPUs, by lane; only type and memory are told
record NodeKind(int cpus, long memoryMib, Map<Lane, List<Gpu>> gpus, List<String> partitions) {

    static NodeKind of(Inventory inventory, List<String> partitions) {
        var lanes = new TreeMap<Lane, List<Gpu>>();
        for (Gpu gpu : inventory.gpus()) {
            lanes.computeIfAbsent(Lane.of(gpu), _ -> new ArrayList<>())
                    .add(new Gpu(0, "", gpu.type(), "", 0, gpu.memoryMib(), 0));
        }
        return new NodeKind(inventory.cpus(), inventory.memoryMib(), lanes, partitions);
    }

    /// The kind in the engine's terms.
    Kind engineKind() {
        return new Kind(cpus, memoryMib, gpus.values().stream().mapToInt(List::size).toArray());
    }

    /// The place of a GPU's lane among the kind's.
    int lane(Gpu gpu) {
        return List.copyOf(gpus.keySet()).indexOf(Lane.of(gpu));
    }

    /// What a part of a request takes here; null if even an empty node cannot hold it. Its GPUs are
    /// all of one type: the one that the kind has most of, of those that will do. A job that has
    /// its nodes to itself takes all CPUs, so nothing else fits beside it.
    @Nullable Demand demand(ResourceRequest request, int part) {
        boolean whole = request.where().sharing() == Sharing.NODE;
        long memory = request.memoryMibOn(part, memoryMib);
        if (request.cpusOn(part) > cpus || memory > memoryMib) {
            return null;
        }
        int taken = whole ? cpus : request.cpusOn(part);
        int wanted = request.gpusOn(part);
        if (wanted == 0) {
            return new Demand(taken, memory, 0, -1);
        }
        int best = -1;
        int most = wanted - 1;
        int lane = 0;
        for (List<Gpu> examples : gpus.values()) {
            if (examples.size() > most && request.gpus().admits(examples.getFirst())) {
                best = lane;
                most = examples.size();
            }
            lane++;
        }
        return best < 0 ? null : new Demand(taken, memory, whole ? most : wanted, best);
    }
}
