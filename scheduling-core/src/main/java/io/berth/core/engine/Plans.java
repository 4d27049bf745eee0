package io.berth.core.engine;

import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// The jobs that have an expected start and nodes reserved from then on.
final class Plans {

    /// @param lane of the shared GPU of which the job takes a part; [Search#WHOLE] for none
    /// @param place in the order in which the plan was made
    /// @param drain the GPUs that run empty for the job; null if none does
    record Plan(Waiting job, long start, int[] nodes, int lane, long place, @Nullable Drain drain) {

        /// What the job has on its nodes from its start on, beside GPUs that are yet to be divided.
        Demand[] demands(Cluster cluster) {
            return drain == null
                    ? cluster.demands(job.fit, nodes, lane)
                    : new Demand[] {drain.rest()};
        }
    }

    private final Cluster cluster;
    private final Pools pools;
    private final Drains drains;
    private final Peaks peaks;
    private final TreeMap<Long, Plan> plans = new TreeMap<>();
    private int followers;
    private final TreeSet<Plan> byPlace = by(Plan::place);
    private final TreeSet<Plan> byStart = by(Plan::start);

    /// The jobs with a plan that may start in other partitions, too.
    private final TreeSet<Long> choosing = new TreeSet<>();

    /// The plans of jobs that limits may keep back.
    private final TreeMap<Long, Plan> limitable = new TreeMap<>();

    Plans(Cluster cluster, Pools pools, Drains drains, Peaks peaks) {
        this.cluster = cluster;
        this.pools = pools;
        this.drains = drains;
        this.peaks = peaks;
    }

    private static TreeSet<Plan> by(ToLongFunction<Plan> key) {
        return new TreeSet<>(
                Comparator.comparingLong(key).thenComparingLong(plan -> plan.job().job));
    }

    /// How many jobs are planned; the components of a set count as one.
    int size() {
        return plans.size() - followers;
    }

    Collection<Plan> all() {
        return plans.values();
    }

    /// Those of jobs that may start in other partitions, too.
    List<Plan> ofSeveral() {
        return choosing.stream().map(plans::get).toList();
    }

    /// Those of jobs that limits may keep back.
    Collection<Plan> limitable() {
        return limitable.values();
    }

    /// In the order in which they were made.
    Stream<Plan> inOrder() {
        return byPlace.stream();
    }

    @Nullable Plan of(long job) {
        return plans.get(job);
    }

    boolean ofPartition(int partition) {
        return plans.values().stream().anyMatch(plan -> plan.job().fit.partition == partition);
    }

    void add(Plan plan) {
        put(plan);
        if (plan.job().either.size() > 1) {
            choosing.add(plan.job().job);
        }
        followers += follows(plan.job()) ? 1 : 0;
        byPlace.add(plan);
        byStart.add(plan);
        Waiting job = plan.job();
        job.fit.planned.add(plan);
        if (job.set == null) {
            peaks.planned(job);
        }
        cluster.reserve(
                job.job,
                plan.nodes(),
                plan.demands(cluster),
                plan.start(),
                Scheduling.end(job, plan.start()));
        pools.reserve(job.job, job.fit.pools, plan.start(), Scheduling.end(job, plan.start()));
        drains.add(plan);
    }

    private void put(Plan plan) {
        Waiting job = plan.job();
        plans.put(job.job, plan);
        if (!job.unlimited) {
            limitable.put(job.job, plan);
        }
        job.plan = plan;
    }

    /// Gives a plan another place in the order.
    Plan move(Plan plan, long place) {
        Waiting job = plan.job();
        var moved = new Plan(job, plan.start(), plan.nodes(), plan.lane(), place, plan.drain());
        List.of(byPlace, byStart, job.fit.planned)
                .forEach(order -> {
                    order.remove(plan);
                    order.add(moved);
                });
        put(moved);
        return moved;
    }

    private static boolean follows(Waiting job) {
        return job.set != null && job.job != job.set.first;
    }

    @Nullable Plan remove(long job) {
        Plan plan = plans.remove(job);
        if (plan != null) {
            plan.job().plan = null;
            choosing.remove(job);
            limitable.remove(job);
            followers -= follows(plan.job()) ? 1 : 0;
            byPlace.remove(plan);
            byStart.remove(plan);
            FitClass fit = plan.job().fit;
            fit.planned.remove(plan);
            if (fit.planned.isEmpty()) {
                peaks.unplanned(fit);
            }
            cluster.leave(job);
            pools.leave(job);
            drains.remove(plan);
        }
        return plan;
    }

    /// Gives the job's nodes free for a while, to see whether it could have better ones.
    void lift(Plan plan) {
        cluster.lift(plan.job().job);
        pools.lift(plan.job().job);
        drains.lift(plan);
    }

    void putBack(Plan plan) {
        cluster.putBack(plan.job().job);
        pools.putBack(plan.job().job);
        drains.putBack(plan);
    }

    /// Associations have other fair shares.
    void reshared() {
        plans.values().forEach(it -> peaks.unplanned(it.job().fit));
        plans.values().stream().map(Plan::job).filter(it -> it.set == null).forEach(peaks::planned);
    }

    /// Those that should have started by then.
    List<Plan> due(long now) {
        return byStart.stream().takeWhile(plan -> plan.start() <= now).toList();
    }

    /// The next expected start after a time; [Node#NEVER] if there is none.
    long next(long now) {
        return byStart.stream()
                .mapToLong(Plan::start)
                .dropWhile(start -> start <= now)
                .findFirst()
                .orElse(Node.NEVER);
    }

    /// An order in which the shortest jobs stand first.
    static TreeSet<Plan> byLength() {
        return by(plan -> plan.job().shortest);
    }

    /// The job that was planned last of those that have a plan; null if there is none.
    @Nullable Waiting last() {
        return byPlace.isEmpty() ? null : byPlace.last().job();
    }

    /// The highest place given; 0 before the first.
    long lastPlace() {
        return byPlace.isEmpty() ? 0 : byPlace.last().place();
    }
}
