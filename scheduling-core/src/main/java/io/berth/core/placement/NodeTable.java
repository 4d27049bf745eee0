package io.berth.core.placement;

import io.berth.contracts.Allocation;
import io.berth.contracts.Gpu;
import io.berth.contracts.GpuShare;
import io.berth.contracts.Gres;
import io.berth.contracts.IndexSet;
import io.berth.contracts.Inventory;
import io.berth.contracts.JobDescription;
import io.berth.contracts.JobId;
import io.berth.contracts.NodeName;
import io.berth.contracts.ResourceRequest;
import io.berth.contracts.ShareRequest;
import io.berth.contracts.SharedGpus;
import io.berth.contracts.Sharing;
import io.berth.contracts.config.Configuration;
import io.berth.contracts.event.ConfigEntry.Partition;
import io.berth.contracts.event.NodeStatus;
import io.berth.core.engine.Counted;
import io.berth.core.engine.Demand;
import io.berth.core.engine.FitClass.Choice;
import io.berth.core.engine.Kind;
import io.berth.core.engine.Shared;
import io.berth.core.engine.Tenant;
import io.berth.core.request.Cores;
import io.berth.core.state.CellState;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// The nodes of a model: names as indices, nodes by kind, and what allocations take of them.
final class NodeTable {

    /// What a run holds.
    ///
    /// @param nodes by index
    record Held(int[] nodes, Demand[] demands) {}

    private final CellState state;
    private final Configuration configuration;
    private final List<NodeName> names = new ArrayList<>();
    private final Map<NodeName, Integer> indices = new TreeMap<>();
    private final List<NodeKind> kinds = new ArrayList<>();
    private final List<Integer> kindOf = new ArrayList<>();
    private final Admission admission = new Admission();

    /// Resources other than GPUs with their device files, where a node has some.
    private final Map<NodeName, List<Gres>> gres = new HashMap<>();

    /// How GPUs of a node are shared, where some are.
    private final Map<NodeName, SharedGpus> shared = new HashMap<>();

    private final GpuLayout.Known layouts;

    /// Whether any of those who wait ask where things lie on nodes, or a partition is bounded by
    /// socket.
    private final boolean asked;

    /// The runs of which parts of cores are counted.
    final SplitCores split =
            new SplitCores(node -> indices.containsKey(node) ? kindOf(node).cores() : null);

    NodeTable(CellState state, Configuration configuration, GpuLayout.Known layouts) {
        this.state = state;
        this.configuration = configuration;
        this.layouts = layouts;
        this.asked =
                configuration.partitions().values().stream().anyMatch(it -> onSocket(it) > 0)
                        || state.pending().stream()
                                .anyMatch(job ->
                                        Seats.asked(state.knownJob(job).description().request()));
        var numbers = new HashMap<NodeKind, Integer>();
        for (NodeStatus node : state.nodes()) {
            SharedGpus rule = configuration.cluster().sharedOn(node.node());
            if (rule != null) {
                shared.put(node.node(), rule);
            }
            List<Gres> others = gres(node);
            if (!others.isEmpty()) {
                gres.put(node.node(), others);
            }
            NodeKind kind = kind(node, others);
            indices.put(node.node(), names.size());
            names.add(node.node());
            admission.add(node);
            kindOf.add(
                    numbers.computeIfAbsent(
                            kind,
                            it -> {
                                kinds.add(it);
                                return kinds.size() - 1;
                            }));
        }
    }

    List<NodeKind> kinds() {
        return kinds;
    }

    /// Whether it tells a waiting job what it asks about where things lie on nodes.
    boolean covers(JobDescription job) {
        return asked || !Seats.asked(job.request());
    }

    /// Whether it tells anything about that.
    boolean seats() {
        return asked;
    }

    /// @param caps by partition, how many CPUs of a node its jobs may have together
    List<Kind> engineKinds(int[] caps, GpuTypes types) {
        return kinds.stream().map(kind -> kind.engineKind(caps, asked, types.of(kind))).toList();
    }

    /// By node, its place among the kinds.
    int[] kindNumbers() {
        return kindOf.stream().mapToInt(Integer::intValue).toArray();
    }

