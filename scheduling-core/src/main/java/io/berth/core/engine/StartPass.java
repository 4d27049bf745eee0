package io.berth.core.engine;

import io.berth.core.engine.Plans.Plan;
import io.berth.core.engine.Scheduling.Backfill;
import io.berth.core.engine.Search.Place;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// One start pass. See [Scheduling].
final class StartPass {

    /// Above so many pairs of nodes and classes, all classes are opened without looking.
    private static final long MOST_LOOKS = 200_000;

    private final Scheduling all;
    private final long now;
    private final Decisions decisions;
    private final PriorityQueue<Waiting> line;
    private final Set<Long> plannedInLine = new HashSet<>();
    private final List<Waiting> aside = new ArrayList<>();
    private final boolean off;

    StartPass(Scheduling all, long now, Decisions decisions) {
        this.all = all;
        this.now = now;
        this.decisions = decisions;
        this.line = new PriorityQueue<>(Waiting.order(now));
        this.off = all.settings.backfill() == Backfill.OFF;
    }

    void run() {
        reopen(all.cluster.settle());
        for (FitClass fit : List.copyOf(all.queue.classes())) {
            push(fit);
        }
        for (Waiting next = line.poll(); next != null; next = line.poll()) {
            if (plannedInLine.remove(next.job)) {
                tryPlanned(next);
            } else {
                tryQueued(next);
                push(next.fit);
            }
        }
        all.search.kept.clear();
        aside.forEach(all.queue::add);
        if (off) {
            all.classes().forEach(fit -> fit.reach = Node.NEVER);
        }
    }

    /// Opens the classes, and calls up the planned jobs, that could gain by what came free.
    private void reopen(BitSet touched) {
        boolean everything = (long) touched.cardinality() * all.classes().size() > MOST_LOOKS;
        for (FitClass fit : all.classes()) {
            for (int i = touched.nextSetBit(0); i >= 0; i = touched.nextSetBit(i + 1)) {
                if (everything || fit.reach == Node.NEVER) {
                    fit.reach = Node.NEVER;
                    break;
                }
                Node node = all.cluster.node(i);
                Demand least = fit.leastOn(node.kind.number);
                if (least != null && node.open && fit.admits(node)) {
                    long until = node.until(least, now, Search.floor(now));
                    fit.reach = Math.max(fit.reach, until);
                }
            }
        }
        for (Plan plan : all.plans.all()) {
            if (plan.start() <= now || everything || gains(plan.job().fit, touched)) {
                plannedInLine.add(plan.job().job);
                line.add(plan.job());
            }
        }
    }

    private boolean gains(FitClass fit, BitSet touched) {
        for (int i = touched.nextSetBit(0); i >= 0; i = touched.nextSetBit(i + 1)) {
            Node node = all.cluster.node(i);
            Demand least = fit.leastOn(node.kind.number);
            if (least != null && node.open && node.fits(least) && fit.admits(node)) {
                return true;
            }
        }
        return false;
    }

    /// Puts the next job of a class in line, if one could start or be planned.
    private void push(FitClass fit) {
        if (!fit.able) {
            return;
        }
        Waiting head = all.queue.head(fit, all.mayPlan(fit) ? last() : open(fit), now);
        if (head != null) {
            line.add(head);
        }
    }

    private static int last() {
        return Buckets.count() - 1;
    }

    /// The last bucket of which the class could start a job.
    private int open(FitClass fit) {
        return fit.reach <= now ? -1 : Buckets.lastBefore(fit.reach, now);
    }

    private void tryPlanned(Waiting job) {
        Plan plan = all.plans.of(job.job);
        if (plan == null) {
            return;
        }
        if (!decisions.admits(job)) {
            all.unplan(job, decisions);
            setAside(job);
            return;
        }
        all.plans.lift(plan);
        int[] nodes = all.search.now(job.fit, now, job.length);
        all.plans.reserve(plan);
        if (nodes != null) {
            all.start(job, nodes, now, decisions);
        } else if (plan.start() <= now) {
            all.stale(true);
        }
    }

    private void tryQueued(Waiting job) {
        FitClass fit = job.fit;
        int[] nodes = null;
        if (job.bucket <= open(fit)) {
            if (!decisions.admits(job)) {
                setAside(job);
                return;
            }
            nodes = all.search.now(fit, now, Buckets.longest(job.bucket));
            if (nodes == null) {
                fit.reach = Math.min(fit.reach, Math.min(all.search.reach, end(job) - 1));
            }
        }
        if (nodes != null) {
            all.start(job, nodes, now, decisions);
        } else if (off) {
            keep(fit);
        } else if (all.mayPlan(fit)) {
            plan(job);
        }
    }

    private long end(Waiting job) {
        long longest = Buckets.longest(job.bucket);
        return longest == Node.NEVER ? Node.NEVER : now + longest;
    }

    /// Gives the job an expected start, unless limits hold it back. What was planned before stands.
    private void plan(Waiting job) {
        Place place = decisions.admits(job) ? all.search.earliest(job.fit, now, job.length) : null;
        if (place == null) {
            setAside(job);
        } else if (place.start() <= now) {
            all.start(job, place.nodes(), now, decisions);
        } else {
            all.stale(all.stale() || ahead(job));
            all.plan(job, place, all.plans.lastPlace() + 1, decisions);
        }
    }

    /// Whether a job that stands behind it was planned before it.
    private boolean ahead(Waiting job) {
        for (Plan plan : all.plans.all()) {
            if (Waiting.compare(job, plan.job(), now) < 0) {
                return true;
            }
        }
        return false;
    }

    /// Without backfill, a job that finds no room keeps its nodes from those behind it.
    private void keep(FitClass fit) {
        for (Kind kind : all.cluster.kinds) {
            for (Node node : fit.leastOn(kind.number) == null ? List.<Node>of() : kind.nodes) {
                if (fit.admits(node)) {
                    all.search.kept.set(node.index);
                }
            }
        }
        fit.reach = now;
    }

    private void setAside(@Nullable Waiting job) {
        if (job != null) {
            all.queue.remove(job);
            aside.add(job);
        }
    }
}
