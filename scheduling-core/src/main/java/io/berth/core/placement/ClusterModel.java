package io.berth.core.placement;

import io.berth.contracts.Allocation;
import io.berth.contracts.Gpu;
import io.berth.contracts.Inventory;
import io.berth.contracts.JobDescription;
import io.berth.contracts.JobId;
import io.berth.contracts.NodeName;
import io.berth.contracts.ResourceRequest;
import io.berth.contracts.SwitchLimit;
import io.berth.contracts.config.Configuration;
import io.berth.contracts.event.ConfigEntry.Partition;
import io.berth.contracts.event.JobStatus;
import io.berth.contracts.event.JobStatus.Planned;
import io.berth.contracts.event.JobStatus.Run;
import io.berth.contracts.event.NodeStatus;
import io.berth.contracts.event.Suspensions;
import io.berth.core.engine.Cluster;
import io.berth.core.engine.Demand;
import io.berth.core.engine.FitClass;
import io.berth.core.engine.Kind;
import io.berth.core.engine.Network;
import io.berth.core.engine.Scheduling;
import io.berth.core.engine.Scheduling.Settings;
import io.berth.core.engine.Waiting.Association;
import io.berth.core.engine.Waiting.Rank;
import io.berth.core.state.CellState;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// A cell in the engine's terms: names as indices, nodes by kind, requests as fit classes. It holds
/// for one configuration and one set of nodes; jobs and what they hold come and go.
final class ClusterModel {

    private record FitName(String partition, ResourceRequest request) {}

    private record AssociationName(String account, String user) {}

    private static final int SPARE_CLASSES = 1000;

    final Scheduling engine;
    final GpuLayout.Known layouts = new GpuLayout.Known();
    final Quotas quotas;
    private final CellState state;
    private final Configuration configuration;
    private final List<NodeName> names = new ArrayList<>();
    private final Map<NodeName, Integer> indices = new TreeMap<>();
    private final List<NodeKind> kinds = new ArrayList<>();
    private final List<Integer> kindOf = new ArrayList<>();
    private final Admission admission = new Admission();
    private final List<String> partitions;
    private final Map<FitName, FitClass> classes = new HashMap<>();
    private final Map<AssociationName, Association> associations = new HashMap<>();
    private final Association unshared;
    private final SwitchWaits switchWaits;

