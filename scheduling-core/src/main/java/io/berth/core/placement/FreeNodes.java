package io.berth.core.placement;

import io.berth.contracts.Allocation;
import io.berth.contracts.Gpu;
import io.berth.contracts.GpuHardware;
import io.berth.contracts.GpuRequest;
import io.berth.contracts.Gres;
import io.berth.contracts.Hardware;
import io.berth.contracts.IndexSet;
import io.berth.contracts.Inventory;
import io.berth.contracts.JobDescription;
import io.berth.contracts.JobId;
import io.berth.contracts.NodeName;
import io.berth.contracts.ResourceRequest;
import io.berth.contracts.Sharing;
import io.berth.contracts.event.JobStatus;
import io.berth.contracts.event.NodeStatus;
import io.berth.core.engine.Shared;
import io.berth.core.placement.Seats.Seat;
import io.berth.core.request.Cores;
import io.berth.core.state.CellState;
import io.berth.core.state.Holding;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// What is free on the nodes, under the placements decided so far in this pass.
final class FreeNodes {

    private static final long[] NOTHING = {};

    private final CellState state;
    private final NodeTable nodes;
    private final GpuLayout.Known layouts;

    /// Whether a GPU in MIG mode, by its UUID, runs empty for somebody.
    private final Predicate<String> drains;

    private final TreeMap<NodeName, Holding> drafts = new TreeMap<>();

    /// What this pass has given out, by node.
    private final TreeMap<NodeName, List<Given>> given = new TreeMap<>();

    /// @param partition of the job
    private record Given(String partition, BitSet cpus) {}

    FreeNodes(CellState state, NodeTable nodes, GpuLayout.Known layouts, Predicate<String> drains) {
        this.state = state;
        this.nodes = nodes;
        this.layouts = layouts;
        this.drains = drains;
    }

    /// The allocation of one node's part of a request, or null if it does not fit now: GPUs that
    /// are near one another, CPUs that are near those, the lowest of them that are as near.
    ///
    /// @param partition of the job
    /// @param together CPUs that it may have together with others; null is that it has its own
    @Nullable Allocation fit(
            NodeStatus node,
            ResourceRequest request,
            int index,
            String partition,
            Shared.@Nullable Choice together) {
        Inventory inventory = node.seen().inventory();
        Holding holding = holding(node.node());
        if (request.where().sharing() == Sharing.NODE) {
            return holding.empty() ? whole(node, request, index) : null;
        }
        NodeKind kind = nodes.kindOf(node.node());
        int cpus = kind.cpusOn(request, index);
        long memory = request.memoryMibOn(index, inventory.memoryMib());
        if (kind.freeCpus(inventory, holding) + shared(together) < cpus
                || inventory.memoryMib() - holding.memoryMib() < memory) {
            return null;
        }
        List<Taken> taken = taken(node.node(), request, index);
        if (taken.stream().anyMatch(some -> some.of().size() < some.count())) {
            return null;
        }
        List<Lane> lanes = taken.stream().map(some -> Lane.of(some.of().getFirst())).toList();
        Seat seat = kind.seat(request, index, lanes, partition);
        long[] there = seat == null ? NOTHING : free(node, kind, partition);
        if (seat != null && !seat.fits(there)) {
            return null;
        }
        var chosen = new HashSet<Gpu>();
        for (Taken some : taken) {
            chosen.addAll(
                    nearestFreeGpus(
                            inventory,
                            some.of(),
                            some.count(),
                            seat == null ? 0 : seat.gpus(there),
                            holding));
        }
        List<Gpu> gpus = inventory.gpus().stream().filter(chosen::contains).toList();
        List<Gres> others = freeGres(node.node(), request, holding);
        if (gpus.size() < request.gpusOn(index) || others == null) {
            return null;
        }
        return new Allocation(
                node.node(),
                index,
                request.tasksOn(index),
                nearestFreeCpus(inventory, kind, cpus, gpus, seat, there, holding, together),
                memory,
                gpus.stream().map(Gpu::uuid).toList(),
                null,
                others);
    }

    private static int shared(Shared.@Nullable Choice together) {
        if (together == null) {
            return 0;
        }
        var all = new BitSet();
        together.held().forEach(some -> all.or(some.cpus()));
        return all.cardinality();
    }

    /// What is free of what the kind of a node counts beside other resources.
    private long[] free(NodeStatus node, NodeKind kind, String partition) {
        return Objects.requireNonNull(kind.seats())
                .free(
                        node.seen().inventory(),
                        holding(node.node()),
                        partition,
                        heldBy(partition, node.node()));
    }

