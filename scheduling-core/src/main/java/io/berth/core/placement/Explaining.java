package io.berth.core.placement;

import io.berth.contracts.FeatureExpression;
import io.berth.contracts.GpuRequest;
import io.berth.contracts.GpuSharing;
import io.berth.contracts.Gres;
import io.berth.contracts.HetComponent;
import io.berth.contracts.JobDescription;
import io.berth.contracts.JobId;
import io.berth.contracts.NodeName;
import io.berth.contracts.ResourceRequest;
import io.berth.contracts.ShareRequest;
import io.berth.contracts.SwitchLimit;
import io.berth.contracts.config.Configuration;
import io.berth.contracts.config.Levels;
import io.berth.contracts.event.ConfigEntry.Partition;
import io.berth.contracts.event.JobStatus;
import io.berth.contracts.event.JobStatus.Planned;
import io.berth.core.engine.FitClass;
import io.berth.core.engine.Outlook;
import io.berth.core.engine.Scheduling;
import io.berth.core.engine.Unplanned;
import io.berth.core.placement.Verdict.Axis;
import io.berth.core.placement.Verdict.Change;
import io.berth.core.placement.Verdict.Holder;
import io.berth.core.placement.Verdict.Question;
import io.berth.core.placement.Verdict.Stage;
import io.berth.core.placement.Verdict.Together;
import io.berth.core.request.Throttles;
import io.berth.core.state.CellState;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.NavigableSet;
import java.util.TreeMap;
import java.util.function.IntPredicate;
import java.util.function.LongPredicate;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/// Explains one waiting job: asks the nodes one question after the other, and tries changed
/// requests against the plan as it stands, as if the job itself had none.
///
/// A change is said only if the engine found nodes for it, and if the partition, the limits of
/// accounts and the job's array would let the job start so. What it cannot see is that jobs ahead
/// without an expected start could come first.
final class Explaining {

    private static final long LONGEST_MINUTES = 366L * 24 * 60;

    /// How many of those who hold what it waits for are told.
    private static final int HOLDERS = 5;

    private final CellState state;
    private final Configuration configuration;
    private final ClusterModel model;
    private final Outlook outlook;
    private final JobStatus job;
    private final JobDescription description;
    private final ResourceRequest request;
    private final long now;

    Explaining(
            CellState state,
            Configuration configuration,
            ClusterModel model,
            JobStatus job,
            long now) {
        this.state = state;
        this.configuration = configuration;
        this.model = model;
        this.outlook = new Outlook(model.engine);
        this.job = job;
        this.description = job.description();
        this.request = description.request();
        this.now = now;
    }

    Verdict verdict() {
        var usable = new ArrayList<NodeName>();
        Verdict alone =
                outlook.without(
                        job.job().value(),
                        () ->
                                new Verdict(
                                        stages(usable),
                                        changes(),
                                        job.planned(),
                                        null,
                                        List.of(),
                                        List.of(),
                                        null,
                                        model.packing(description.partition()),
                                        List.of(),
                                        null));
        return new Verdict(
                alone.stages(),
                alone.changes(),
                alone.planned(),
                new Yielding(state, model, look(), job, now).on(usable),
                model.mig.dividing(request, description.partition(), model.only(request)),
                model.mig.draining(job.planned()),
                together(),
                alone.packing(),
                holders(),
                unplanned());
    }

    private @Nullable Unplanned unplanned() {
        if (job.planned() != null) {
            return null;
        }
        return outlook.unplanned(job.job().value(), Partitions.choice(description), now, look());
    }

    private Round look() {
        return new Round(state, configuration, model, (_, _) -> {}, now);
    }

    private List<Holder> holders() {
        Planned planned = job.planned();
        if (planned == null) {
            return List.of();
        }
        FitClass fit = model.fit(job);
        return planned.nodes().stream()
                .distinct()
                .filter(node -> !outlook.fits(fit, model.nodes.index(node)))
                .flatMap(node -> state.jobsOn(node).stream())
                .distinct()
                .map(it -> new Holder(it, outlook.ends(it.value(), now)))
                .filter(it -> it.until() <= planned.start())
                .sorted(Comparator.comparingLong(Holder::until).thenComparing(Holder::job))
                .limit(HOLDERS)
                .toList();
    }

    private @Nullable Together together() {
        HetComponent set = description.het();
        if (set == null) {
            return null;
        }
        Long unseated = outlook.unseated(job.job().value(), now);
        return new Together(set.first(), set.size(), unseated == null ? null : new JobId(unseated));
    }

