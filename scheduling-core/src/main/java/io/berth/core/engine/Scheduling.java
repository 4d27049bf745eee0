package io.berth.core.engine;

import io.berth.core.engine.Clearings.Standing;
import io.berth.core.engine.HetSets.Seats;
import io.berth.core.engine.Plans.Plan;
import io.berth.core.engine.Search.Place;
import io.berth.core.engine.Waiting.Association;
import io.berth.core.engine.Waiting.Entry;
import io.berth.core.engine.Waiting.Rank;
import io.berth.core.packing.PackingPolicy;
import io.berth.core.packing.Policies;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Decides who starts now and who is expected to start when.
///
/// *Goals*, ranked: hold nothing twice; keep the order of priority; keep everything busy.
///
/// *Constraint* (backfill safety): a job that starts out of order leaves every expected start where
/// it is, or lets it come earlier: it uses only what is free until after its own latest end.
///
/// *Method*, in two passes over one timeline:
///
/// - The *start pass* walks the queue by fit class: of each class the first job that could still
///   fit is tried, in the order of priority over all classes. A class that found no room is closed
///   until something comes free on a node that it could use, so the depth of the queue costs
///   nothing. A job that finds no room gets an expected start and keeps its nodes from then on, as
///   long as the plan has place for it.
/// - The *plan pass* puts the plan in order. As long as it stands in the order of priority, each
///   job is moved to an earlier start if there is one, and never to a later one. From the first job
///   on that stands out of order, the plan is made anew.
///
/// A job that may start in several partitions stands in the queue of each and starts in the first
/// that it can. It is planned in one, where its expected start is soonest; in the others it then
/// stands only to start at once, as if nothing were kept for it.
///
/// *Example*: a node has 8 GPUs, 4 of them held until 12:00. A wants 8: it is expected at 12:00 and
/// keeps the node from then on. B wants 2 for half an hour and comes at 11:15: it starts. C wants 2
/// for an hour: it would end after 12:00, so it is expected after A.
///
/// Source: conservative backfilling, as in Mu'alem and Feitelson, "Utilization, Predictability,
/// Workloads, and User Runtime Estimates in Scheduling the IBM SP2 with Backfilling" (2001); with
/// [Backfill#EASY] one expected start for each partition, as in Lifka, "The ANL/IBM SP Scheduling
/// System" (1995).
public final class Scheduling {

    final Cluster cluster;
    final Pools pools;
    final Peaks peaks = new Peaks();
    final Queue queue = new Queue(peaks);
    final HetSets sets = new HetSets(this);
    final Plans plans;
    final Drains drains;
    final Clearings clearings;
    final Search search;
    final Later later;
    final Settings settings;
    final Preemption preemption;
    final Shortest shortestJobs = new Shortest();
    final Turns turns = new Turns(this);
    final Places places = new Places(this);
    final Passes passes = new Passes(this);
    private final Kept kept;
    private final List<FitClass> classes = new ArrayList<>();

    /// Those whose jobs have their blocks to themselves.
    final List<FitClass> ownersOfBlocks = new ArrayList<>();

    private final Map<Long, List<Waiting>> waiting = new HashMap<>();
    private int associations;
    private boolean preempts;

    /// How far the plan goes.
    public enum Backfill {
        /// No plan: a job that finds no room keeps all nodes that it could use from those behind
        /// it.
        OFF,
        /// The first job of each partition has an expected start.
        EASY,
        /// All jobs have one, as far as `depth` goes.
        CONSERVATIVE
    }

    /// What a run may take beyond its limit, to be launched and to be cleared away.
    public static final long SLACK_MILLIS = Buckets.SLACK_MILLIS;

    /// How long a run that is past its latest end is expected to take still.
    public static final long OVERRUN_MILLIS = Search.OVERRUN_MILLIS;

    /// What a run without limit is taken to last for those that wait behind it.
    static final long WITHOUT_LIMIT_MILLIS = TimeUnit.DAYS.toMillis(366);