    /// The CPUs of a node that jobs of a partition have, but those that have it to themselves.
    private BitSet heldBy(String partition, NodeName node) {
        var cpus = new BitSet();
        for (JobId id : state.jobsOn(node)) {
            JobStatus job = state.knownJob(id);
            boolean alone = job.description().request().where().sharing() == Sharing.NODE;
            if (job.description().partition().equals(partition) && !alone) {
                ClusterModel.held(Objects.requireNonNull(job.run())).stream()
                        .filter(it -> it.node().equals(node))
                        .forEach(it -> cpus.or(it.cpus().toBitSet()));
            }
        }
        given.getOrDefault(node, List.of()).stream()
                .filter(it -> it.partition().equals(partition))
                .forEach(it -> cpus.or(it.cpus()));
        return cpus;
    }

    /// The allocation of a request for a part of a GPU, or null if it does not fit now. One that
    /// has the node to itself has no more of its GPUs.
    ///
    /// @param partition of the job
    /// @param together CPUs that it may have together with others; null is that it has its own
    @Nullable Allocation fit(
            NodeStatus node,
            ResourceRequest request,
            NodeTable.Share share,
            String partition,
            Shared.@Nullable Choice together) {
        Inventory inventory = node.seen().inventory();
        Holding holding = holding(node.node());
        if (request.where().sharing() == Sharing.NODE) {
            Allocation all = holding.empty() ? whole(node, request, 0) : null;
            return all == null ? null : all.with(share.gpu().uuid(), share.part());
        }
        NodeKind kind = nodes.kindOf(node.node());
        int cpus = kind.cpusOn(request, 0);
        long memory = request.memoryMibOn(0, inventory.memoryMib());
        List<Gres> others = freeGres(node.node(), request, holding);
        Seat seat = kind.seat(request, 0, List.of(), partition);
        long[] there = seat == null ? NOTHING : free(node, kind, partition);
        if (kind.freeCpus(inventory, holding) + shared(together) < cpus
                || (seat != null && !seat.fits(there))
                || others == null
                || inventory.memoryMib() - holding.memoryMib() < memory
                || holding.freeUnits(share.gpu().uuid()) < share.part().units()) {
            return null;
        }
        return new Allocation(
                node.node(),
                0,
                request.tasksOn(0),
                nearestFreeCpus(
                        inventory,
                        kind,
                        cpus,
                        List.of(share.gpu()),
                        seat,
                        there,
                        holding,
                        together),
                memory,
                List.of(share.gpu().uuid()),
                share.part(),
                others);
    }

    /// What a request gets of a node's other resources: of those with device files the first free
    /// ones. Null if as much is not free.
    private @Nullable List<Gres> freeGres(NodeName node, ResourceRequest request, Holding holding) {
        if (request.gres().isEmpty()) {
            return List.of();
        }
        List<Gres> there = nodes.gres(node);
        List<Gres> chosen = NodeKind.chosen(request, there);
        var held = new ArrayList<Gres>();
        for (Gres one : chosen == null ? List.<Gres>of() : chosen) {
            Gres all =
                    there.stream().filter(it -> it.compareTo(one) == 0).findFirst().orElseThrow();
            Gres free = holding.free(all, there, one.count());
            if (free == null) {
                return null;
            }
            held.add(free);
        }
        return chosen == null ? null : held;
    }

    /// All CPUs, GPUs and other resources of the node, and the memory that is asked for: Slurm's
    /// `--exclusive`. Null if the empty node does not have what is asked for.
    private @Nullable Allocation whole(NodeStatus node, ResourceRequest request, int index) {
        Inventory inventory = node.seen().inventory();
        NodeKind kind = nodes.kindOf(node.node());
        long memory = request.memoryMibOn(index, inventory.memoryMib());
        if (kind.cores().cpus() < kind.cpusOn(request, index)
                || inventory.memoryMib() < memory
                || NodeKind.chosen(request, nodes.gres(node.node())) == null
                || taken(node.node(), request, index).stream()
                        .anyMatch(some -> some.of().size() < some.count())) {
            return null;
        }
        return new Allocation(
                node.node(),
                index,
                request.tasksOn(index),
                IndexSet.firstN(inventory.cpus()),
                memory,
                node.usableGpus().stream().map(Gpu::uuid).toList(),
                null,
                nodes.gres(node.node()));
    }

    /// @param job that has it from now on
    /// @param shares whether others may have its CPUs too
    void take(JobDescription job, Allocation allocation, boolean shares) {
        drafts.computeIfAbsent(allocation.node(), state::holdingOn).takeFree(allocation, shares);
        if (job.request().where().sharing() != Sharing.NODE) {
            given.computeIfAbsent(allocation.node(), _ -> new ArrayList<>())
                    .add(new Given(job.partition(), allocation.cpus().toBitSet()));
        }
    }