    /// @param usable takes the nodes that are there for the job, whether or not they have room
    private List<Stage> stages(List<NodeName> usable) {
        FitClass fit = model.fit(job);
        long limit = description.timeLimitSeconds() * 1000;
        var stages = new ArrayList<Stage>();
        int[] left = IntStream.range(0, model.nodes.names().size()).toArray();
        int[] free = Arrays.stream(left).map(it -> model.free.count(it, request.gpus())).toArray();
        for (Question question : Question.values()) {
            if ((question == Question.SOCKETS && !Seats.bySocket(request))
                    || (question == Question.TOGETHER && !outlook.bound(fit))) {
                continue;
            }
            int[] before = left;
            IntPredicate yes =
                    switch (question) {
                        case REGISTERED -> _ -> true;
                        case PARTITION -> node -> model.nodes.in(description.partition(), node);
                        case CONSTRAINTS -> node -> outlook.admits(fit, node);
                        case SOCKETS -> this::tellsSockets;
                        case SIZE -> node -> outlook.couldHold(fit, node);
                        case AVAILABLE -> outlook::up;
                        case UNRESERVED -> node -> outlook.open(fit, node, limit, now);
                        case NEIGHBOURS -> node -> outlook.alone(fit, node);
                        case FREE -> node -> outlook.fits(fit, node);
                        case UNPLANNED -> node -> outlook.lasts(fit, node, limit, now);
                        case TOGETHER -> outlook.together(fit, before)::get;
                    };
            left = Arrays.stream(left).filter(yes).toArray();
            int gpus = Arrays.stream(left).map(node -> free[node]).sum();
            stages.add(new Stage(question, left.length, gpus));
            if (question == Question.AVAILABLE) {
                Arrays.stream(left).mapToObj(model.nodes::name).forEach(usable::add);
            }
        }
        return stages;
    }

    private boolean tellsSockets(int node) {
        Seats seats = model.nodes.kindOf(model.nodes.name(node)).seats();
        return seats != null && seats.sockets().known();
    }

    private List<Change> changes() {
        var changes = new ArrayList<Change>();
        if (description.het() != null
                || model.hindrance(request) != null
                || !new Throttles(state).admits(job)) {
            return changes;
        }
        addIfFound(changes, gpus());
        addIfFound(changes, gpusInAll());
        addIfFound(changes, gpuType());
        addIfFound(changes, gpuMemory());
        request.gres().forEach(gres -> addIfFound(changes, gres(gres)));
        addIfFound(changes, nodes());
        addIfFound(changes, limit());
        addIfFound(changes, switches());
        addIfFound(changes, contiguous());
        addIfFound(changes, segment());
        addIfFound(changes, linked());
        addIfFound(changes, sockets());
        addIfFound(changes, constraint());
        addIfFound(changes, nodeList());
        addIfFound(changes, partition());
        return changes;
    }

    private static void addIfFound(List<Change> changes, @Nullable Change change) {
        if (change != null) {
            changes.add(change);
        }
    }

    private boolean starts(ResourceRequest changed, String partition, long limitSeconds) {
        JobDescription asked = description.in(partition).with(changed).limited(limitSeconds);
        long until = Scheduling.untilAtMost(now, limitSeconds * 1000);
        return Partitions.refusal(configuration, asked) == null
                && model.quotas.let(job.job(), asked, now, until)
                && outlook.startable(model.fit(asked), limitSeconds * 1000, now);
    }

    private boolean starts(ResourceRequest changed) {
        return starts(changed, description.partition(), description.timeLimitSeconds());
    }

    /// Fewer GPUs on each node, or a smaller part of one; of several types fewer of one of them.
    private @Nullable Change gpus() {
        GpuRequest asked = request.gpus();
        if (!asked.byType().isEmpty()) {
            return fewerOfOneType(asked);
        }
        if (asked.share() != null) {
            return share(asked.share());
        }
        Integer perSocket = asked.perSocket();
        int sockets = asked.sockets();
        Integer perTask = asked.perTask();
        int most = asked.total() == null ? asked.counted() - sockets : 0;
        for (int fewer = most; fewer > 0; fewer -= sockets) {
            var gpus =
                    new GpuRequest(
                            perTask == null ? fewer : 0,
                            asked.type(),
                            perTask == null ? null : (Integer) fewer,
                            null,
                            perSocket == null ? null : (Integer) (fewer / sockets),
                            asked.minMemoryMib());
            ResourceRequest changed = request.with(gpus);
            if (starts(changed)) {
                return change(Axis.GPUS, request.gpusOn(0), changed.gpusOn(0));
            }
        }
        return null;
    }

