package io.berth.core.engine;

import java.util.Collection;
import java.util.Comparator;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// The jobs that have an expected start and nodes reserved from then on.
final class Plans {

    /// @param lane of the shared GPU of which the job takes a part; [Search#WHOLE] for none
    /// @param place in the order in which the plan was made
    record Plan(Waiting job, long start, int[] nodes, int lane, long place) {}

    private final Cluster cluster;
    private final Pools pools;
    private final TreeMap<Long, Plan> plans = new TreeMap<>();
    private final TreeSet<Plan> byPlace =
            new TreeSet<>(
                    Comparator.comparingLong(Plan::place)
                            .thenComparingLong(plan -> plan.job().job));

    Plans(Cluster cluster, Pools pools) {
        this.cluster = cluster;
        this.pools = pools;
    }

    int size() {
        return plans.size();
    }

    Collection<Plan> all() {
        return plans.values();
    }

    @Nullable Plan of(long job) {
        return plans.get(job);
    }

    boolean ofPartition(int partition) {
        return plans.values().stream().anyMatch(plan -> plan.job().fit.partition == partition);
    }

    void add(Plan plan) {
        plans.put(plan.job().job, plan);
        byPlace.add(plan);
        Waiting job = plan.job();
        cluster.reserve(
                job.job,
                plan.nodes(),
                cluster.demands(job.fit, plan.nodes(), plan.lane()),
                plan.start(),
                Scheduling.end(job, plan.start()));
        pools.reserve(job.job, job.fit.pools, plan.start(), Scheduling.end(job, plan.start()));
    }

    @Nullable Plan remove(long job) {
        Plan plan = plans.remove(job);
        if (plan != null) {
            byPlace.remove(plan);
            cluster.leave(job);
            pools.leave(job);
        }
        return plan;
    }

    /// Gives the job's nodes free for a while, to see whether it could have better ones.
    void lift(Plan plan) {
        cluster.lift(plan.job().job);
        pools.lift(plan.job().job);
    }

    void putBack(Plan plan) {
        cluster.putBack(plan.job().job);
        pools.putBack(plan.job().job);
    }

    /// The next expected start after a time; [Node#NEVER] if there is none.
    long next(long now) {
        long next = Node.NEVER;
        for (Plan plan : plans.values()) {
            if (plan.start() > now) {
                next = Math.min(next, plan.start());
            }
        }
        return next;
    }

    /// The last job of the plan in the order of priority; null if there is none.
    @Nullable Waiting last(long now) {
        Waiting last = null;
        for (Plan plan : plans.values()) {
            last = last == null || Waiting.compare(plan.job(), last, now) > 0 ? plan.job() : last;
        }
        return last;
    }

    /// The highest place given; 0 before the first.
    long lastPlace() {
        return byPlace.isEmpty() ? 0 : byPlace.last().place();
    }
}