    List<NodeName> names() {
        return names;
    }

    private List<String> partitionsOf(NodeName node) {
        return configuration.partitions().values().stream()
                .filter(it -> has(it, node))
                .map(Partition::name)
                .toList();
    }

    /// Whether the jobs of a partition may have only so many CPUs of each socket.
    boolean boundedBySocket(String partition) {
        Partition it = configuration.partitions().get(partition);
        return it != null && onSocket(it) > 0;
    }

    /// What the jobs of a node's partitions may have of its sockets.
    private List<Seats.Cap> caps(NodeName node) {
        return configuration.partitions().values().stream()
                .filter(it -> onSocket(it) > 0 && has(it, node))
                .map(it -> new Seats.Cap(it.name(), onSocket(it)))
                .toList();
    }

    private static int onSocket(Partition partition) {
        return partition.partitionRules().ofNodes().mostCpusOnSocket();
    }

    private static boolean has(Partition partition, NodeName node) {
        return partition.nodes().equals(List.of("ALL")) || partition.nodes().contains(node.value());
    }

    /// Whether the model still speaks of this node as it is.
    boolean covers(NodeStatus node) {
        Integer index = indices.get(node.node());
        List<Gres> others = gres(node);
        return index != null
                && admission.covers(index, node)
                && others.equals(gres(node.node()))
                && kinds.get(kindOf.get(index)).equals(kind(node, others));
    }

    private NodeKind kind(NodeStatus node, List<Gres> others) {
        Inventory inventory = node.seen().inventory();
        List<Gpu> usable = node.usableGpus();
        SharedGpus rule = sharedOn(node.node());
        Cores cores = Cores.of(inventory, configuration.cluster().byCore());
        return NodeKind.of(
                inventory,
                usable,
                others,
                cores,
                Seats.of(
                        inventory,
                        cores,
                        layouts,
                        gpu -> usable.contains(gpu) && (rule == null || !rule.shares(gpu)),
                        others.size(),
                        caps(node.node())),
                partitionsOf(node.node()),
                rule,
                node.weight() == null
                        ? configuration.cluster().weightOf(node.node())
                        : node.weight());
    }

    /// What a node has in common with others.
    NodeKind kindOf(NodeName node) {
        return kinds.get(kindOf.get(index(node)));
    }

    private List<Gres> gres(NodeStatus node) {
        return configuration.cluster().gresOn(node.node(), node.seen().inventory());
    }

    /// What a node has of other resources than GPUs.
    List<Gres> gres(NodeName node) {
        return gres.getOrDefault(node, List.of());
    }

    private @Nullable SharedGpus sharedOn(NodeName node) {
        return shared.get(node);
    }

    /// The GPUs of a node that are given out in parts, or those that are given out whole.
    List<Gpu> gpus(NodeName node, boolean inParts) {
        SharedGpus rule = sharedOn(node);
        List<Gpu> usable = status(node).usableGpus();
        if (rule == null) {
            return inParts ? List.of() : usable;
        }
        return usable.stream().filter(gpu -> rule.shares(gpu) == inParts).toList();
    }

    /// What a request for a part of a GPU takes of the one of that lane.
    ///
    /// @throws IllegalStateException if it can take none of it
    Share share(NodeName node, int lane, ShareRequest wanted) {
        SharedGpus rule = sharedOn(node);
        List<Gpu> gpus = gpus(node, true);
        int slot = lane - kinds.get(kindOf.get(index(node))).firstSlot();
        if (rule != null && slot >= 0 && slot < gpus.size()) {
            Gpu gpu = gpus.get(slot);
            GpuShare share = wanted.on(rule.sharing(), rule.of(), gpu.memoryMib());
            if (share != null) {
                return new Share(gpu, share);
            }
        }
        throw new IllegalStateException(
                "take %s of GPU lane %d of node %s: it is not shared so"
                        .formatted(wanted, lane, node));
    }

    /// A part of a GPU.
    record Share(Gpu gpu, GpuShare part) {}