    /// @param depth how many jobs have an expected start at most, with [Backfill#CONSERVATIVE]
    /// @param policy which of the nodes with room is taken by who starts
    /// @param parts of jobs that a pass starts before it is cut off, so that what it has decided
    ///   can be told; the next one goes on. Putting the plan in order is not cut off. It counts
    ///   what is decided and not what is tried, so that a pass with nothing kept from those before
    ///   is cut off where one is that has
    public record Settings(Backfill backfill, int depth, PackingPolicy policy, int parts) {

        public Settings(Backfill backfill, int depth, PackingPolicy policy) {
            this(backfill, depth, policy, 1000);
        }

        public static final Settings DEFAULT =
                new Settings(Backfill.CONSERVATIVE, 500, Policies.TIGHTEST);

        public Settings with(PackingPolicy other) {
            return new Settings(backfill, depth, other, parts);
        }

        public Settings with(int most) {
            return new Settings(backfill, depth, policy, most);
        }
    }

    public Scheduling(Cluster cluster, Settings settings) {
        this(cluster, settings, Preemption.DEFAULT);
    }

    /// @param pools how much there is of each thing that the whole cluster shares
    public Scheduling(Cluster cluster, Settings settings, Preemption preemption, int... pools) {
        this.cluster = cluster;
        this.pools = new Pools(pools);
        this.settings = settings;
        this.preemption = preemption;
        this.drains = new Drains(this);
        this.plans = new Plans(cluster, this.pools, drains, peaks);
        this.clearings = new Clearings(this);
        this.search = new Search(cluster, this.pools, settings.policy());
        this.later = new Later(cluster, this.pools);
        this.kept = new Kept(cluster);
    }

    public FitClass fitClass(FitClass.Terms terms) {
        return fitClass(terms, false);
    }

    /// @param divisible whether GPUs could be divided anew so that its jobs can start
    public FitClass fitClass(FitClass.Terms terms, boolean divisible) {
        var fit = new FitClass(classes.size(), terms, divisible, cluster.network);
        classes.add(fit);
        if (fit.ownsBlocks) {
            ownersOfBlocks.add(fit);
        }
        shortestJobs.admit(fit);
        peaks.admit(fit);
        cluster.kinds.forEach(kind -> kind.admit(fit));
        preempts |= fit.preemptor != null;
        judge(fit);
        return fit;
    }

    public Association association(long share) {
        return new Association(associations++, share);
    }

    /// Gives associations other fair shares: `change` calls [#share].
    public void reshare(Runnable change) {
        queue.reshare(change);
        plans.reshared();
        sets.all().forEach(HetSet::reordered);
        stale(true);
    }

    /// Only inside [#reshare].
    public static void share(Association association, long share) {
        association.share = share;
    }

    /// A job waits.
    ///
    /// @param limitMillis its time limit; 0 is none
    public Waiting wait(
            long job, FitClass fit, Association association, Rank rank, long limitMillis) {
        return wait(job, fit, association, rank, limitMillis, 0);
    }

    /// The same of a job that takes less time if it then starts sooner.
    ///
    /// @param leastMillis the lowest limit that it takes; 0 is its own
    public Waiting wait(
            long job,
            FitClass fit,
            Association association,
            Rank rank,
            long limitMillis,
            long leastMillis) {
        wait(job, List.of(new Entry(0, fit, rank)), association, limitMillis, leastMillis);
        return Objects.requireNonNull(waiting(job, 0));
    }

    /// The same of a job that may start in several partitions, in whichever it can start first.
    ///
    /// @param entries one for each
    public void wait(
            long job,
            List<Entry> entries,
            Association association,
            long limitMillis,
            long leastMillis) {
        wait(job, entries, association, limitMillis, leastMillis, Node.NEVER);
    }

