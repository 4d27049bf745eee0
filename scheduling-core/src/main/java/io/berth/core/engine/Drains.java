package io.berth.core.engine;

import io.berth.core.engine.Cluster.Creditor;
import io.berth.core.engine.Drain.Emptied;
import io.berth.core.engine.Drain.Hold;
import io.berth.core.engine.Plans.Plan;
import io.berth.core.engine.Search.Place;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// The GPUs that run empty for jobs with an expected start, and are then divided anew for them.
///
/// Nobody counts on an instance of such a GPU: one that is free is kept, and what a run holds of it
/// the run *owes*: nobody has it after. As long as the division is far, a free one is *lent* to who
/// has given it back by then. All that is part of the expected start: it goes when that goes.
final class Drains {

    /// A GPU of which a run is not expected to end within that time does not run empty for anybody.
    private static final long LONGEST_MILLIS = TimeUnit.DAYS.toMillis(180);

    /// For whom a GPU runs empty that is only looked at.
    private static final long NOBODY = Long.MIN_VALUE;

    private static final class Emptying {
        final long mark;
        final int node;
        final List<Demand> all;
        final TreeMap<Long, List<Demand>> held = new TreeMap<>();

        /// Of each job that it runs empty for, when the division may begin.
        final TreeMap<Long, Long> jobs = new TreeMap<>();

        final TreeSet<Long> lifted = new TreeSet<>();

        Emptying(long mark, int node, List<Demand> all) {
            this.mark = mark;
            this.node = node;
            this.all = all;
        }

        /// Its instances that nobody holds, by lane.
        List<Demand> free() {
            var free = new ArrayList<Demand>();
            for (Demand lane : all) {
                int count = lane.gpus();
                for (List<Demand> ofRun : held.values()) {
                    for (Demand one : ofRun) {
                        count -= one.gpusOf(lane.lane());
                    }
                }
                if (count > 0) {
                    free.add(new Demand(0, 0, count, lane.lane()));
                }
            }
            return free;
        }

        /// Whether all look at what could be if it did not run empty.
        boolean lifted() {
            return lifted.size() == jobs.size();
        }

        long divided() {
            return jobs.values().stream().mapToLong(Long::longValue).min().orElse(0);
        }
    }

    /// @param empty when the last run has left them
    private record Ready(Drain drain, long empty) {

        long at() {
            return empty + drain.millis();
        }
    }

    private final Scheduling all;
    private final Cluster cluster;
    private final TreeMap<String, Emptying> gpus = new TreeMap<>();

    /// Tells what is kept of one GPU from what is kept of others, and from what jobs have reserved.
    private long marks;

    Drains(Scheduling all) {
        this.all = all;
        this.cluster = all.cluster;
    }

    boolean none() {
        return gpus.isEmpty();
    }

    /// Whether that GPU runs empty for somebody.
    boolean has(String gpu) {
        return gpus.containsKey(gpu);
    }

    void add(Plan plan) {
        Drain drain = plan.drain();
        if (drain != null) {
            add(plan.job().job, drain, plan.start() - drain.millis());
        }
    }

    private void add(long job, Drain drain, long divided) {
        for (Emptied gpu : drain.gpus()) {
            Emptying its = gpus.get(gpu.name());
            if (its == null) {
                its = new Emptying(--marks, drain.node(), gpu.all());
                for (Hold hold : gpu.held()) {
                    its.held.put(hold.job(), hold.instances());
                }
                gpus.put(gpu.name(), its);
            }
            its.jobs.put(job, divided);
            keep(its);
            its.held.keySet().forEach(this::owe);
        }
    }

    void remove(Plan plan) {
        Drain drain = plan.drain();
        if (drain != null) {
            remove(plan.job().job, drain);
            cluster.touch(drain.node());
        }
    }

    private void remove(long job, Drain drain) {
        for (Emptied gpu : drain.gpus()) {
            Emptying its = gpus.get(gpu.name());
            if (its == null) {
                continue;
            }
            its.jobs.remove(job);
            its.lifted.remove(job);
            if (its.jobs.isEmpty()) {
                gpus.remove(gpu.name());
            }
            keep(its);
            its.held.keySet().forEach(this::owe);
        }
    }