    /// The fewest CPUs that a part of a job takes of a node of its partition.
    int leastCpus(JobDescription job, int part) {
        if (!configuration.cluster().byCore()) {
            return job.request().cpusOn(part);
        }
        return kinds.stream()
                .filter(kind -> kind.partitions().contains(job.partition()))
                .mapToInt(kind -> kind.cpusOn(job.request(), part))
                .min()
                .orElse(job.request().cpusOn(part));
    }

    /// The most GPUs that a job is given beyond those that it asks for, by type: all of those nodes
    /// that have most, if it has its nodes to itself. Empty for another one.
    Map<String, Long> mostGpus(JobDescription job) {
        var most = new TreeMap<String, Long>();
        long count = 0;
        for (NodeKind kind : whole(job)) {
            Map<String, Long> byType = kind.gpusByType();
            long has = byType.values().stream().mapToLong(Long::longValue).sum();
            if (has > count) {
                count = has;
                most.clear();
                byType.forEach((type, each) -> most.put(type, each * job.request().nodes()));
            }
        }
        return most;
    }

    /// The CPUs that a part of a waiting job will take: the fewest, or, if it has its nodes to
    /// itself, all of those that have most.
    int takenCpus(JobDescription job, int part) {
        return whole(job).stream()
                .mapToInt(it -> it.cores().cpus())
                .max()
                .orElseGet(() -> leastCpus(job, part));
    }

    /// The kinds of nodes that a job may have to itself.
    private List<NodeKind> whole(JobDescription job) {
        return job.request().where().sharing() != Sharing.NODE
                ? List.of()
                : kinds.stream()
                        .filter(kind ->
                                kind.partitions().contains(job.partition())
                                        && kind.demand(job.request(), 0, job.partition()) != null)
                        .toList();
    }

    /// The UUID of the shared GPU of a lane; null for a lane of whole ones, and for none.
    @Nullable String gpu(int node, int lane) {
        int slot = lane - kinds.get(kindOf.get(node)).firstSlot();
        return lane < 0 || slot < 0 ? null : gpus(names.get(node), true).get(slot).uuid();
    }

    /// The lane of a shared GPU; -1 for one that is not there, or not shared.
    int lane(int node, @Nullable String uuid) {
        List<Gpu> gpus = uuid == null || node < 0 ? List.of() : gpus(names.get(node), true);
        for (int slot = 0; slot < gpus.size(); slot++) {
            if (gpus.get(slot).uuid().equals(uuid)) {
                return kinds.get(kindOf.get(node)).firstSlot() + slot;
            }
        }
        return -1;
    }

    NodeName name(int index) {
        return names.get(index);
    }

    int index(NodeName node) {
        Integer index = indices.get(node);
        if (index == null) {
            throw new IllegalStateException("find node " + node + ": it is not in the model");
        }
        return index;
    }

    /// -1 for a node that is not there.
    int[] indices(List<NodeName> nodes) {
        return nodes.stream().mapToInt(it -> indices.getOrDefault(it, -1)).toArray();
    }

    /// Whether a node is in a partition.
    boolean in(String partition, int node) {
        return kinds.get(kindOf.get(node)).partitions().contains(partition);
    }

    /// The types of the GPUs that may be given out.
    NavigableSet<String> gpuTypes() {
        var types = new TreeSet<String>();
        for (NodeKind kind : kinds) {
            kind.gpus().keySet().forEach(lane -> types.add(lane.type()));
            kind.slots().forEach(slot -> types.add(slot.gpu().type()));
        }
        return types;
    }

    /// Those of some nodes that a request's constraints admit; null for all.
    ///
    /// @param of null is all
    @Nullable BitSet only(ResourceRequest request, @Nullable BitSet of) {
        return admission.only(request, of);
    }

    /// The sets of nodes of which all of a gang's are of one.
    ///
    /// @param of null is all
    List<Choice> choices(ResourceRequest request, @Nullable BitSet of) {
        return admission.choices(request, of);
    }