    /// The same of a job that ends if it has not started before a time.
    ///
    /// @param lastStart that time; [Long#MAX_VALUE] if it does not end so
    public void wait(
            long job,
            List<Entry> entries,
            Association association,
            long limitMillis,
            long leastMillis,
            long lastStart) {
        long length = lengthOf(limitMillis);
        long shortest = leastMillis <= 0 ? length : Math.min(length, lengthOf(leastMillis));
        came(
                job,
                entries.stream()
                        .map(it -> new Waiting(job, it, association, length, shortest, lastStart))
                        .toList());
        enqueue(waitingIn(job).getFirst());
    }

    /// The component of a heterogeneous job waits: it starts with the others, or not at all.
    ///
    /// @param limitMillis its time limit; 0 is none
    /// @param first id of the first component
    /// @param size how many components there are
    /// @param lastStart before which it ends if it has not started; [Long#MAX_VALUE] if it does not
    public void waitTogether(
            long job,
            FitClass fit,
            Association association,
            Rank rank,
            long limitMillis,
            long first,
            int size,
            long lastStart) {
        long length = lengthOf(limitMillis);
        var entry = new Entry(0, fit, rank);
        var added = new Waiting(job, entry, association, length, length, lastStart);
        came(job, List.of(added));
        sets.add(added, first, size);
    }

    private void came(long job, List<Waiting> either) {
        forget(job);
        waiting.put(job, either);
        for (Waiting it : either) {
            it.either = either;
            shortestJobs.came(it);
            queue.came(it);
            passes.came(it);
        }
    }

    /// The job stands in the queue of each of its partitions, and nothing is kept for it.
    void enqueue(Waiting job) {
        for (Waiting it : job.either) {
            queue.remove(it);
            it.outbid = false;
            queue.add(it);
        }
    }

    /// Puts back who was set aside, if it still waits for its turn.
    void putBack(Waiting job) {
        if (waits(job) && job.line == null && job.plan == null && clearings.of(job.job) == null) {
            queue.add(job);
        }
    }

    /// Whether it has neither started, there or in another partition, nor gone.
    boolean waits(Waiting job) {
        return waitingIn(job.job).contains(job);
    }

    private List<Waiting> waitingIn(long job) {
        return waiting.getOrDefault(job, List.of());
    }

    static long lengthOf(long limitMillis) {
        return limitMillis <= 0 ? Node.NEVER : limitMillis + Buckets.SLACK_MILLIS;
    }

    /// A job waits that has an expected start already. A plan that the nodes do not allow is void.
    public void plan(long job, Expected expected) {
        Waiting planned = waiting(job, expected.choice());
        int[] nodes = expected.nodes();
        Drain drain = expected.drain();
        if (planned != null
                && (drain == null
                        ? kept.allowed(planned.fit, nodes)
                                && kept.allowed(planned.fit, nodes, expected.lane())
                        : planned.fit.admits(cluster.node(drain.node())))
                && Kept.open(planned, expected.start(), nodes)) {
            reserve(
                    new Plan(
                            planned,
                            expected.start(),
                            nodes,
                            expected.lane(),
                            expected.place(),
                            drain));
        }
    }

    /// A job waits whose nodes are being cleared already. A clearing that the nodes do not allow is
    /// void.
    ///
    /// @param choice for which of its partitions
    /// @param victims who give way, as far as they have not gone
    public void clear(
            long job, int choice, int[] nodes, long since, long until, List<Long> victims) {
        Waiting cleared = waiting(job, choice);
        if (cleared != null && kept.allowed(cleared.fit, nodes)) {
            cleared.either.forEach(queue::remove);
            clearings.add(new Standing(cleared, nodes, since, until, victims));
        }
    }

    /// Whether nodes are being cleared for that job.
    public boolean clears(long job) {
        return clearings.of(job) != null;
    }

    /// @param choice in which of its partitions
    @Nullable Waiting waiting(long job, int choice) {
        for (Waiting it : waitingIn(job)) {
            if (it.choice == choice) {
                return it;
            }
        }
        return null;
    }

