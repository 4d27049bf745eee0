package io.berth.core.engine;

import io.berth.core.engine.HetSets.Seats;
import io.berth.core.engine.Plans.Plan;
import io.berth.core.engine.Unplanned.Cause;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Comparator;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Questions about what could be, beside what runs and what is planned. They change nothing.
public final class Outlook {

    private final Scheduling all;

    public Outlook(Scheduling all) {
        this.all = all;
    }

    /// Whether a class's smallest part has room on a node from now to the end of its limit, beside
    /// what is planned there. The node need not be open nor admitted.
    ///
    /// @param limitMillis 0 is none
    public boolean lasts(FitClass fit, int node, long limitMillis, long now) {
        Node at = all.cluster.node(node);
        long until = now;
        for (Demand way : fit.widest.ways(at.kind.number)) {
            long there = at.until(way, Search.clock(now), fit.hours.of(node));
            long mates = all.cluster.matesUntil(at, way, Search.clock(now));
            until = Math.max(until, Math.min(there, mates));
        }
        long length = Scheduling.lengthOf(limitMillis);
        return until == Node.NEVER || (length != Node.NEVER && until >= now + length);
    }

    /// When a run is expected to end: soon if it should have.
    public long ends(long job, long now) {
        return all.cluster.end(job, now);
    }

    /// Whether a node is open for work.
    public boolean up(int node) {
        return all.cluster.node(node).open;
    }

    /// Whether a node is open to a class for a job of that limit that starts now.
    ///
    /// @param limitMillis 0 is none
    public boolean open(FitClass fit, int node, long limitMillis, long now) {
        long until = Hours.openUntil(fit.hours.of(node), now);
        long length = Scheduling.lengthOf(limitMillis);
        return until == Node.NEVER || (length != Node.NEVER && until >= now + length);
    }

    /// Whether enough is free of the pools that a class wants.
    public boolean shares(FitClass fit, long now) {
        return all.pools.until(fit.pools, now) > now;
    }

    /// Until when enough nodes for a class are open to it from now on, were they empty.
    public long opensUntil(FitClass fit, long now) {
        return fit.hours == Hours.ALWAYS ? Node.NEVER : all.search.opensUntil(fit, now);
    }

    /// Whether a class's jobs may use a node, whatever it has.
    public boolean admits(FitClass fit, int node) {
        return fit.admits(all.cluster.node(node));
    }

    /// Whether a class's jobs are bound to few domains of a level of the network.
    public boolean bound(FitClass fit) {
        return fit.maxSwitches > 0;
    }

    /// Those of some nodes that are in a domain which, with as many others as a class allows, has
    /// enough of them for a job of the class that is bound to few domains of a level.
    public BitSet together(FitClass fit, int[] nodes) {
        int[] domainOf = all.cluster.network.binding(fit.level).domainOf();
        int[] counts = new int[all.cluster.network.domains(fit.level)];
        Arrays.stream(nodes)
                .map(node -> domainOf[node])
                .filter(it -> it >= 0)
                .forEach(it -> counts[it]++);
        int[] sorted = Arrays.stream(counts).sorted().toArray();
        int others =
                Arrays.stream(
                                sorted,
                                Math.max(0, sorted.length - fit.maxSwitches + 1),
                                sorted.length)
                        .sum();
        int least = sorted.length < fit.maxSwitches ? 0 : sorted[sorted.length - fit.maxSwitches];
        var together = new BitSet();
        for (int node : nodes) {
            int own = domainOf[node] < 0 ? 0 : counts[domainOf[node]];
            together.set(node, own > 0 && others + Math.min(own, least) >= fit.parts());
        }
        return together;
    }

    /// Whether a class's smallest part could run on a node, were it open and empty.
    public boolean couldHold(FitClass fit, int node) {
        return fit.widest.leastOn(all.cluster.kind(node)) != null;
    }

    /// Whether nobody runs on a node, or in its block, beside whom a class's jobs cannot be.
    public boolean alone(FitClass fit, int node) {
        Node at = all.cluster.node(node);
        Demand least = fit.leastOn(at.kind.number);
        return least == null
                || (at.strangers(least.tenant()) == 0 && !all.cluster.mated(at, least.tenant()));
    }

