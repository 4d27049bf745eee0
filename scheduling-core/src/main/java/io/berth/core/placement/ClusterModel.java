package io.berth.core.placement;

import io.berth.contracts.Allocation;
import io.berth.contracts.ArrayTask;
import io.berth.contracts.Gres;
import io.berth.contracts.HetComponent;
import io.berth.contracts.JobDescription;
import io.berth.contracts.JobId;
import io.berth.contracts.Reason;
import io.berth.contracts.ResourceRequest;
import io.berth.contracts.Sharing;
import io.berth.contracts.SwitchLimit;
import io.berth.contracts.config.Configuration;
import io.berth.contracts.event.ConfigEntry.Partition;
import io.berth.contracts.event.ConfigEntry.Qos;
import io.berth.contracts.event.FairShares;
import io.berth.contracts.event.JobStatus;
import io.berth.contracts.event.JobStatus.Clearing;
import io.berth.contracts.event.JobStatus.Planned;
import io.berth.contracts.event.JobStatus.Run;
import io.berth.contracts.event.NodeStatus;
import io.berth.contracts.event.QosRules.Flag;
import io.berth.contracts.event.Suspensions;
import io.berth.core.engine.Cluster;
import io.berth.core.engine.DecisionFailed;
import io.berth.core.engine.Drain;
import io.berth.core.engine.FitClass;
import io.berth.core.engine.Kind;
import io.berth.core.engine.Preemptor;
import io.berth.core.engine.Scheduling;
import io.berth.core.engine.Scheduling.Expected;
import io.berth.core.engine.Scheduling.Settings;
import io.berth.core.engine.Waiting.Association;
import io.berth.core.engine.Waiting.Entry;
import io.berth.core.engine.Waiting.Rank;
import io.berth.core.packing.Arrivals;
import io.berth.core.packing.PackingPolicy;
import io.berth.core.packing.Policies;
import io.berth.core.priority.Multifactor;
import io.berth.core.request.Eligibility;
import io.berth.core.request.Reserved;
import io.berth.core.state.CellState;
import io.berth.core.state.Transitions;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// A cell in the engine's terms: names as indices, nodes by kind, requests as fit classes. It holds
/// for one configuration and one set of nodes; jobs and what they hold come and go.
final class ClusterModel {

    private record AssociationName(String account, String user) {}

    private static final int SPARE_CLASSES = 1000;

    final Scheduling engine;
    final GpuLayout.Known layouts = new GpuLayout.Known();
    final Quotas quotas;
    final Queues queues;
    final Grounds grounds;
    final CellState state;
    private final Configuration configuration;
    final NodeTable nodes;
    final FreeGpus free;
    final MigNodes mig;
    final MigOrder soonest;
    final MigDrains drains;
    final Tenants tenants;
    final Reservations reservations;
    private final Licenses licenses;
    final LicenseWaits licenseWaits = new LicenseWaits();

    /// Arrays with a throttle whose waiting tasks were last told that one may start.
    final Set<JobId> roomy = new HashSet<>();

    private final FitClasses classes;
    private final Map<AssociationName, Association> associations = new HashMap<>();
    private final Association unshared;
    private final SwitchWaits switchWaits;
    private final Alarms deadlines;
    private final GpuTypes types;
    private final PackingPolicy policy;

    /// The configuration's policy; null if it names none that there is.
    private final @Nullable String packing;

    private final Arrivals arrivals = new Arrivals();
    private long now;