    /// What is planned for a job that waits.
    ///
    /// @param choice in which of its partitions
    /// @param lane of the shared GPU of which the only part takes some; -1 for none
    /// @param place in the order in which the plan was made
    /// @param drain the GPUs that run empty for it and are then divided; null if none is
    public record Expected(
            int choice, long start, int[] nodes, int lane, long place, @Nullable Drain drain) {

        public Expected(long start, int[] nodes, int lane, long place) {
            this(start, nodes, lane, place, null);
        }

        public Expected(long start, int[] nodes, int lane, long place, @Nullable Drain drain) {
            this(0, start, nodes, lane, place, drain);
        }
    }

    /// The components of heterogeneous jobs that wait.
    public List<Long> together() {
        return sets.all().stream()
                .flatMap(set -> set.components().stream())
                .map(job -> job.job)
                .toList();
    }

    /// The jobs that have an expected start, and those that nodes are being cleared for.
    public List<Long> planned() {
        return Stream.concat(
                        plans.all().stream().map(Plan::job),
                        clearings.all().stream().map(Standing::job))
                .map(job -> job.job)
                .toList();
    }

    /// What is planned for a job that waits; null if nothing is.
    public @Nullable Expected expected(long job) {
        Plan plan = plans.of(job);
        return plan == null
                ? null
                : new Expected(
                        plan.job().choice,
                        plan.start(),
                        plan.nodes(),
                        plan.lane(),
                        plan.place(),
                        plan.drain());
    }

    /// How long a job that waits will hold its nodes at most, in milliseconds.
    public long length(long job) {
        List<Waiting> known = waitingIn(job);
        return known.isEmpty() ? 0 : end(known.getFirst(), 0);
    }

    /// When a job that waits, and all that start with it, would have ended if they started now;
    /// `Long.MAX_VALUE` for never.
    public long until(long job, long now) {
        List<Waiting> known = waitingIn(job);
        return known.isEmpty() ? now : Turns.until(known.getFirst(), now);
    }

    /// The same of any job with that limit; 0 is none.
    public static long untilAtMost(long now, long limitMillis) {
        return Search.end(now, lengthOf(limitMillis));
    }

    /// A job holds resources.
    ///
    /// @param placedAt when it took them
    /// @param limitMillis its time limit; 0 is none
    public void run(long job, int[] nodes, Demand[] demands, long placedAt, long limitMillis) {
        run(job, nodes, demands, latestEnd(placedAt, limitMillis), null);
    }

    /// A job holds resources.
    ///
    /// @param until when it ends at the latest
    /// @param stake null if it gives way to nobody
    public void run(long job, int[] nodes, Demand[] demands, long until, @Nullable Stake stake) {
        dequeue(job);
        cluster.run(job, nodes, demands, until, stake);
        clearings.changed(job);
        drains.changed(job);
    }

    /// Whether that GPU runs empty for a job that is expected to start on it.
    public boolean drains(String gpu) {
        return drains.has(gpu);
    }

    /// The jobs for which GPUs run empty, in the order in which that was planned.
    public List<Long> drained() {
        return drains.none()
                ? List.of()
                : plans.inOrder()
                        .filter(plan -> plan.drain() != null)
                        .map(it -> it.job().job)
                        .toList();
    }

    /// A run holds instances of a GPU that runs empty, since it began.
    ///
    /// @param instances by lane
    public void holds(long job, String gpu, List<Demand> instances) {
        drains.hold(gpu, job, instances);
    }

    /// Which CPUs of a node a run takes that has just begun; null if it may have none together with
    /// others.
    public Shared.@Nullable Choice choice(long job, int node, long now) {
        return cluster.choice(job, node, now);
    }

    /// A job that has just started holds exactly this: what it holds of what kinds of nodes count
    /// is known since.
    public void seat(long job, int[] nodes, Demand[] demands) {
        cluster.seat(job, nodes, demands);
    }

