package io.berth.core.placement;

import io.berth.contracts.Allocation;
import io.berth.contracts.Gpu;
import io.berth.contracts.IndexSet;
import io.berth.contracts.Inventory;
import io.berth.contracts.NodeName;
import io.berth.contracts.ResourceRequest;
import io.berth.contracts.Sharing;
import io.berth.contracts.event.NodeStatus;
import io.berth.core.state.CellState;
import io.berth.core.state.Holding;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// What is free on the nodes, under the placements decided so far in this pass.
final class FreeNodes {

    private final CellState state;
    private final TreeMap<NodeName, Holding> drafts = new TreeMap<>();

    FreeNodes(CellState state) {
        this.state = state;
    }

    /// The allocation of one node's part of a request, from its lowest free CPUs and GPUs, or null
    /// if it does not fit now.
    @Nullable Allocation fit(NodeStatus node, ResourceRequest request, int index) {
        Inventory inventory = node.seen().inventory();
        Holding holding = holding(node.node());
        if (request.where().sharing() == Sharing.NODE) {
            return holding.empty() ? whole(inventory, node.node(), request, index) : null;
        }
        int cpus = request.cpusOn(index);
        long memory = request.memoryMibOn(index, inventory.memoryMib());
        if (inventory.cpus() - holding.cpus() < cpus
                || inventory.memoryMib() - holding.memoryMib() < memory) {
            return null;
        }
        List<String> gpus = lowestFreeGpus(inventory, request, index, holding);
        if (gpus.size() < request.gpusOn(index)) {
            return null;
        }
        return new Allocation(
                node.node(),
                index,
                request.tasksOn(index),
                lowestFreeCpus(inventory, cpus, holding),
                memory,
                gpus);
    }

    /// All CPUs and GPUs of the node, and the memory that is asked for: Slurm's `--exclusive`. Null
    /// if the empty node does not have what is asked for.
    private static @Nullable Allocation whole(
            Inventory inventory, NodeName node, ResourceRequest request, int index) {
        long memory = request.memoryMibOn(index, inventory.memoryMib());
        if (inventory.cpus() < request.cpusOn(index)
                || inventory.memoryMib() < memory
                || ofOneType(inventory, request).size() < request.gpusOn(index)) {
            return null;
        }
        return new Allocation(
                node,
                index,
                request.tasksOn(index),
                IndexSet.firstN(inventory.cpus()),
                memory,
                inventory.gpus().stream().map(Gpu::uuid).toList());
    }

    void take(Allocation allocation) {
        drafts.computeIfAbsent(allocation.node(), state::holdingOn).take(allocation);
    }

    private Holding holding(NodeName node) {
        return drafts.computeIfAbsent(node, state::holdingOn);
    }

    private static IndexSet lowestFreeCpus(Inventory inventory, int wanted, Holding holding) {
        var cpus = new BitSet(inventory.cpus());
        int found = 0;
        for (int cpu = 0; cpu < inventory.cpus() && found < wanted; cpu++) {
            if (!holding.holdsCpu(cpu)) {
                cpus.set(cpu);
                found++;
            }
        }
        return IndexSet.of(cpus);
    }

    private static List<String> lowestFreeGpus(
            Inventory inventory, ResourceRequest request, int index, Holding holding) {
        var gpus = new ArrayList<String>();
        Predicate<Gpu> free = gpu -> !holding.holdsGpu(gpu.uuid());
        ofOneType(inventory, request).stream()
                .filter(free)
                .limit(request.gpusOn(index))
                .map(Gpu::uuid)
                .forEach(gpus::add);
        return gpus;
    }

    /// The node's GPUs that the request may have: a part's GPUs are all of one type and size, the
    /// one that the node has most of, the first by name of those that it has equally many of.
    private static List<Gpu> ofOneType(Inventory inventory, ResourceRequest request) {
        var lanes = new TreeMap<Lane, List<Gpu>>();
        for (Gpu gpu : inventory.gpus()) {
            if (request.gpus().admits(gpu)) {
                lanes.computeIfAbsent(Lane.of(gpu), _ -> new ArrayList<>()).add(gpu);
            }
        }
        List<Gpu> most = List.of();
        for (List<Gpu> lane : lanes.values()) {
            most = lane.size() > most.size() ? lane : most;
        }
        return most;
    }
}