    ClusterModel(CellState state, Configuration configuration, Settings settings, long now) {
        this.now = now;
        this.state = state;
        this.configuration = configuration;
        this.nodes = new NodeTable(state, configuration, layouts);
        this.quotas = new Quotas(configuration, nodes::leastCpus);
        this.queues = new Queues(configuration, quotas::prices, nodes);
        this.grounds = new Grounds(configuration, queues);
        this.free = new FreeGpus(state, nodes);
        this.mig = new MigNodes(state, configuration, nodes);
        this.soonest = new MigOrder(state, nodes.names(), mig.rules());
        this.tenants = new Tenants(state, configuration);
        this.drains = new MigDrains(this);
        this.licenses = new Licenses(configuration.licenses().values());
        this.reservations = new Reservations(configuration, nodes.names(), now);
        var topology =
                new Topology(
                        configuration.switches().values(),
                        Topology.blocks(
                                configuration.cluster().blocks(), List.copyOf(state.nodes())),
                        nodes.names());
        types = new GpuTypes(nodes.kinds());
        List<Kind> kinds = nodes.engineKinds(tenants.caps(), types);
        String named = configuration.cluster().packing();
        packing = named == null || !Policies.live().contains(named) ? null : named;
        policy =
                packing == null
                        ? settings.policy()
                        : Policies.of(packing, kinds.stream().map(Kind::asEmpty).toList());
        engine =
                new Scheduling(
                        new Cluster(kinds, nodes.kindNumbers(), topology.network),
                        settings.with(policy),
                        grounds.preemption(),
                        licenses.totals());
        classes =
                new FitClasses(
                        configuration,
                        nodes,
                        topology,
                        reservations,
                        licenses,
                        tenants,
                        engine,
                        mig);
        switchWaits = new SwitchWaits(configuration, now);
        deadlines = new Alarms(now);
        unshared = engine.association(0);
        state.nodes().forEach(this::open);
        if (policy.learns()) {
            state.jobsFrom(Arrivals.first(state.highestJob())).forEach(this::arrived);
        }
        state.fairShares().ifPresent(quotas::booked);
        if (quotas.budgeted()) {
            long booked = state.fairShares().map(Quotas::bookedUntil).orElse(0L);
            state.ended().descendingSet().stream()
                    .takeWhile(job -> job.endedAt() >= booked)
                    .forEach(quotas::ended);
        }
        state.holding().forEach(job -> note(state.knownJob(job)));
        state.pending().forEach(job -> note(state.knownJob(job)));
    }

    private void arrived(JobStatus job) {
        arrivals.came(job.job().value(), types.shape(job.description().request()));
    }

    /// The policy knows the jobs of now.
    void learn() {
        if (policy.learns()) {
            arrivals.teach(policy, state.highestJob());
        }
    }

    /// Time has come on, and what has changed is whole: it is found out who stands on a guarantee.
    /// The jobs that have waited long enough for the switches that they want take any nodes from
    /// then on, those whose deadline is near the place of others; they are returned.
    Set<JobId> at(long time) {
        now = time;
        Set<JobId> over = switchWaits.at(time);
        over.addAll(deadlines.at(time));
        for (JobId id : over) {
            state.job(id).ifPresent(this::note);
        }
        for (JobId id : queues.settle(state::knownJob)) {
            state.job(id)
                    .filter(job -> job.run() != null)
                    .ifPresent(job -> hold(job, Objects.requireNonNull(job.run())));
        }
        return over;
    }

    /// The next time at which a job may start, or takes other nodes, though nothing has happened;
    /// `Long.MAX_VALUE` if none is.
    long next(long now) {
        return Math.min(engine.next(now), later(now));
    }

    private long later(long now) {
        long wait = Math.min(Math.min(switchWaits.next(), deadlines.next()), mig.next(now));
        return Math.min(Math.min(wait, reservations.next()), quotas.next(now));
    }

    /// Whether it still speaks of a node as it is.
    boolean covers(NodeStatus node) {
        return nodes.covers(node) && drains.cover(node);
    }

    /// Whether it does not speak of that time any more: a reservation has begun or ended since it
    /// was made.
    boolean outdated(long now) {
        return now >= reservations.next();
    }

    /// Whether it holds far more classes of requests than jobs wait: those of jobs long gone.
    boolean overgrown() {
        return classes.size() > SPARE_CLASSES + 4 * state.pending().size();
    }

    /// Whether it tells of jobs apart what this one wants to be told apart. One that waits no more
    /// asks nothing about nodes.
    boolean covers(JobStatus job) {
        JobDescription description = job.description();
        return tenants.covers(description)
                && (nodes.covers(description) || !state.pending().contains(job.job()));
    }

    /// A job that has just started holds these places, if it matters to anybody where they are, or
    /// it has its nodes to itself and so more of them than it asks for.
    ///
    /// @param shares whether others may have its CPUs too
    void seat(JobStatus job, List<Allocation> allocations, boolean shares) {
        boolean alone = job.description().request().where().sharing() == Sharing.NODE;
        if (nodes.seats() || shares || alone) {
            String partition = shares ? job.description().partition() : null;
            NodeTable.Held held = held(job, allocations, partition);
            engine.seat(job.job().value(), held.nodes(), held.demands());
        }
        drains.hold(job, allocations);
    }

    /// Opens or closes a node. True: that changed something.
    boolean open(NodeStatus node) {
        int index = nodes.index(node.node());
        changed(index);
        return engine.open(index, node.open());
    }

    /// Takes a job as it now is.
    void note(JobStatus job) {
        long id = job.job().value();
        changed(engine.nodesOf(id));
        if (policy.learns()) {
            arrived(job);
        }
        try {
            take(job);
        } catch (RuntimeException e) {
            throw DecisionFailed.on(id, e);
        }
        changed(engine.nodesOf(id));
    }

