package io.berth.core.engine;

import io.berth.core.engine.Node.Clock;
import io.berth.core.engine.Plans.Plan;
import io.berth.core.engine.Search.Bid;
import io.berth.core.engine.Search.Place;
import io.berth.core.packing.PackingPolicy;
import io.berth.core.packing.Policies;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// Finds the nodes for a job as early as possible. It looks at the nodes that will be ready first,
/// at most [#STEPS] of them after the first that has room (more for large gangs, and where those
/// will never do): it may miss an earlier start on a large cluster. For a gang that must lie under
/// few leaf switches, or in segments, it looks at all nodes under them, or of their blocks, one
/// choice after the other. Of nodes that are ready at one time it takes the one that is left with
/// the least now: what the policy would say of them then is not known. It counts steps and never
/// time, so that the same state gives the same answer.
final class Later {

    /// Nodes looked at for an expected start.
    static final int STEPS = 512;

    /// Instants tried for a gang's expected start.
    static final int INSTANTS = 64;

    private static final Demand[] NOWHERE = {};

    /// Whether a search has found nothing because it stopped at its bounds, since somebody set this
    /// back.
    boolean gaveUp;

    private final Cluster cluster;
    private final Pools pools;
    private final Compact compact;

    Later(Cluster cluster, Pools pools) {
        this.cluster = cluster;
        this.pools = pools;
        this.compact = new Compact(cluster.network);
    }

    /// The earliest start on the fewest nodes that hold the job that is found within the steps;
    /// null if there is none.
    ///
    /// @param from a start must not be earlier than that
    @Nullable Place earliest(Waiting job, long now, long from) {
        return earliest(
                new Wish(
                        job.fit.least,
                        now,
                        from,
                        job.length,
                        Node.NEVER,
                        job.lastStart,
                        new int[0]));
    }

    /// An earlier start for a planned job whose reservation is lifted; null if none is found.
    ///
    /// @param from a start must not be earlier than that
    @Nullable Place earlier(Plan plan, long now, long from) {
        Waiting job = plan.job();
        FitClass fit = job.fit.onParts(plan.nodes().length);
        int[] own =
                Arrays.stream(cluster.nodesOf(job.job))
                        .filter(it -> cluster.node(it).open && fit.admits(cluster.node(it)))
                        .toArray(); // Those of its blocks too.
        return earliest(new Wish(fit, now, from, job.length, plan.start(), job.lastStart, own));
    }

    /// @param from a start must not be earlier than that
    /// @param before a start must be earlier than that
    /// @param lastStart before which the job must have started
    /// @param own nodes of which more is free than their readiness says
    record Wish(
            FitClass fit,
            long now,
            long from,
            long length,
            long before,
            long lastStart,
            int[] own) {

        /// When a demand has room on a node from a time on; [Node#NEVER] if never, or if that is
        /// later than the last time that matters.
        long earliest(Cluster cluster, Node node, @Nullable Demand demand, long since, long last) {
            if (demand == null) {
                return Node.NEVER;
            }
            long[] hours = fit.hours.of(node.index);
            Clock clock = Search.clock(now);
            long at = node.earliest(demand, length, since, last, clock, hours);
            while (fit.ownsBlocks && at != Node.NEVER) {
                long mates = cluster.matesEarliest(node, demand, length, at, last, clock);
                if (mates == at || mates == Node.NEVER) {
                    return mates;
                }
                at = node.earliest(demand, length, mates, last, clock, hours);
            }
            return at;
        }

        /// A start must be earlier than that for one reason or the other.
        long last() {
            return Math.min(before, lastStart);
        }

        Wish from(long later) {
            return new Wish(fit, now, later, length, before, lastStart, own);
        }

        Wish before(long sooner) {
            return new Wish(fit, now, from, length, sooner, lastStart, own);
        }
    }