    /// Whether a GPU is held, whole or in parts.
    boolean holdsGpu(NodeName node, String uuid) {
        Holding draft = drafts.get(node);
        return draft == null ? state.holdsGpu(node, uuid) : draft.holdsGpu(uuid);
    }

    /// What is held on a node.
    Holding holding(NodeName node) {
        return drafts.computeIfAbsent(node, state::holdingOn);
    }

    /// @param seat where the CPUs must lie; null is anywhere
    /// @param there what is free of what the kind of the node counts
    /// @param together CPUs that it may have together with others
    private static IndexSet nearestFreeCpus(
            Inventory inventory,
            NodeKind kind,
            int wanted,
            List<Gpu> gpus,
            @Nullable Seat seat,
            long[] there,
            Holding holding,
            Shared.@Nullable Choice together) {
        var near = new BitSet();
        gpus.forEach(gpu -> near.or(cpusNear(inventory, gpu)));
        BitSet free = kind.cores().free(holding.freeCpus(inventory.cpus()));
        BitSet cpus = seat == null ? new BitSet() : seat.cpus(there, free, near);
        near.and(free);
        Cores cores = kind.cores();
        int own = together == null ? wanted : cores.whole(together.free());
        cores.take(cpus, near, own);
        cores.take(cpus, free, own);
        if (together != null) {
            together.held()
                    .forEach(some -> cores.take(cpus, some.cpus(), cores.whole(some.upTo())));
            cores.take(cpus, free, wanted);
        }
        return IndexSet.of(cpus);
    }

    /// The CPUs that the driver calls nearest to a GPU, else those of its NUMA node; none if
    /// neither is known.
    private static BitSet cpusNear(Inventory inventory, Gpu gpu) {
        GpuHardware told = gpu.hardware();
        IndexSet near = told == null ? null : told.cpus();
        if (near != null) {
            return near.toBitSet();
        }
        Hardware machine = inventory.hardware();
        var cpus = new BitSet();
        if (machine != null) {
            machine.numaNodes().stream()
                    .filter(node -> node.id() == gpu.numaNode())
                    .forEach(node -> cpus.or(node.cpus().toBitSet()));
        }
        return cpus;
    }

    /// @param seated which they must be, by place in the inventory, as bits; 0 is any
    private List<Gpu> nearestFreeGpus(
            Inventory inventory, List<Gpu> ofOneType, int count, long seated, Holding holding) {
        List<Gpu> all = inventory.gpus();
        List<Gpu> may = ofOneType.stream().filter(gpu -> !holding.holdsGpu(gpu.uuid())).toList();
        List<Gpu> lasting = may.stream().filter(gpu -> !drained(gpu)).toList();
        may = lasting.size() < count ? may : lasting;
        if (seated == 0 && (may.size() <= count || all.size() > GpuLayout.MOST)) {
            return may.subList(0, Math.min(count, may.size()));
        }
        long free = 0;
        for (Gpu gpu : may) {
            free |= 1L << all.indexOf(gpu);
        }
        long chosen = seated == 0 ? layouts.of(inventory).choose(free, count) : seated;
        return may.stream().filter(gpu -> (chosen >> all.indexOf(gpu) & 1) != 0).toList();
    }

    private boolean drained(Gpu gpu) {
        String parent = gpu.parent();
        return parent != null && drains.test(parent);
    }

    /// GPUs of which a part takes so many.
    private record Taken(List<Gpu> of, int count) {}

    /// The node's GPUs that the request may have whole: those of one type, or those of each type
    /// that it names.
    private List<Taken> taken(NodeName node, ResourceRequest request, int index) {
        return request.gpus().ofEach().stream()
                .map(one -> {
                    int count = request.gpusOn(index, one);
                    return new Taken(ofOneType(node, request, one, count), count);
                })
                .filter(some -> some.count() > 0)
                .toList();
    }

    /// A part's GPUs of one request are all of one type and size, the one that the node has most
    /// of, the first by name of those that it has equally many of.
    ///
    /// @param request of the whole job
    private List<Gpu> ofOneType(NodeName node, ResourceRequest request, GpuRequest one, int count) {
        NodeKind kind = nodes.kindOf(node);
        var lanes = new TreeMap<Lane, List<Gpu>>();
        for (Gpu gpu : nodes.gpus(node, false)) {
            if (one.admits(gpu) && kind.links(request, count, Lane.of(gpu))) {
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