    /// The nodes, or what is held on them, may be other than before.
    private void changed(int... some) {
        free.changed(some);
        soonest.changed(some);
    }

    private void take(JobStatus job) {
        quotas.ended(job);
        mig.forget(job.job());
        Set<JobId> beside = nodes.split.beside(job.job());
        nodes.split.leave(job.job());
        Run run = job.run();
        if (run != null) {
            licenseWaits.forget(job.job());
            run(job, run);
        } else if (!job.eligible() || hindrance(job.description().request()) != null) {
            forget(job.job());
        } else {
            List<JobStatus> each = openTo(job);
            if (each.isEmpty()) {
                forget(job.job());
            } else {
                wait(job, each);
            }
        }
        beside.addAll(nodes.split.beside(job.job()));
        for (JobId id : beside) {
            JobStatus other = state.knownJob(id);
            Run its = other.run();
            if (its != null) {
                hold(other, its);
            }
        }
    }

    /// The job in each of its partitions that lets it start.
    List<JobStatus> openTo(JobStatus job) {
        return Partitions.each(job).stream()
                .filter(it -> Partitions.refusal(configuration, it.description()) == null)
                .toList();
    }

    /// The job in each of its partitions, in the order in which it is tried there.
    List<JobStatus> inOrder(JobStatus job) {
        return Partitions.inOrder(configuration, job.description()).stream()
                .map(it -> Transitions.in(job, it.partition()))
                .toList();
    }

    /// The job in the partition of which it is told why it waits.
    JobStatus toExplain(JobStatus job) {
        return Transitions.in(job, Partitions.first(configuration, job.description()));
    }

    /// The part of a job's priority in its partition that lasts, without its fair share.
    private long constant(JobStatus job) {
        JobDescription description = job.description();
        long all = job.rank().after(0);
        return description.partitions().size() == 1 || job.rank().version() == 0
                ? all
                : all
                        - job.rank().partition()
                        + Multifactor.partition(description.partition(), configuration);
    }

    /// What a request wants that is not there now, whatever is free; null if all is.
    @Nullable Reason hindrance(ResourceRequest asked) {
        ResourceRequest request = reservations.released(asked);
        if (!licenses.cover(request)) {
            return Reason.LICENSES;
        }
        return reservations.usable(request) ? null : Reason.RESERVATION;
    }

    private void run(JobStatus job, Run run) {
        long end = end(job, run);
        nodes.split.hold(job.job(), held(run), end);
        count(job, run);
        hold(job, run);
        drains.hold(job, run.allocations());
        long id = job.job().value();
        engine.share(id, licenses.counts(job.description().request()), end);
    }

    private void hold(JobStatus job, Run run) {
        // Nobody joins those who are on the CPUs that a run is to have back for itself.
        boolean returns = run.standstill().resuming();
        String sharers = run.sharesCpus() ? job.description().partition() : returns ? "" : null;
        NodeTable.Held held = held(job, held(run), sharers);
        engine.run(
                job.job().value(),
                held.nodes(),
                held.demands(),
                end(job, run),
                grounds.stake(job, run));
    }

    /// @param sharers the partition whose jobs may have its CPUs too; empty is that none may who
    ///   has them now, null that nobody has
    private NodeTable.Held held(
            JobStatus job, List<Allocation> allocations, @Nullable String sharers) {
        JobDescription description = job.description();
        return nodes.held(
                job.job(),
                description,
                allocations,
                tenants.of(description),
                sharers == null ? null : cpus -> tenants.held(sharers, cpus));
    }

    /// One that wants its CPUs back counts as if it had them, so that nobody new gets them.
    static List<Allocation> held(Run run) {
        return run.standstill().resuming() ? run.allocations() : run.held();
    }

    /// When a run ends at the latest.
    private long end(JobStatus job, Run run) {
        if (run.outcome() != null) {
            return end(run);
        }
        Suspensions standstill = run.standstill();
        long began =
                Math.max(run.placedAt(), run.startedAt() - Scheduling.SLACK_MILLIS)
                        + standstill.millis();
        long limit = standstill.suspended() ? 0 : job.description().timeLimitSeconds() * 1000;
        return Math.min(
                Scheduling.latestEnd(began, limit),
                Reserved.end(configuration, job.description(), run.placedAt()));
    }

    /// When a run that is being stopped has been.
    private static long end(Run run) {
        Long notice = Objects.requireNonNull(run.outcome()).endsBy();
        return notice == null ? run.placedAt() : notice;
    }