    /// Fewer GPUs of all nodes together, one on each at least; those of several types by type.
    private @Nullable Change gpusInAll() {
        GpuRequest asked = request.gpus();
        Integer total = asked.total();
        if (total == null || !asked.byType().isEmpty()) {
            return null;
        }
        int others = request.nodes() - 1;
        long most =
                most(
                        total - 1 - others,
                        it -> starts(request.with(asked.inAll(Math.toIntExact(it + others)))));
        return most == 0 ? null : change(Axis.GPUS_IN_ALL, total, most + others);
    }

    /// The fewest GPUs less, all of one type, the first of equals; as many on each socket.
    private @Nullable Change fewerOfOneType(GpuRequest asked) {
        int sockets = asked.sockets();
        for (int less = sockets; less < asked.counted(); less += sockets) {
            for (var of : asked.byType().entrySet()) {
                if (of.getValue() < less) {
                    continue;
                }
                var rest = new TreeMap<>(asked.byType());
                rest.merge(of.getKey(), -less, Integer::sum);
                rest.values().removeIf(it -> it == 0);
                ResourceRequest fewer = request.with(asked.of(rest));
                if (fewer.gpus().mostNodes() >= request.nodes() && starts(fewer)) {
                    return new Change(
                            Axis.GPUS,
                            GpuRequest.text(request.gpuTypesOn(0)),
                            GpuRequest.text(fewer.gpuTypesOn(0)));
                }
            }
        }
        return null;
    }

    /// The largest part below the one that it wants, in hundredths or shards.
    private @Nullable Change share(ShareRequest asked) {
        GpuSharing sharing = asked.sharing();
        int unit = sharing == GpuSharing.MPS ? GpuSharing.THOUSANDTHS / 100 : 1;
        long most =
                most(
                        (asked.parts() - 1) / unit,
                        it -> {
                            int parts = Math.toIntExact(it * unit);
                            var part = new ShareRequest(sharing, parts, asked.memoryMib());
                            return starts(request.with(GpuRequest.of(part, request.gpus().type())));
                        });
        String name = sharing.gres() + ":";
        return most == 0
                ? null
                : new Change(Axis.GPUS, name + sharing.amount(asked.parts()), name + most);
    }

    /// The most of another resource below what it wants; none of it where that alone would do.
    private @Nullable Change gres(Gres asked) {
        List<Gres> others = request.gres().stream().filter(it -> !it.equals(asked)).toList();
        if (!starts(request.holding(others))) {
            return null;
        }
        long most =
                most(
                        asked.count() - 1,
                        it -> {
                            var fewer = new ArrayList<>(others);
                            fewer.add(asked.counted(it));
                            return starts(request.holding(fewer));
                        });
        return new Change(Axis.GRES, asked.text(), most == 0 ? "none" : asked.counted(most).text());
    }

    /// Another type of GPU, or any.
    private @Nullable Change gpuType() {
        GpuRequest asked = request.gpus();
        String type = asked.type();
        if (type == null) {
            return null;
        }
        NavigableSet<String> others = model.nodes.gpuTypes();
        others.remove(type);
        for (String other : others) {
            if (starts(request.with(asked.ofType(other)))) {
                return new Change(Axis.GPU_TYPE, type, other);
            }
        }
        return !asked.ofInstances() && starts(request.with(asked.ofType(null)))
                ? new Change(Axis.GPU_TYPE, type, "any")
                : null;
    }

    /// The most memory below what it wants; any where that alone would do.
    private @Nullable Change gpuMemory() {
        GpuRequest asked = request.gpus();
        Long memory = asked.minMemoryMib();
        if (memory == null || !starts(request.with(asked.ofAnyMemory()))) {
            return null;
        }
        long most = most(memory - 1, it -> starts(request.with(asked.ofMemory(it))));
        return new Change(
                Axis.GPU_MEMORY, memory.toString(), most == 0 ? "any" : Long.toString(most));
    }

    /// Fewer nodes, each with as many tasks as before.
    private @Nullable Change nodes() {
        if (request.tasks() % request.nodes() != 0 || request.gpus().total() != null) {
            return null;
        }
        int segment = Math.max(1, request.segment());
        for (int fewer = request.nodes() - segment; fewer > 0; fewer -= segment) {
            var changed =
                    new ResourceRequest(
                            fewer,
                            request.tasksOn(0) * fewer,
                            request.cpusPerTask(),
                            request.memory(),
                            request.gpus(),
                            request.constraints(),
                            request.licenses(),
                            request.minCpusPerNode(),
                            null,
                            request.gres());
            if (starts(changed)) {
                return change(Axis.NODES, request.nodes(), fewer);
            }
        }
        return null;
    }

