package io.berth.core.placement;

import io.berth.contracts.Gpu;
import io.berth.contracts.GpuShare;
import io.berth.contracts.GpuSharing;
import io.berth.contracts.Inventory;
import io.berth.contracts.ResourceRequest;
import io.berth.contracts.ShareRequest;
import io.berth.contracts.SharedGpus;
import io.berth.contracts.Sharing;
import io.berth.core.engine.Demand;
import io.berth.core.engine.Kind;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// What nodes of one kind have in common: their resources, their partitions and their weight.
///
/// @param gpus examples of their GPUs that are given out whole, by lane; only type and memory are
///   told
/// @param slots their shared GPUs, in the order of the inventory
record NodeKind(
        int cpus,
        long memoryMib,
        Map<Lane, List<Gpu>> gpus,
        List<Slot> slots,
        List<String> partitions,
        int weight) {

    /// A GPU that is given out in parts.
    ///
    /// @param gpu an example of it
    /// @param of in how many parts
    record Slot(Gpu gpu, GpuSharing sharing, int of) {}

    /// @param gpus those that may be given out
    /// @param shared how its GPUs are shared; null if none is
    static NodeKind of(
            Inventory inventory,
            List<Gpu> gpus,
            List<String> partitions,
            @Nullable SharedGpus shared,
            int weight) {
        var lanes = new TreeMap<Lane, List<Gpu>>();
        var slots = new ArrayList<Slot>();
        for (Gpu gpu : gpus) {
            var example = new Gpu(0, "", gpu.type(), "", 0, gpu.memoryMib(), 0);
            if (shared != null && shared.shares(gpu)) {
                slots.add(new Slot(example, shared.sharing(), shared.of()));
            } else {
                lanes.computeIfAbsent(Lane.of(gpu), _ -> new ArrayList<>()).add(example);
            }
        }
        return new NodeKind(
                inventory.cpus(), inventory.memoryMib(), lanes, slots, partitions, weight);
    }

    /// The kind in the engine's terms.
    ///
    /// @param caps by partition, how many CPUs of a node its jobs may have together
    Kind engineKind(int[] caps) {
        int[] slotUnits = new int[slots.size()];
        Arrays.fill(slotUnits, GpuShare.WHOLE);
        return new Kind(
                cpus,
                memoryMib,
                gpus.values().stream().mapToInt(List::size).toArray(),
                slotUnits,
                caps,
                weight);
    }

    /// The lane of the first shared GPU.
    int firstSlot() {
        return gpus.size();
    }

    /// What the only part of a request for a part of a GPU may take here: one for each shared GPU
    /// that would do, were the node empty.
    List<Demand> shares(ResourceRequest request) {
        ShareRequest wanted = request.gpus().share();
        long memory = request.memoryMibOn(0, memoryMib);
        var ways = new ArrayList<Demand>();
        for (int slot = 0; slot < slots.size() && wanted != null; slot++) {
            Slot at = slots.get(slot);
            GpuShare share = wanted.on(at.sharing(), at.of(), at.gpu().memoryMib());
            boolean fits = request.cpusOn(0) <= cpus && memory <= memoryMib;
            if (share != null && fits && request.gpus().admits(at.gpu())) {
                ways.add(new Demand(request.cpusOn(0), memory, share.units(), firstSlot() + slot));
            }
        }
        return ways;
    }

    /// The place of a GPU's lane among the kind's.
    int lane(Gpu gpu) {
        return List.copyOf(gpus.keySet()).indexOf(Lane.of(gpu));
    }

    /// What a part of a request takes here; null if even an empty node cannot hold it. Its GPUs are
    /// all of one type: the one that the kind has most of, of those that will do. A job that has
    /// its nodes to itself takes all CPUs, so nothing else fits beside it.
    @Nullable Demand demand(ResourceRequest request, int part) {
        if (request.gpus().share() != null) {
            List<Demand> ways = shares(request);
            return ways.isEmpty() ? null : ways.getFirst();
        }
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