    /// Counts what a run holds for limits, from now on.
    void count(JobStatus job, Run run) {
        List<Allocation> allocations = run.allocations();
        Map<String, Long> gpus = nodes.gpusByType(allocations);
        List<Gres> gres = allocations.stream().flatMap(it -> it.gres().stream()).toList();
        queues.holds(job, run, gpus, gres, part -> allocations.get(part).cpus().size());
        quotas.holds(
                job,
                gpus,
                gres,
                part -> allocations.get(part).cpus().size(),
                Math.max(run.placedAt(), run.startedAt()),
                end(job, run));
    }

    /// Counts what a job will hold that nodes are cleared for.
    void count(JobStatus cleared) {
        queues.holds(cleared);
        Clearing clearing = Objects.requireNonNull(cleared.clearing());
        long limit = cleared.description().timeLimitSeconds() * 1000;
        var byType = new TreeMap<String, Long>();
        cleared.description()
                .request()
                .gpuTypes()
                .forEach((type, some) -> byType.put(type, some.longValue()));
        quotas.holds(
                cleared,
                byType,
                List.of(),
                part -> nodes.leastCpus(cleared.description(), part),
                clearing.since(),
                Scheduling.latestEnd(clearing.until(), limit));
    }

    private Entry entry(JobStatus job) {
        Long points = job.description().conditions().priority();
        var rank =
                new Rank(
                        points == null ? constant(job) : points * Placement.POINT,
                        points == null ? job.rank().agePerSecond() : 0,
                        points == null ? job.rank().ageCap() : 0,
                        job.submission(),
                        job.waitsSince());
        return new Entry(
                Partitions.choice(job.description()), fit(job), rank, waitsForRoomAlone(job));
    }

    /// Whether [Round#admits] and [Round#leaves] are true of a waiting job at all times.
    private boolean waitsForRoomAlone(JobStatus job) {
        JobDescription description = job.description();
        ArrayTask task = description.array();
        return description.het() == null
                && description.conditions().dependency() == null
                && (task == null || task.throttle() == 0)
                && !quotas.limit(job);
    }

    /// @param each the job in each of the partitions in which it may start now
    private void wait(JobStatus job, List<JobStatus> each) {
        JobDescription description = job.description();
        long id = job.job().value();
        Long points = description.conditions().priority();
        queues.forget(job.job());
        quotas.waits(job);
        List<Entry> entries = each.stream().map(this::entry).toList();
        licenseWaits.waits(job, entries.getFirst().fit());
        Long least = description.conditions().timeMinSeconds();
        mig.waits(job);
        Association association = points == null ? association(description) : unshared;
        long limit = description.timeLimitSeconds() * 1000;
        long lastStart = Eligibility.deadline(job);
        HetComponent set = description.het();
        if (set == null) {
            engine.wait(
                    id, entries, association, limit, least == null ? 0 : least * 1000, lastStart);
        } else {
            Entry only = entries.getFirst();
            engine.waitTogether(
                    id,
                    only.fit(),
                    association,
                    only.rank(),
                    limit,
                    set.first().value(),
                    set.size(),
                    lastStart);
        }
        Planned planned = job.planned();
        Clearing clearing = job.clearing();
        if (clearing != null) {
            List<Long> victims = clearing.victims().stream().map(it -> it.job().value()).toList();
            engine.clear(
                    id,
                    choice(job, clearing.partition()),
                    nodes.indices(clearing.nodes()),
                    clearing.since(),
                    clearing.until(),
                    victims);
            if (engine.clears(id)) {
                count(in(job, clearing.partition()));
            }
        } else if (planned != null && planned.end() == planned.start() + engine.length(id)) {
            int[] on = nodes.indices(planned.nodes());
            int lane = planned.gpu() == null ? -1 : nodes.lane(on[0], planned.gpu());
            JobStatus there = in(job, planned.partition());
            Drain drain = drains.of(there, planned, now);
            if (drain != null || planned.drains().isEmpty() || drains.brought(there, planned)) {
                engine.plan(
                        id,
                        new Expected(
                                Partitions.choice(there.description()),
                                planned.start(),
                                on,
                                lane,
                                planned.place(),
                                drain));
            }
        }
        if (engine.expected(id) != null) {
            Planned expected = Objects.requireNonNull(planned);
            quotas.plans(in(job, expected.partition()), expected.start());
        }
    }

    /// @param partition null of a job that names no more than one
    private static JobStatus in(JobStatus job, @Nullable String partition) {
        return partition == null ? job : Transitions.in(job, partition);
    }

    private static int choice(JobStatus job, @Nullable String partition) {
        return Partitions.choice(in(job, partition).description());
    }

