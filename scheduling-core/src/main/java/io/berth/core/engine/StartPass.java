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
    private final Set<Long> inLine = new HashSet<>();
    private final List<Waiting> aside = new ArrayList<>();
    private final boolean off;

    /// Nodes on which something came free before or in this pass.
    private final BitSet touched = new BitSet();

    /// The last planned job in the order of priority, while it is one.
    private @Nullable Waiting lastPlanned;

    StartPass(Scheduling all, long now, Decisions decisions) {
        this.all = all;
        this.now = now;
        this.decisions = decisions;
        this.line = new PriorityQueue<>(Waiting.order(now));
        this.off = all.settings.backfill() == Backfill.OFF;
    }

    void run() {
        reopen(all.cluster.settle());
        for (Plan plan : all.plans.all()) {
            if (plan.start() <= now) {
                lineUp(plan.job());
            }
        }
        for (FitClass fit : List.copyOf(all.queue.classes())) {
            push(fit);
        }
        for (Waiting next = line.poll(); next != null; next = line.poll()) {
            inLine.remove(next.job);
            Plan plan = all.plans.of(next.job);
            if (plan != null) {
                tryPlanned(plan);
            } else if (next.line != null) {
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

    /// Opens the classes, and calls up the planned jobs, that could gain by what came free on these
    /// nodes.
    private void reopen(BitSet fresh) {
        if (fresh.isEmpty()) {
            return;
        }
        touched.or(fresh);
        long[] gains = new long[all.classes().size()];
        for (FitClass fit : all.classes()) {
            gains[fit.id] = gain(fit, fresh);
            if (gains[fit.id] > fit.reach) {
                fit.reach = gains[fit.id];
                push(fit);
            }
        }
        for (Plan plan : all.plans.all()) {
            if (gains(plan, gains[plan.job().fit.id], fresh)) {
                lineUp(plan.job());
            }
        }
    }

    private void lineUp(Waiting job) {
        if (inLine.add(job.job)) {
            line.add(job);
        }
    }

    /// Until when the class could have one of the nodes from now on; `now` or less if it could not.
    private long gain(FitClass fit, BitSet nodes) {
        long gain = (long) nodes.cardinality() * all.classes().size() > MOST_LOOKS ? Node.NEVER : 0;
        for (int i = nodes.nextSetBit(0); i >= 0 && gain < Node.NEVER; ) {
            Node node = all.cluster.node(i);
            Demand least = fit.leastOn(node.kind.number);
            if (least != null && node.open && fit.admits(node)) {
                gain = Math.max(gain, node.until(least, now, Search.floor(now)));
            }
            i = nodes.nextSetBit(i + 1);
        }
        return gain;
    }

    /// Whether a planned job could start by what came free: on a node that its class could have
    /// until then, or on one that is reserved for itself.
    private boolean gains(Plan plan, long gain, BitSet nodes) {
        long length = plan.job().length;
        boolean gains = gain == Node.NEVER || (length != Node.NEVER && now + length <= gain);
        for (int i = 0; i < plan.nodes().length && !gains; i++) {
            gains = nodes.get(plan.nodes()[i]);
        }
        return gains;
    }

    /// Puts the next job of a class in line, if one could start or be planned.
    private void push(FitClass fit) {
        if (!fit.able) {
            return;
        }
        Waiting head = all.queue.head(fit, all.mayPlan(fit) ? last() : open(fit), now);
        if (head != null) {
            lineUp(head);
        }
    }

    private void start(Waiting job, int[] nodes) {
        all.start(job, nodes, now, decisions);
        reopen(all.cluster.settle());
    }

    private static int last() {
        return Buckets.count() - 1;
    }

    /// The last bucket of which the class could start a job.
    private int open(FitClass fit) {
        return fit.reach <= now ? -1 : Buckets.lastBefore(fit.reach, now);
    }

    private void tryPlanned(Plan plan) {
        Waiting job = plan.job();
        if (plan.start() > now && !gains(plan, gain(job.fit, touched), touched)) {
            return;
        }
        if (!decisions.admits(job)) {
            return;
        }
        all.plans.lift(plan);
        int[] nodes = all.search.now(job.fit, now, job.length);
        all.plans.putBack(plan);
        if (nodes != null) {
            start(job, nodes);
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
            start(job, nodes);
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
            start(job, place.nodes());
        } else {
            all.stale(all.stale() || ahead(job));
            all.plan(job, place, all.plans.lastPlace() + 1, decisions);
        }
    }

    /// Whether a job that stands behind it was planned before it.
    private boolean ahead(Waiting job) {
        if (lastPlanned == null || all.plans.of(lastPlanned.job) == null) {
            lastPlanned = all.plans.last(now);
        }
        boolean ahead = lastPlanned != null && Waiting.compare(job, lastPlanned, now) < 0;
        lastPlanned = ahead ? lastPlanned : job;
        return ahead;
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