    /// A job that holds resources holds so much of each pool, too, until it ends.
    public void share(long job, int[] counts, long until) {
        pools.run(job, counts, until);
    }

    /// When a run ends at the latest.
    ///
    /// @param limitMillis its time limit; 0 is none
    public static long latestEnd(long placedAt, long limitMillis) {
        return placedAt
                + (limitMillis <= 0 ? WITHOUT_LIMIT_MILLIS : limitMillis + Buckets.SLACK_MILLIS);
    }

    /// A job neither waits nor holds anything.
    public void forget(long job) {
        dequeue(job);
        cluster.leave(job);
        pools.leave(job);
        clearings.changed(job);
        drains.changed(job);
    }

    /// The nodes that a job holds, or will by what is planned; none for one that is not known.
    public int[] nodesOf(long job) {
        return cluster.nodesOf(job);
    }

    private void dequeue(long job) {
        List<Waiting> known = waiting.remove(job);
        if (known != null) {
            known.forEach(shortestJobs::left);
            known.forEach(queue::left);
            plans.remove(job);
            known.forEach(sets::remove);
            clearings.remove(job);
        }
    }

    /// Opens a node for work, or closes it. True: it was not so before.
    public boolean open(int index, boolean open) {
        if (!cluster.open(index, open)) {
            return false;
        }
        classes.forEach(this::judge);
        for (Plan plan : plans.all()) {
            for (int node : plan.nodes()) {
                stale(stale() || (node == index && !open));
            }
        }
        return true;
    }

    /// Whether any class of jobs may have the place of others.
    boolean preempts() {
        return preempts;
    }

    private void judge(FitClass fit) {
        fit.capable = places.widths(fit).anyMatch(it -> search.couldHold(it, false));
        boolean was = fit.able;
        FitClass least =
                places.widths(fit)
                        .filter(it -> search.couldHold(it, true))
                        .findFirst()
                        .orElse(null);
        fit.least = least == null ? fit : least;
        fit.able = least != null;
        if (fit.able != was) {
            queue.judged(fit);
        }
    }

    /// Where a job that is expected to start in another partition could start sooner here; it is
    /// expected there no more then. Null: it could not.
    @Nullable Place sooner(Waiting job, long now, Decisions decisions) {
        Plan other = Objects.requireNonNull(plans.of(job.job));
        if (other.drain() != null || !turns.plannable(job, now, decisions)) {
            return null; // What runs empty for it is not given back to see what could be.
        }
        plans.remove(job.job);
        Place found = places.earliest(job, now, decisions);
        if (found == null
                || (found.start() <= now
                        ? !turns.startable(job, now, decisions)
                        : found.start() >= other.start())) {
            plans.add(other);
            return null;
        }
        enqueue(job);
        job.limited = !turns.startable(job, now, decisions);
        return found;
    }

    List<FitClass> classes() {
        return classes;
    }

    /// The next time at which a job may start though nothing has happened; `Long.MAX_VALUE` if none
    /// is: an expected start, the end of a clearing, a run that may be preempted from then on; at
    /// once where the last pass was cut off.
    public long next(long now) {
        return passes.cutOff() ? now : Math.min(plans.next(now), clearings.next(now));
    }

    /// Whether a plan pass would do something that start passes cannot: the order of priority has
    /// changed, or an expected start has passed.
    public boolean stale() {
        return passes.stale();
    }

    void stale(boolean is) {
        passes.stale(is);
    }

    /// Starts what can start now, and plans for what cannot.
    public void startPass(long now, Decisions decisions) {
        passes.start(now, decisions);
    }

    /// Puts the plan in order, then does a start pass.
    public void planPass(long now, Decisions decisions) {
        passes.plan(now, decisions);
    }

    /// What the last pass did.
    public PassTally tally() {
        return passes.tally();
    }