    /// The longest limit below the job's own, to the minute.
    private @Nullable Change limit() {
        long asked = description.timeLimitSeconds();
        long most =
                most(
                        asked <= 0 ? LONGEST_MINUTES : (asked - 1) / 60,
                        it -> starts(request, description.partition(), it * 60));
        return most == 0 ? null : change(Axis.TIME_LIMIT, asked, most * 60);
    }

    /// More switches or a wider level, as little as will do; any where nothing less does.
    private @Nullable Change switches() {
        SwitchLimit limit = request.where().switches();
        if (limit == null) {
            return null;
        }
        String level = limit.level();
        return level == null ? moreSwitches(limit) : widerLevel(level, limit.maxWaitSeconds());
    }

    private @Nullable Change moreSwitches(SwitchLimit limit) {
        if (!starts(request.underAnySwitches())) {
            return null;
        }
        int any = request.nodes();
        long fewer =
                most(
                        any - 1 - limit.count(),
                        it -> {
                            int count = Math.toIntExact(any - it);
                            return starts(under(new SwitchLimit(count, limit.maxWaitSeconds())));
                        });
        String to = fewer == 0 ? "any" : Long.toString(any - fewer);
        return new Change(Axis.SWITCHES, Integer.toString(limit.count()), to);
    }

    private @Nullable Change widerLevel(String level, @Nullable Long maxWaitSeconds) {
        for (String wider : new Levels(configuration.switches().values()).above(level)) {
            if (starts(under(SwitchLimit.within(wider, maxWaitSeconds)))) {
                return new Change(Axis.LEVEL, level, wider);
            }
        }
        return starts(request.underAnySwitches()) ? new Change(Axis.LEVEL, level, "any") : null;
    }

    private ResourceRequest under(SwitchLimit limit) {
        return request.on(request.where().under(limit));
    }

    /// Smaller segments, as large as can be; nodes in whatever blocks where none will do.
    private @Nullable Change segment() {
        int asked = request.segment();
        if (asked == 0 || !starts(request.on(request.where().inAnyBlocks()))) {
            return null;
        }
        for (int smaller = asked - 1; smaller > 1; smaller--) {
            int nodes = smaller;
            if (request.nodes() % nodes == 0
                    && starts(request.on(request.where().with(it -> it.segment = nodes)))) {
                return change(Axis.SEGMENT, asked, nodes);
            }
        }
        return new Change(Axis.SEGMENT, Integer.toString(asked), "any");
    }

    /// GPUs that are linked or not.
    private @Nullable Change linked() {
        return request.where().linked() != null && starts(request.on(request.where().unlinked()))
                ? new Change(Axis.LINKED, "yes", "no")
                : null;
    }

    /// GPUs of whatever sockets.
    private @Nullable Change sockets() {
        GpuRequest asked = request.gpus();
        return asked.perSocket() != null && starts(request.with(asked.onAnySockets()))
                ? new Change(Axis.SOCKETS, asked.textOnSocket(), "any")
                : null;
    }

    /// Nodes that do not stand side by side.
    private @Nullable Change contiguous() {
        return request.where().sideBySide() && starts(request.on(request.where().anywhere()))
                ? new Change(Axis.CONTIGUOUS, "yes", "no")
                : null;
    }

    /// Whatever the nodes' features are.
    private @Nullable Change constraint() {
        FeatureExpression features = request.where().features();
        return features != null && starts(request.on(request.where().ofAnyFeatures()))
                ? new Change(Axis.CONSTRAINT, features.toString(), "any")
                : null;
    }

    /// Without the nodes that it names.
    private @Nullable Change nodeList() {
        List<NodeName> named = request.where().nodeList();
        return !named.isEmpty() && starts(request.on(request.where().unnamed()))
                ? new Change(
                        Axis.NODE_LIST,
                        String.join(",", named.stream().map(NodeName::value).toList()),
                        "any")
                : null;
    }

    /// Another partition that allows the job, and not operators alone.
    private @Nullable Change partition() {
        for (Partition other : new TreeMap<>(configuration.partitions()).values()) {
            String name = other.name();
            if (!description.partitions().contains(name)
                    && !other.partitionRules().ofNodes().rootOnly()
                    && starts(request, name, description.timeLimitSeconds())) {
                return new Change(Axis.PARTITION, description.partition(), name);
            }
        }
        return null;
    }

    /// The largest number from 1 to `high` with which it starts, as it then does with each below; 0
    /// if there is none.
    private static long most(long high, LongPredicate starts) {
        long low = 0;
        while (low < high) {
            long middle = (low + high + 1) / 2;
            if (starts.test(middle)) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        return low;
    }

    private static Change change(Axis axis, long from, long to) {
        return new Change(axis, Long.toString(from), Long.toString(to));
    }
}