    /// Whether nodes are being cleared for the job.
    boolean clears(JobId job) {
        return engine.clears(job.value());
    }

    /// What is expected of a waiting job now; null if nothing is.
    @Nullable Planned planned(JobId job) {
        var plan = engine.expected(job.value());
        return plan == null
                ? null
                : new Planned(
                        plan.start(),
                        plan.start() + engine.length(job.value()),
                        Arrays.stream(plan.nodes()).mapToObj(nodes::name).toList(),
                        plan.place(),
                        nodes.gpu(plan.nodes()[0], plan.lane()),
                        drains.geometries(plan.drain()),
                        named(state.knownJob(job).description(), plan.choice()));
    }

    /// One of a job's partitions, as it is said of what is kept for it there; null of a job that
    /// names no more than one.
    static @Nullable String named(JobDescription job, int choice) {
        return job.partitions().size() == 1 ? null : job.partitions().get(choice);
    }

    void forget(JobId job) {
        nodes.split.leave(job);
        quotas.forget(job);
        queues.forget(job);
        licenseWaits.forget(job);
        mig.forget(job);
        engine.forget(job.value());
    }

    /// A job is no longer known.
    void gone(JobId job) {
        changed(engine.nodesOf(job.value()));
        arrivals.gone(job.value());
        forget(job);
        quotas.gone(job);
    }

    private Association association(JobDescription job) {
        return associations.computeIfAbsent(
                new AssociationName(job.account(), job.user()),
                it -> engine.association(state.fairShare(it.account(), it.user())));
    }

    /// Takes the fair shares as they now are, and what is spent of budgets. False if the books went
    /// back: what they no longer have, the model does not know.
    boolean reshare(FairShares shares) {
        if (!quotas.booked(shares)) {
            return false;
        }
        engine.reshare(() ->
                associations.forEach((name, association) ->
                        Scheduling.share(
                                association, state.fairShare(name.account(), name.user()))));
        return true;
    }

    /// By which policy the jobs of a partition get one of the nodes with room.
    String packing(String partition) {
        Partition its = configuration.partitions().get(partition);
        boolean leastLoaded = its != null && its.partitionRules().ofNodes().leastLoaded();
        return leastLoaded ? "least-loaded" : packing == null ? "tightest" : packing;
    }

    /// What the job asks for now.
    FitClass fit(JobStatus job) {
        return fit(job, switchWaits.request(job));
    }

    /// What it asks for when it has waited for switches long enough.
    FitClass fitLater(JobStatus job) {
        ResourceRequest asked = job.description().request();
        SwitchLimit limit = asked.where().switches();
        return fit(job, limit == null || limit.endless() ? asked : asked.underAnySwitches());
    }

    private FitClass fit(JobStatus job, ResourceRequest asked) {
        JobDescription description = job.description();
        ResourceRequest request = reservations.released(asked);
        Long pressedFrom = grounds.pressedFrom(job);
        boolean pressed = pressedFrom != null && !deadlines.ahead(job.job(), pressedFrom);
        boolean takes =
                request.gpus().share() == null
                        && description.het() == null
                        && !tenants.ownsBlocks(description);
        Preemptor preemptor = takes ? grounds.preemptor(description, pressed) : null;
        Qos qos = configuration.qos().get(description.qos());
        boolean endless =
                request.where().reservation() != null && description.timeLimitSeconds() == 0;
        return classes.of(
                new FitClasses.Name(
                        description.partition(),
                        request,
                        preemptor,
                        endless,
                        qos == null || !qos.ownRules().has(Flag.NO_RESERVE),
                        tenants.of(description),
                        magnets(description, request)));
    }

    private List<String> magnets(JobDescription job, ResourceRequest request) {
        return request.where().reservation() == null ? reservations.magnets(job) : List.of();
    }

    /// The class of such jobs that take nobody's place.
    FitClass fit(JobDescription job) {
        ResourceRequest request = reservations.released(job.request());
        return classes.of(
                new FitClasses.Name(
                        job.partition(),
                        request,
                        null,
                        false,
                        true,
                        tenants.of(job),
                        magnets(job, request)));
    }

    /// Whether GPUs of a node, or of one that is open, could be divided so that the job can run.
    boolean divisible(JobStatus job, boolean open) {
        ResourceRequest request = job.description().request();
        return mig.could(request, job.description().partition(), only(request), open);
    }

    /// The nodes that a request's constraints and its reservation admit; null for all.
    @Nullable BitSet only(ResourceRequest request) {
        return classes.only(reservations.released(request));
    }
}