    /// Nothing is known of what classes could have.
    void open() {
        classes.forEach(fit -> fit.reach.open());
        queue.open();
    }

    boolean mayPlan(FitClass fit) {
        return fit.plans && mayPlan(fit.partition);
    }

    boolean mayPlan(HetSet set) {
        return set.components().stream().allMatch(it -> mayPlan(it.fit));
    }

    private boolean mayPlan(int partition) {
        return switch (settings.backfill()) {
            case OFF -> false;
            case EASY -> !plans.ofPartition(partition);
            case CONSERVATIVE -> plans.size() < settings.depth();
        };
    }

    /// The first job in the queue that may have an expected start; null if there is none.
    ///
    /// @param expiring whether one may be that ends if it does not start in time
    @Nullable Waiting nextToPlan(boolean expiring, long now) {
        return queue.first(this::mayPlan, expiring, now);
    }

    /// Starts the job there, in the engine and in words, for as long as it may stay, or on more
    /// nodes if it may have more.
    void start(Waiting job, Place found, long now, Decisions decisions) {
        boolean kept = clearings.of(job.job) != null;
        passes.starts(job, now);
        dequeue(job.job);
        long length = job.shortens() && !kept ? places.longest(job, found, now) : job.length;
        if (length < job.length) {
            decisions.shortened(job, length);
        }
        Place at =
                kept || job.set != null ? found : places.widest(job, found, length, now, decisions);
        Demand[] demands = cluster.demands(job.fit, at.nodes(), at.lane());
        long end = end(length, now);
        cluster.run(job.job, at.nodes(), demands, end, null);
        pools.run(job.job, job.fit.pools, end);
        passes.started(at.nodes().length);
        decisions.started(job, at.nodes(), at.lane());
    }

    /// Starts all components of a set there.
    void start(Seats found, long now, Decisions decisions) {
        inOrder(found).forEach((job, place) -> start(job, place, now, decisions));
    }

    private static Map<Waiting, Place> inOrder(Seats found) {
        var ordered = new TreeMap<Waiting, Place>(Comparator.comparingLong(Waiting::job));
        ordered.putAll(found.seats());
        return ordered;
    }

    static long end(Waiting job, long start) {
        return end(job.length, start);
    }

    private static long end(long length, long start) {
        return start + (length == Node.NEVER ? WITHOUT_LIMIT_MILLIS : length);
    }

    void plan(Waiting job, Place place, long number, Decisions decisions) {
        reserve(new Plan(job, place.start(), place.nodes(), place.lane(), number, place.drain()));
        decisions.planned(job, place.start(), place.nodes(), number);
    }

    /// The job is out of the queue, and in those of its other partitions only to start at once.
    private void reserve(Plan plan) {
        queue.remove(plan.job());
        plans.add(plan);
        for (Waiting other : plan.job().either) {
            if (other != plan.job() && !other.outbid) {
                boolean queued = other.line != null;
                queue.remove(other);
                other.outbid = true;
                if (queued) {
                    queue.add(other);
                }
            }
        }
    }

    /// Plans all components of a set.
    ///
    /// @param number of the first of them
    /// @return of the last
    long plan(Seats found, long number, Decisions decisions) {
        long last = number - 1;
        for (var seat : inOrder(found).entrySet()) {
            plan(seat.getKey(), seat.getValue(), ++last, decisions);
        }
        return last;
    }

    /// The job goes back to the queue without an expected start, and those that start with it.
    void unplan(Waiting job, Decisions decisions) {
        for (Waiting each : job.together()) {
            Plan gone = plans.remove(each.job);
            if (gone != null) {
                if (each.set == null) {
                    enqueue(each);
                }
                decisions.unplanned(gone.job());
            }
        }
    }

    /// The first job of each partition that waits for room, in the order of priority; not one that
    /// limits hold back.
    public Map<Integer, Waiting> heads(long now, Decisions decisions) {
        return new Heads(this, now, decisions).byPartition();
    }
}