    /// Whether a class's smallest part has room on a node now, if nobody waited.
    public boolean fits(FitClass fit, int node) {
        Node at = all.cluster.node(node);
        return at.fitsAny(fit.widest.ways(at.kind.number));
    }

    /// Whether a job of that class and limit would start now and move no expected start.
    ///
    /// @param limitMillis 0 is none
    public boolean startable(FitClass fit, long limitMillis, long now) {
        return fit.able && all.search.now(fit, now, Scheduling.lengthOf(limitMillis)) != null;
    }

    /// The runs that would have to give way so that a waiting job can start now; empty if it cannot
    /// start in anybody's place, or needs nobody's.
    ///
    /// @param choice in which of its partitions
    /// @param beyond whether it may take the place of those who are exempt for a time, too, and of
    ///   any number
    public List<Long> victims(long job, int choice, boolean beyond, long now, Decisions decisions) {
        Waiting waits = all.waiting(job, choice);
        Clearing clearing =
                waits == null ? null : VictimSearch.find(all, waits, beyond, now, decisions);
        return clearing == null ? List.of() : clearing.victims();
    }

    /// The component that keeps a heterogeneous job from starting now for want of a seat; null if
    /// all find one, or not all of them wait.
    ///
    /// @param job any of its components
    public @Nullable Long unseated(long job, long now) {
        Waiting waits = all.waiting(job, 0);
        Waiting unseated =
                waits == null || waits.set == null || !waits.set.complete()
                        ? null
                        : all.sets.unseated(waits.set, now);
        return unseated == null ? null : (Long) unseated.job;
    }

    /// Why a waiting job has no expected start: one is looked for again, as a pass does it. Null if
    /// it has one, if nodes are being cleared for it, or if it, or who starts with it, does not
    /// wait.
    ///
    /// @param choice in which of its partitions
    public @Nullable Unplanned unplanned(long job, int choice, long now, Decisions decisions) {
        Waiting waits = all.waiting(job, choice);
        if (waits == null
                || all.plans.of(job) != null
                || all.clearings.of(job) != null
                || (waits.set != null && !waits.set.complete())) {
            return null;
        }
        long from = Turns.allowedFrom(waits, now, decisions);
        Cause cause =
                waits.together().stream()
                        .map(it -> cause(it, now, from, decisions))
                        .max(Comparator.naturalOrder())
                        .orElseThrow();
        if (cause == Cause.PLAN && waits.set != null) {
            cause = cause(waits.set, now, from, decisions);
        }
        return new Unplanned(
                cause,
                switch (cause) {
                    case PLAN -> all.plans.size();
                    case SEARCH -> waits.set == null ? Later.INSTANTS : HetSets.INSTANTS;
                    case LIMITS, DEADLINE, NEVER, NO_RESERVE -> 0;
                });
    }

    /// The same of a job by itself, that limits let start from a time on.
    private Cause cause(Waiting job, long now, long from, Decisions decisions) {
        if (!job.fit.plans) {
            return Cause.NO_RESERVE;
        }
        if (!job.fit.plannable()) {
            return Cause.NEVER;
        }
        if (from == Node.NEVER || !Places.allowed(job, decisions)) {
            return Cause.LIMITS;
        }
        all.later.gaveUp = false;
        if (all.places.earliest(job, now, from, decisions) != null) {
            return Cause.PLAN;
        }
        return all.later.gaveUp ? Cause.SEARCH : job.expires() ? Cause.DEADLINE : Cause.NEVER;
    }

    /// The same of a set of which each component finds a start by itself.
    private Cause cause(HetSet set, long now, long from, Decisions decisions) {
        all.later.gaveUp = false;
        Seats seats = all.sets.earliest(set, now, from, Node.NEVER, decisions);
        if (seats.whole()) {
            return Cause.PLAN;
        }
        boolean late = set.lastStart() != Node.NEVER && seats.again() >= set.lastStart();
        return late && !all.later.gaveUp ? Cause.DEADLINE : Cause.SEARCH;
    }

    /// Asks a question as if nothing were planned for that job.
    public <T> T without(long job, Supplier<T> question) {
        Plan plan = all.plans.of(job);
        if (plan == null) {
            return question.get();
        }
        all.plans.lift(plan);
        try {
            return question.get();
        } finally {
            all.plans.putBack(plan);
        }
    }
}
