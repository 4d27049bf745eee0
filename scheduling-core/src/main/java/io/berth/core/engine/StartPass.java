package io.berth.core.engine;

import io.berth.core.engine.Clearings.Standing;
import io.berth.core.engine.Plans.Plan;
import io.berth.core.engine.Scheduling.Backfill;
import io.berth.core.engine.Search.Place;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
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

    /// Of each class, from which bucket on nobody can give way for its jobs in this pass.
    private final Map<FitClass, Integer> hopeless = new HashMap<>();

    /// Nodes on which something came free before or in this pass.
    private final BitSet touched = new BitSet();

    /// Whether something of a pool came free before or in this pass.
    private boolean shared;

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
        all.clearings.all().forEach(it -> lineUp(it.job()));
        for (Plan plan : all.plans.all()) {
            if (plan.start() <= now || mayPreempt(plan.job())) {
                lineUp(plan.job());
            }
        }
        for (FitClass fit : List.copyOf(all.queue.classes())) {
            push(fit);
        }
        for (Waiting next = line.poll(); next != null; next = line.poll()) {
            inLine.remove(next.job);
            Plan plan = all.plans.of(next.job);
            Standing cleared = all.clearings.of(next.job);
            if (cleared != null) {
                tryCleared(cleared);
            } else if (plan != null) {
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
        if (all.pools.settle()) {
            reopenShared();
        }
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

    /// Something of a pool came free: all who want some may gain by it.
    private void reopenShared() {
        shared = true;
        for (FitClass fit : all.classes()) {
            if (fit.pools.length > 0) {
                fit.reach = Node.NEVER;
                push(fit);
            }
        }
        for (Plan plan : all.plans.all()) {
            if (plan.job().fit.pools.length > 0) {
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
            if (node.open && fit.admits(node)) {
                gain = Math.max(gain, all.search.until(fit, node, now));
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
        int most = all.mayPlan(fit) ? last() : Math.max(open(fit), lastToPreempt(fit));
        Waiting head = all.queue.head(fit, most, now);
        if (head != null) {
            lineUp(head);
        }
    }

    private void start(Waiting job, Place place) {
        boolean full = !all.mayPlan(job.fit);
        all.start(job, place, now, decisions);
        reopen(all.cluster.settle());
        if (full && all.mayPlan(job.fit)) {
            List.copyOf(all.queue.classes()).forEach(this::push);
        }
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
        boolean due =
                plan.start() <= now
                        || (shared && job.fit.pools.length > 0)
                        || gains(plan, gain(job.fit, touched), touched);
        if ((!due && !mayPreempt(job)) || !decisions.admits(job)) {
            return;
        }
        all.plans.lift(plan);
        Place place = due ? all.search.now(job.fit, now, job.length) : null;
        all.plans.putBack(plan);
        if (place != null) {
            start(job, place);
        } else if (!clear(job) && plan.start() <= now) {
            all.stale(true);
        }
    }

    /// Starts a job on the nodes that were cleared for it, as soon as they are free.
    private void tryCleared(Standing cleared) {
        Waiting job = cleared.job();
        boolean hopeful = all.clearings.hopeful(cleared, now);
        if (hopeful && all.clearings.free(cleared, now)) {
            start(job, new Place(now, cleared.nodes()));
        } else if (!hopeful) {
            all.clearings.abandon(job, decisions);
            reopen(all.cluster.settle());
            push(job.fit);
        }
    }

    private boolean mayPreempt(Waiting job) {
        return job.bucket <= lastToPreempt(job.fit);
    }

    /// The last bucket of a class for whose jobs somebody may give way.
    private int lastToPreempt(FitClass fit) {
        boolean any = fit.preemptor != null && all.cluster.standsOn(fit.preemptor.grounds());
        return any ? hopeless.getOrDefault(fit, Buckets.count()) - 1 : -1;
    }

    /// Has nodes cleared for the job, or starts it at once where only plans of jobs behind it stand
    /// in its way. False: nobody can give way for it.
    private boolean clear(Waiting job) {
        if (!mayPreempt(job)) {
            return false;
        }
        Clearing clearing = VictimSearch.find(all, job, now);
        if (clearing == null) {
            hopeless.put(job.fit, job.bucket);
            return false;
        }
        displace(job, clearing.nodes());
        if (clearing.victims().isEmpty()) {
            start(job, new Place(now, clearing.nodes()));
        } else {
            all.clearings.begin(job, clearing, now, decisions);
            reopen(all.cluster.settle());
        }
        return true;
    }

    /// Voids the plans of jobs behind it that need these nodes.
    private void displace(Waiting job, int[] nodes) {
        var needed = new BitSet();
        Arrays.stream(nodes).forEach(needed::set);
        for (Plan plan : List.copyOf(all.plans.all())) {
            if (Waiting.compare(job, plan.job(), now) < 0
                    && Arrays.stream(plan.nodes()).anyMatch(needed::get)) {
                all.unplan(plan.job(), decisions);
                all.stale(true);
                push(plan.job().fit);
            }
        }
    }

    private void tryQueued(Waiting job) {
        FitClass fit = job.fit;
        Place place = null;
        boolean open = job.bucket <= open(fit);
        if ((open || mayPreempt(job)) && !decisions.admits(job)) {
            setAside(job);
            return;
        }
        if (open) {
            place = all.search.now(fit, now, Buckets.longest(job.bucket));
            if (place == null) {
                fit.reach = Math.min(fit.reach, Math.min(all.search.reach, end(job) - 1));
            }
        }
        if (place != null) {
            start(job, place);
        } else if (clear(job)) {
            return;
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
        Place place = decisions.admits(job) ? all.later.earliest(job.fit, now, job.length) : null;
        if (place == null) {
            setAside(job);
        } else if (place.start() <= now) {
            start(job, place);
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
                if (fit.admits(node) && Hours.openUntil(fit.hours.of(node.index), now) > now) {
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