    /// Looks at what could be without a plan.
    void lift(Plan plan) {
        lift(plan, true);
    }

    void putBack(Plan plan) {
        lift(plan, false);
    }

    private void lift(Plan plan, boolean lift) {
        Drain drain = plan.drain();
        for (Emptied gpu : drain == null ? List.<Emptied>of() : drain.gpus()) {
            Emptying its = gpus.get(gpu.name());
            if (its != null) {
                boolean before = its.lifted();
                if (lift) {
                    its.lifted.add(plan.job().job);
                } else {
                    its.lifted.remove(plan.job().job);
                }
                if (its.lifted() != before) {
                    keep(its);
                    its.held.keySet().forEach(this::owe);
                }
            }
        }
    }

    /// A run holds that of a GPU, by lane, since it began.
    void hold(String gpu, long run, List<Demand> instances) {
        Emptying its = gpus.get(gpu);
        if (its != null && its.held.putIfAbsent(run, instances) == null) {
            keep(its);
            owe(run);
        }
    }

    /// A run has changed, or is gone.
    void changed(long run) {
        if (gpus.isEmpty()) {
            return;
        }
        boolean known = false;
        for (Emptying its : gpus.values()) {
            if (its.held.containsKey(run)) {
                known = true;
                if (!cluster.runs(run)) {
                    its.held.remove(run);
                    keep(its);
                }
            }
        }
        if (known) {
            owe(run);
        }
    }

    private void keep(Emptying its) {
        List<Demand> free = its.lifted() ? List.of() : its.free();
        cluster.keep(its.mark, its.node, free, its.divided());
    }

    /// What a run holds of GPUs that run empty nobody has after it.
    private void owe(long run) {
        int[] nodes = cluster.nodesOf(run);
        Demand[] held = cluster.demandsOf(run);
        var debts = new Demand[nodes.length];
        Arrays.fill(debts, Demand.NOTHING);
        boolean any = false;
        for (Emptying its : gpus.values()) {
            List<Demand> owed = its.lifted() ? null : its.held.get(run);
            for (Demand one : owed == null ? List.<Demand>of() : owed) {
                for (int part = 0; part < nodes.length; part++) {
                    if (nodes[part] == its.node && held[part].gpusOf(one.lane()) > 0) {
                        debts[part] = debts[part].and(one);
                        any = true;
                    }
                }
            }
        }
        cluster.owe(run, Creditor.DRAIN, any ? debts : null);
    }

    /// Whether a job that is not lifted counts on the end of a run, which holds some of a GPU that
    /// runs empty for it.
    boolean counts(long run) {
        return gpus.values().stream().anyMatch(its -> !its.lifted() && its.held.containsKey(run));
    }

    /// The jobs for whom GPUs run empty of which one of these runs holds some.
    Collection<Long> at(List<Long> runs) {
        var jobs = new TreeSet<Long>();
        for (Emptying its : gpus.values()) {
            if (runs.stream().anyMatch(its.held::containsKey)) {
                jobs.addAll(its.jobs.keySet());
            }
        }
        return jobs;
    }

    /// The earliest start of a job on GPUs that run empty for it; null if there is none before a
    /// time, or if it would take something from who is expected to start.
    @Nullable Place earliest(Waiting job, long now, long before, Decisions decisions) {
        return job.fit.divisible
                ? earliest(job, now, before, decisions.drains(job, beside(job, now, false), before))
                : null;
    }

    /// Whether nothing but what is planned for those behind it keeps a job from GPUs that run empty
    /// for it.
    boolean blocked(Waiting job, long now, Decisions decisions) {
        if (!job.fit.divisible) {
            return false;
        }
        List<Plan> behind =
                all.plans.all().stream()
                        .filter(plan -> Waiting.compare(job, plan.job(), now) < 0)
                        .toList();
        if (behind.isEmpty()) {
            return false;
        }
        List<Drain> some = decisions.drains(job, beside(job, now, true), Node.NEVER);
        behind.forEach(all.plans::lift);
        Place place = earliest(job, now, Node.NEVER, some);
        behind.forEach(all.plans::putBack);
        return place != null;
    }

