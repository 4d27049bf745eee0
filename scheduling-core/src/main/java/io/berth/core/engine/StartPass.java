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
    private static final long MOST_LOOKS = 1_000_000;

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

    StartPass(Scheduling all, long now, Decisions decisions) {
        this.all = all;
        this.now = now;
        this.decisions = decisions;
        this.line = new PriorityQueue<>(Waiting.order(now));
        this.off = all.settings.backfill() == Backfill.OFF;
    }

    void run() {
        all.classes().forEach(fit -> fit.settled = fit.reach.end());
        reopen(all.cluster.settle());
        all.clearings.all().forEach(it -> lineUp(it.job()));
        all.plans.due(now).forEach(plan -> lineUp(plan.job()));
        all.queue.settle().forEach(this::push);
        if (all.preempts()) {
            pushPreemptors();
        }
        for (Waiting next = next(); next != null; next = next()) {
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
            all.open();
        }
    }

    /// Those who may have the place of others.
    private void pushPreemptors() {
        for (Plan plan : all.plans.all()) {
            if (mayPreempt(plan.job())) {
                lineUp(plan.job());
            }
        }
        for (FitClass fit : List.copyOf(all.queue.classes())) {
            if (fit.preemptor != null) {
                push(fit);
            }
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
        if (many(fresh)) {
            all.open();
            all.queue.settle().forEach(this::push);
            all.plans.all().forEach(this::lineUp);
            return;
        }
        long[] gains = new long[all.classes().size()];
        var raised = new ArrayList<FitClass>();
        for (int i = fresh.nextSetBit(0); i >= 0; i = fresh.nextSetBit(i + 1)) {
            raise(all.cluster.node(i), gains, raised);
        }
        for (FitClass fit : raised) {
            push(fit);
            lineUp(fit, gains[fit.id]);
        }
        lineUpOn(fresh);
    }

    /// Something came free on a node: raises the reach of the classes that could have it now.
    ///
    /// @param gains by class, until when it could have a node
    /// @param raised classes that could have one
    private void raise(Node node, long[] gains, List<FitClass> raised) {
        int free = node.open ? Math.min(node.freeGpus(), node.kind.gpus) : -1;
        for (int whole = 0; whole <= free; whole++) {
            for (FitClass fit : node.kind.classes(whole)) {
                long until = all.search.until(fit, node, now);
                if (until > now) {
                    if (gains[fit.id] == 0) {
                        raised.add(fit);
                    }
                    gains[fit.id] = Math.max(gains[fit.id], until);
                    fit.reach.raise(until);
                }
            }
        }
    }

    /// The planned jobs of a class that could start if it had a node until then.
    private void lineUp(FitClass fit, long gain) {
        if (gain > now) {
            for (Plan plan : all.plans.ofClass(fit)) {
                if (!lasts(plan, gain)) {
                    return;
                }
                lineUp(plan);
            }
        }
    }

    /// The planned jobs that have one of these nodes reserved.
    private void lineUpOn(BitSet nodes) {
        for (int i = nodes.nextSetBit(0); i >= 0; i = nodes.nextSetBit(i + 1)) {
            for (Node.Step step : all.cluster.node(i).reservations()) {
                Plan plan = all.plans.of(step.job());
                if (plan != null) {
                    lineUp(plan);
                }
            }
        }
    }

    private void lineUp(Plan plan) {
        if (hopeful(plan)) {
            lineUp(plan.job());
        }
    }

    private boolean lasts(Plan plan, long gain) {
        long length = plan.job().length;
        return gain == Node.NEVER || (length != Node.NEVER && now + length <= gain);
    }

    /// Something of a pool came free: all who want some may gain by it.
    private void reopenShared() {
        shared = true;
        for (FitClass fit : all.classes()) {
            if (fit.pools.length > 0) {
                fit.reach.open();
                fit.settled = Node.NEVER;
                push(fit);
            }
        }
        for (Plan plan : all.plans.all()) {
            if (plan.job().fit.pools.length > 0) {
                lineUp(plan.job());
            }
        }
    }

    /// The first job that could start or be planned.
    private @Nullable Waiting next() {
        Waiting toPlan = all.nextToPlan(now);
        if (toPlan != null) {
            lineUp(toPlan);
        }
        return line.poll();
    }

    private void lineUp(Waiting job) {
        if (inLine.add(job.job)) {
            line.add(job);
        }
    }

    /// Until when the class could have one of the nodes from now on; `now` or less if it could not.
    private long gain(FitClass fit, BitSet nodes) {
        long gain = many(nodes) ? Node.NEVER : 0;
        for (int i = nodes.nextSetBit(0); i >= 0 && gain < Node.NEVER; ) {
            gain = Math.max(gain, until(fit, i));
            i = nodes.nextSetBit(i + 1);
        }
        return gain;
    }

    private boolean many(BitSet nodes) {
        return (long) nodes.cardinality() * all.classes().size() > MOST_LOOKS;
    }

    private long until(FitClass fit, int node) {
        Node at = all.cluster.node(node);
        return at.open ? all.search.until(fit, at, now) : now;
    }

    /// Whether a planned job could start by what came free: on a node that its class could have
    /// until then, or on one that is reserved for itself.
    private boolean gains(Plan plan, long gain, BitSet nodes) {
        boolean gains = lasts(plan, gain);
        for (int i = 0; i < plan.nodes().length && !gains; i++) {
            gains = nodes.get(plan.nodes()[i]);
        }
        return gains;
    }

    /// Puts the next job of a class in line that could start, if there is one.
    private void push(FitClass fit) {
        if (!fit.able) {
            return;
        }
        Waiting head = all.queue.head(fit, Math.max(open(fit), lastToPreempt(fit)), now);
        if (head != null) {
            lineUp(head);
        }
    }

    private void start(Waiting job, Place place) {
        all.start(job, place, now, decisions);
        reopen(all.cluster.settle());
    }

    /// The last bucket of which the class could start a job.
    private int open(FitClass fit) {
        long reach = fit.reach.end();
        return reach <= now ? -1 : Buckets.lastBefore(reach, now);
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
        Place place = due && hopeful(plan) ? search(plan) : null;
        if (place != null) {
            start(job, place);
        } else if (!clear(job) && plan.start() <= now) {
            all.stale(true);
        }
    }

    /// Where a planned job could start now, had it nothing reserved.
    private @Nullable Place search(Plan plan) {
        Waiting job = plan.job();
        all.plans.lift(plan);
        Place place;
        if (job.fit.parts() == 1 && Search.end(now, job.length) > job.fit.settled) {
            var among = (BitSet) touched.clone();
            among.set(plan.nodes()[0]);
            place = all.search.among(among, job.fit, now, job.length);
        } else {
            place = all.search.now(job.fit, now, job.length);
        }
        all.plans.putBack(plan);
        return place;
    }

    /// Whether a planned job could start now, by what is known without looking for it: on nodes
    /// that its class could have for so long, and on its own.
    private boolean hopeful(Plan plan) {
        FitClass fit = plan.job().fit;
        int found = fit.reach.nodesUntil(Search.end(now, plan.job().length));
        for (int i = 0; i < plan.nodes().length && found < fit.parts(); i++) {
            Node own = all.cluster.node(plan.nodes()[i]);
            found += Arrays.stream(fit.ways(own.kind.number)).anyMatch(own::fits) ? 1 : 0;
        }
        return found >= fit.parts();
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
            place = search(fit, Buckets.longest(job.bucket));
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

    private @Nullable Place search(FitClass fit, long length) {
        long end = Search.end(now, length);
        boolean known = fit.parts() == 1 && end > fit.settled;
        Place place =
                known
                        ? all.search.among(touched, fit, now, length)
                        : all.search.now(fit, now, length);
        if (place == null) {
            all.search.learn(fit, end, known ? fit.settled : now);
        }
        return place;
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
        Waiting last = all.plans.last();
        return last != null && Waiting.compare(job, last, now) < 0;
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
        fit.reach.lower(now);
    }

    private void setAside(@Nullable Waiting job) {
        if (job != null) {
            all.queue.remove(job);
            aside.add(job);
        }
    }
}