    /// Nodes and pools take turns in putting the start off, until both have room.
    private @Nullable Place earliest(Wish wish) {
        int[] counts = wish.fit.pools;
        Wish current = wish;
        for (int turn = 0; turn < INSTANTS; turn++) {
            Place place = onNodes(current);
            if (place == null || counts.length == 0) {
                return place;
            }
            long at = pools.earliest(counts, wish.length, place.start(), Search.clock(wish.now));
            if (at == place.start()) {
                return place;
            }
            if (at >= wish.before) {
                return null;
            }
            current = wish.from(at);
        }
        if (onNodes(current) != null) {
            gaveUp = true;
        }
        return null;
    }

    private @Nullable Place onNodes(Wish wish) {
        Place place = wish.fit.parts() == 1 ? earliestOne(wish) : earliestGang(wish);
        return place == null || place.start() >= wish.lastStart ? null : place;
    }

    private @Nullable Place earliestOne(Wish wish) {
        FitClass fit = wish.fit;
        var soonest = new Soonest(cluster, fit, wish.length);
        PackingPolicy policy = fit.policy(Policies.TIGHTEST);
        Bid best = null;
        long start = wish.before;
        long last = wish.lastStart;
        boolean any = wish.before == Node.NEVER;
        int step = 0;
        for (; step < STEPS || (any && best == null); step++) {
            Node node = step < wish.own.length ? cluster.node(wish.own[step]) : soonest.next();
            boolean other = step >= wish.own.length;
            if (node == null || (other && soonest.readyAt() > Math.min(start, last))) {
                break;
            }
            for (Demand way : fit.admits(node) ? fit.ways(node.kind.number) : NOWHERE) {
                long at = wish.earliest(cluster, node, way, wish.from, start);
                if (at < start || (at == start && best != null)) {
                    var bid = new Bid(node, way, node.cost(policy, way));
                    best = best == null || at < start || bid.before(best) ? bid : best;
                    start = at;
                }
            }
        }
        if (best != null && start >= last && step >= STEPS) {
            Node next = soonest.next();
            while (next != null && !fit.admits(next)) {
                next = soonest.next();
            }
            gaveUp |= next != null && soonest.readyAt() < last;
        }
        return best == null ? null : best.place(start);
    }

    private @Nullable Place earliestGang(Wish wish) {
        NodeWalk walk = walk(wish);
        if (walk == null) {
            return earliestGang(wish, new ReadyNodes(cluster, wish));
        }
        Place best = null;
        Wish open = wish;
        for (Node[] nodes = walk.next(open.last()); nodes != null; nodes = walk.next(open.last())) {
            Place place = earliestGang(open, new ReadyNodes(cluster, open, nodes));
            if (place != null) {
                best = place;
                open = open.before(place.start());
            }
        }
        return best;
    }

    /// Where a gang is looked for that any soonest nodes will not do for; null for another.
    private @Nullable NodeWalk walk(Wish wish) {
        FitClass fit = wish.fit;
        if (fit.layout.segment() > 0) {
            return new ReadySegments(cluster, fit, wish.length, wish.own);
        }
        return fit.maxSwitches == 0 ? null : new FewSwitches(cluster, fit, wish.length, wish.own);
    }

    private @Nullable Place earliestGang(Wish wish, ReadyNodes ready) {
        long last = wish.last();
        long time = wish.from;
        for (int instant = 0; instant < INSTANTS && time != Node.NEVER; instant++) {
            long next = ready.soonest(time);
            if (next >= last) {
                gaveUp |= next < wish.before && ready.more(last);
                return null;
            }
            ready.from(next);
            int[] chosen = compact.choose(ready.usableAt(next), wish.fit.policy(Policies.TIGHTEST));
            if (chosen != null) {
                return new Place(next, chosen);
            }
            time = next > time ? next : ready.nextStep(time);
        }
        gaveUp |= ready.more(last) || (time != Node.NEVER && ready.soonest(time) < last);
        return null;
    }
}