    /// Those for whom GPUs run empty, in the order in which that was planned.
    private List<Long> beside(Waiting job, long now, boolean ahead) {
        return all.plans
                .inOrder()
                .filter(plan -> plan.drain() != null && plan.job() != job)
                .filter(plan -> !ahead || Waiting.compare(plan.job(), job, now) < 0)
                .map(plan -> plan.job().job)
                .toList();
    }

    private @Nullable Place earliest(Waiting job, long now, long before, List<Drain> some) {
        Place best = null;
        long start = Math.min(before, job.lastStart);
        for (Ready ready : soonest(some, now)) {
            if (ready.at() >= start) {
                break;
            }
            Drain drain = ready.drain();
            long at = earliest(job, drain, Math.max(ready.at(), now + 1), start, now);
            if (at < start && spares(drain, at, now)) {
                start = at;
                best = new Place(at, new int[] {drain.node()}, Search.WHOLE, drain);
            }
        }
        all.later.gaveUp |= best == null && some.size() >= Drain.STEPS;
        return best;
    }

    private List<Ready> soonest(List<Drain> some, long now) {
        return some.stream()
                .map(drain -> new Ready(drain, empty(drain, now)))
                .filter(ready -> ready.empty() - now <= LONGEST_MILLIS)
                .sorted(
                        Comparator.comparingLong(Ready::at)
                                .thenComparing(ready -> fresh(ready.drain())))
                .limit(Drain.STEPS)
                .toList();
    }

    /// Whether it is of GPUs that do not run empty yet.
    private boolean fresh(Drain drain) {
        return !drain.gpus().stream().allMatch(gpu -> gpus.containsKey(gpu.name()));
    }

    /// When the last run has left the GPUs; never if one of them is told to give way for others.
    private long empty(Drain drain, long now) {
        long empty = 0;
        for (Emptied gpu : drain.gpus()) {
            empty = Math.max(empty, gpu.since() == 0 ? now : gpu.since());
            for (Hold hold : gpu.held()) {
                boolean given = all.clearings.clears(hold.job());
                empty = given ? Node.NEVER : Math.max(empty, cluster.end(hold.job(), now));
            }
        }
        if (empty == Node.NEVER) {
            return Node.NEVER - drain.millis();
        }
        // One that is being divided for longer than that takes is taken to be ready soon.
        return Math.max(empty, now + Search.OVERRUN_MILLIS - drain.millis());
    }

    /// When the node and the pools have room for the rest.
    private long earliest(Waiting job, Drain drain, long from, long before, long now) {
        Node node = cluster.node(drain.node());
        if (!node.open || !job.fit.admits(node) || job.fit.ownsBlocks) {
            return Node.NEVER;
        }
        long[] hours = job.fit.hours.of(node.index);
        long at = from;
        for (int turn = 0; turn < Later.INSTANTS && at < before; turn++) {
            Demand rest = drain.rest();
            at = node.earliest(rest, job.length, at, before, Search.clock(now), hours);
            if (at >= before || job.fit.pools.length == 0) {
                return at;
            }
            long shared = all.pools.earliest(job.fit.pools, job.length, at, Search.clock(now));
            if (shared == at) {
                return at;
            }
            at = shared;
        }
        all.later.gaveUp |= at < before;
        return Node.NEVER;
    }

    /// Whether nobody counts on what the GPUs would not give any more.
    private boolean spares(Drain drain, long start, long now) {
        if (!fresh(drain)) {
            return true;
        }
        add(NOBODY, drain, start - drain.millis());
        Node node = cluster.node(drain.node());
        boolean spares =
                drain.gpus().stream()
                        .flatMap(gpu -> gpu.all().stream())
                        .allMatch(lane -> node.covers(lane.lane(), now));
        remove(NOBODY, drain);
        return spares;
    }
}