    ClusterModel(CellState state, Configuration configuration, Settings settings, long now) {
        this.state = state;
        this.configuration = configuration;
        this.partitions = List.copyOf(configuration.partitions().keySet());
        this.quotas = new Quotas(configuration);
        var numbers = new HashMap<NodeKind, Integer>();
        for (NodeStatus node : state.nodes()) {
            NodeKind kind = NodeKind.of(node.seen().inventory(), partitionsOf(node.node()));
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
        List<Kind> engineKinds = kinds.stream().map(NodeKind::engineKind).toList();
        int[] kindNumbers = kindOf.stream().mapToInt(Integer::intValue).toArray();
        Network network = Topology.of(configuration.switches().values(), names);
        engine = new Scheduling(new Cluster(engineKinds, kindNumbers, network), settings);
        switchWaits = new SwitchWaits(now);
        unshared = engine.association(0);
        state.nodes().forEach(this::open);
        state.holding().forEach(job -> note(state.knownJob(job)));
        state.pending().forEach(job -> note(state.knownJob(job)));
    }

    /// Time has come to `now`. The jobs that have waited long enough for the switches that they
    /// want take any nodes from then on, and are returned.
    Set<JobId> at(long now) {
        Set<JobId> over = switchWaits.at(now);
        for (JobId id : over) {
            state.job(id).ifPresent(this::note);
        }
        return over;
    }

    /// The next time at which a job may start, or takes other nodes, though nothing has happened;
    /// `Long.MAX_VALUE` if none is.
    long next(long now) {
        return Math.min(engine.next(now), Math.min(switchWaits.next(), quotas.next(now)));
    }

    private List<String> partitionsOf(NodeName node) {
        return configuration.partitions().values().stream()
                .filter(it -> has(it, node))
                .map(Partition::name)
                .toList();
    }

    private static boolean has(Partition partition, NodeName node) {
        return partition.nodes().equals(List.of("ALL")) || partition.nodes().contains(node.value());
    }

    /// Whether the model still speaks of this node as it is.
    boolean covers(NodeStatus node) {
        Integer index = indices.get(node.node());
        return index != null
                && admission.covers(index, node)
                && kinds.get(kindOf.get(index))
                        .equals(NodeKind.of(node.seen().inventory(), partitionsOf(node.node())));
    }

    /// Whether it holds far more classes of requests than jobs wait: those of jobs long gone.
    boolean overgrown() {
        return classes.size() > SPARE_CLASSES + 4 * state.pending().size();
    }

    /// Opens or closes a node. True: that changed something.
    boolean open(NodeStatus node) {
        return engine.open(index(node.node()), node.open());
    }

    NodeName name(int index) {
        return names.get(index);
    }

    private int index(NodeName node) {
        Integer index = indices.get(node);
        if (index == null) {
            throw new IllegalStateException("find node " + node + ": it is not in the model");
        }
        return index;
    }

    /// Takes a job as it now is.
    void note(JobStatus job) {
        Run run = job.run();
        if (run != null) {
            run(job, run);
        } else if (Partitions.refusal(configuration, job.description()) != null
                || !job.eligible()) {
            forget(job.job());
        } else {
            wait(job);
        }
    }

    private void run(JobStatus job, Run run) {
        var nodes = new ArrayList<Integer>();
        var demands = new ArrayList<Demand>();
        Suspensions standstill = run.standstill();
        // One that wants its CPUs back counts as if it had them, so that nobody new gets them.
        for (Allocation allocation : standstill.resuming() ? run.allocations() : run.held()) {
            Integer index = indices.get(allocation.node());
            if (index != null) {
                for (Demand demand : held(index, allocation)) {
                    nodes.add(index);
                    demands.add(demand);
                }
            }
        }
        long began =
                Math.max(run.placedAt(), run.startedAt() - Scheduling.SLACK_MILLIS)
                        + standstill.millis();
        boolean ending = run.outcome() != null;
        long limit = standstill.suspended() ? 0 : job.description().timeLimitSeconds() * 1000;
        count(job, run);
        engine.run(
                job.job().value(),
                nodes.stream().mapToInt(Integer::intValue).toArray(),
                demands.toArray(new Demand[0]),
                ending ? run.placedAt() : began,
                ending ? 1 : limit);
    }

    /// Counts what a run holds for limits, from now on.
    void count(JobStatus job, Run run) {
        quotas.holds(job, gpusByType(run), Math.max(run.placedAt(), run.startedAt()));
    }

    private Map<String, Long> gpusByType(Run run) {
        var byType = new TreeMap<String, Long>();
        for (Allocation allocation : run.allocations()) {
            if (indices.containsKey(allocation.node())) {
                for (Gpu gpu : inventory(allocation.node()).gpus()) {
                    if (allocation.gpus().contains(gpu.uuid())) {
                        byType.merge(gpu.type(), 1L, Long::sum);
                    }
                }
            }
        }
        return byType;
    }

    /// What an allocation takes of its node, by kind of GPU.
    private List<Demand> held(int index, Allocation allocation) {
        NodeKind kind = kinds.get(kindOf.get(index));
        var byLane = new TreeMap<Integer, Integer>();
        for (Gpu gpu : inventory(allocation.node()).gpus()) {
            if (allocation.gpus().contains(gpu.uuid())) {
                byLane.merge(kind.lane(gpu), 1, Integer::sum);
            }
        }
        int cpus = allocation.cpus().size();
        long memory = allocation.memoryMib();
        var demands = new ArrayList<Demand>();
        for (var entry : byLane.entrySet()) {
            demands.add(new Demand(cpus, memory, entry.getValue(), entry.getKey()));
            cpus = 0;
            memory = 0;
        }
        return demands.isEmpty() ? List.of(new Demand(cpus, memory, 0, -1)) : demands;
    }

    private Inventory inventory(NodeName node) {
        return state.node(node).orElseThrow().seen().inventory();
    }

    private void wait(JobStatus job) {
        JobDescription description = job.description();
        long id = job.job().value();
        Long points = description.conditions().priority();
        var rank =
                new Rank(
                        points == null ? job.rank().after(0) : points * Placement.POINT,
                        points == null ? job.rank().agePerSecond() : 0,
                        points == null ? job.rank().ageCap() : 0,
                        job.submission(),
                        job.waitsSince());
        quotas.waits(job);
        engine.wait(
                id,
                fit(job),
                points == null ? association(description) : unshared,
                rank,
                description.timeLimitSeconds() * 1000);
        Planned planned = job.planned();
        if (planned != null && planned.end() == planned.start() + engine.length(id)) {
            int[] nodes =
                    planned.nodes().stream().mapToInt(it -> indices.getOrDefault(it, -1)).toArray();
            engine.plan(id, planned.start(), nodes, planned.place());
        }
    }

    /// What is expected of a waiting job now; null if nothing is.
    @Nullable Planned planned(JobId job) {
        var plan = engine.expected(job.value());
        return plan == null
                ? null
                : new Planned(
                        plan.start(),
                        plan.start() + engine.length(job.value()),
                        Arrays.stream(plan.nodes()).mapToObj(names::get).toList(),
                        plan.place());
    }

    void forget(JobId job) {
        quotas.forget(job);
        engine.forget(job.value());
    }

    private Association association(JobDescription job) {
        return associations.computeIfAbsent(
                new AssociationName(job.account(), job.user()),
                it -> engine.association(state.fairShare(it.account(), it.user())));
    }

    void reshare() {
        engine.reshare(() ->
                associations.forEach((name, association) ->
                        Scheduling.share(
                                association, state.fairShare(name.account(), name.user()))));
    }

    /// What the job asks for now.
    FitClass fit(JobStatus job) {
        return fit(job.description().partition(), switchWaits.request(job));
    }

    /// What it asks for when it has waited for switches long enough.
    FitClass fitLater(JobStatus job) {
        ResourceRequest asked = job.description().request();
        return fit(
                job.description().partition(),
                asked.where().switches() == null ? asked : asked.underAnySwitches());
    }

    FitClass fit(String partition, ResourceRequest request) {
        return classes.computeIfAbsent(new FitName(partition, request), this::makeFit);
    }

    /// Whether a node is in a partition.
    boolean in(String partition, int node) {
        return kinds.get(kindOf.get(node)).partitions().contains(partition);
    }

    /// The nodes that a request's constraints admit; null for all.
    @Nullable BitSet only(ResourceRequest request) {
        return admission.only(request);
    }

    private FitClass makeFit(FitName name) {
        ResourceRequest request = name.request();
        Partition partition = configuration.partitions().get(name.partition());
        var large = new ArrayList<@Nullable Demand>();
        var small = new ArrayList<@Nullable Demand>();
        for (NodeKind kind : kinds) {
            boolean in = kind.partitions().contains(name.partition());
            large.add(in ? kind.demand(request, 0) : null);
            small.add(in ? kind.demand(request, request.nodes() - 1) : null);
        }
        int count = largeParts(request);
        SwitchLimit limit = request.where().switches();
        return engine.fitClass(
                new FitClass.Terms(
                        partition == null ? 0 : partition.tier(),
                        partitions.indexOf(name.partition()),
                        count,
                        request.nodes() - count,
                        large,
                        small,
                        admission.only(request),
                        limit == null ? 0 : limit.count()));
    }

    /// How many parts of the request count as taking more than its last. Where tasks and GPUs do
    /// not divide alike, a part in between counts as large.
    static int largeParts(ResourceRequest request) {
        Integer total = request.gpus().total();
        int tasks = request.tasks() % request.nodes();
        int gpus = total == null ? 0 : total % request.nodes();
        int most = Math.max(tasks, gpus);
        return most == 0 ? request.nodes() : most;
    }
}