    /// What the engine counts of what a job holds.
    ///
    /// @param description of the job
    /// @param tenant for whom they are held
    /// @param together what it is that others may hold CPUs too; null if they may not
    Held held(
            JobId job,
            JobDescription description,
            List<Allocation> allocations,
            Tenant tenant,
            @Nullable Function<BitSet, Shared> together) {
        boolean alone = description.request().where().sharing() == Sharing.NODE;
        String partition = alone ? null : description.partition();
        var on = new ArrayList<Integer>();
        var demands = new ArrayList<Demand>();
        for (Allocation allocation : allocations) {
            Integer index = indices.get(allocation.node());
            if (index != null) {
                IndexSet counted = split.counted(job, allocation);
                BitSet cpus = kindOf(allocation.node()).cores().held(counted.toBitSet());
                Shared shared = together == null || cpus.isEmpty() ? null : together.apply(cpus);
                on.add(index);
                demands.add(held(index, allocation, counted, partition).of(tenant).sharing(shared));
            }
        }
        return new Held(
                on.stream().mapToInt(Integer::intValue).toArray(), demands.toArray(new Demand[0]));
    }

    /// How many GPUs of each type are in them that are held whole.
    Map<String, Long> gpusByType(List<Allocation> allocations) {
        var byType = new TreeMap<String, Long>();
        for (Allocation allocation : allocations) {
            if (allocation.wholeGpus() > 0 && indices.containsKey(allocation.node())) {
                for (Gpu gpu : inventory(allocation.node()).gpus()) {
                    if (allocation.gpus().contains(gpu.uuid())) {
                        byType.merge(gpu.type(), 1L, Long::sum);
                    }
                }
            }
        }
        return byType;
    }

    /// What an allocation takes of its node. One that was placed when a GPU was shared and is not
    /// any more, or the other way round, takes all of it.
    ///
    /// @param counted the CPUs of it that count
    /// @param partition for whose CPUs they count; null is for nobody's
    private Demand held(
            int index, Allocation allocation, IndexSet counted, @Nullable String partition) {
        NodeKind kind = kinds.get(kindOf.get(index));
        NodeStatus status = status(allocation.node());
        SharedGpus rule = sharedOn(allocation.node());
        GpuShare share = allocation.share();
        int slot = kind.firstSlot();
        var byLane = new long[slot + kind.slots().size()];
        int first = -1;
        for (Gpu gpu : status.seen().inventory().gpus()) {
            boolean inParts = rule != null && rule.shares(gpu);
            if (allocation.gpus().contains(gpu.uuid()) && !status.dividing(gpu)) {
                int units = share == null ? GpuShare.WHOLE : share.units();
                int lane = inParts ? slot : kind.lane(gpu);
                byLane[lane] += inParts ? units : 1;
                first = first < 0 ? lane : Math.min(first, lane);
            }
            slot += inParts && !status.dividing(gpu) ? 1 : 0;
        }
        // Of what was placed before cores were given out whole the rest of a core is nobody's.
        int cpus = kind.cores().heldBy(counted);
        long memory = allocation.memoryMib();
        Counted others = counted(kind, allocation, counted, partition);
        int ofFirst = 0;
        if (first >= 0) {
            ofFirst = (int) byLane[first];
            byLane[first] = 0;
        }
        return new Demand(cpus, memory, ofFirst, first).alsoWith(Counted.of(byLane)).with(others);
    }

    /// What an allocation takes of what its kind of node counts beside CPUs, memory and GPUs.
    private Counted counted(
            NodeKind kind, Allocation allocation, IndexSet cpus, @Nullable String partition) {
        long[] others = kind.amounts(Gres.heldOf(allocation.gres(), gres(allocation.node())));
        Seats seats = kind.seats();
        return Counted.of(
                seats == null || !asked
                        ? others
                        : seats.held(
                                others,
                                inventory(allocation.node()).gpus(),
                                gpu -> allocation.gpus().contains(gpu.uuid()),
                                cpus,
                                allocation.cpus(),
                                partition));
    }

    private Inventory inventory(NodeName node) {
        return status(node).seen().inventory();
    }

    private NodeStatus status(NodeName node) {
        return state.node(node).orElseThrow();
    }
}
