package io.berth.core.engine;

import io.berth.core.engine.Plans.Plan;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Finds the nodes for a job: now, or as early as possible.
///
/// *Now* looks at every node that has room, the tightest first, so that it never misses a place for
/// one node, nor for a gang whose parts are alike. *Later* looks at the nodes that will be ready
/// first, at most [#STEPS] of them after the first that has room (more for large gangs): it may
/// miss an earlier start on a large cluster. Both count steps and never time, so that the same
/// state gives the same answer.
final class Search {

    /// Nodes looked at for an expected start.
    static final int STEPS = 512;

    /// Nodes with room that are compared for a part.
    static final int CANDIDATES = 32;

    /// Instants tried for a gang's expected start.
    static final int INSTANTS = 64;

    private static final Demand[] NOWHERE = {};

    /// How long a run that is past its expected end is expected to take still.
    static final long OVERRUN_MILLIS = 5_000;

    /// The lane of jobs that want no part of a shared GPU.
    static final int WHOLE = -1;

    /// A start and the nodes for it, larger parts first.
    ///
    /// @param lane of the shared GPU of which the only part takes some; [#WHOLE] for none
    record Place(long start, int[] nodes, int lane) {

        Place(long start, int[] nodes) {
            this(start, nodes, WHOLE);
        }
    }

    private final Cluster cluster;
    private final Pools pools;
    private final NodeScore score;
    private final int candidates;
    private final Compact compact;

    /// Nodes that a pass has set aside.
    final BitSet kept = new BitSet();

    /// After [#now] found nothing: no job of the class can start whose window ends later.
    long reach;

    Search(Cluster cluster, Pools pools, NodeScore score) {
        this.cluster = cluster;
        this.pools = pools;
        this.score = score;
        this.candidates = score.comparesAll() ? Integer.MAX_VALUE : CANDIDATES;
        this.compact = new Compact(cluster.network);
    }

    /// The gang's nodes among those that it may have; null if they cannot be dealt out.
    int @Nullable [] choose(Usable usable) {
        return compact.choose(usable, score);
    }

    static long floor(long now) {
        return now + OVERRUN_MILLIS;
    }

    /// Whether there are nodes for a job of the class, were they empty.
    ///
    /// @param now whether they must be open
    boolean couldHold(FitClass fit, boolean now) {
        if (fit.only == null && fit.maxSwitches == 0) {
            int least = 0;
            int large = 0;
            for (Kind kind : cluster.kinds) {
                int nodes = now ? kind.open() : kind.nodes.size();
                least += fit.leastOn(kind.number) == null ? 0 : nodes;
                large += fit.largeOn[kind.number] == null ? 0 : nodes;
            }
            return least >= fit.parts() && large >= fit.large;
        }
        var usable = new Usable(fit);
        for (int index = 0; index < cluster.size(); index++) {
            Node node = cluster.node(index);
            Demand least = fit.leastOn(node.kind.number);
            if (least != null && fit.admits(node) && (node.open || !now)) {
                usable.add(node, least, fit.largeOn[node.kind.number] != null);
            }
        }
        return usable.enough() && compact.choose(usable, score) != null;
    }

    /// Where a job can start now and end before anything reserved begins; null if that is nowhere.
    @Nullable Place now(FitClass fit, long now, long length) {
        reach = now;
        long end = length == Node.NEVER ? Node.NEVER : now + length;
        long open = pools.until(fit.pools, now);
        if (open < end) {
            reach = open;
            return null;
        }
        return fit.parts() == 1 ? one(fit, now, end) : gang(fit, now, end);
    }

    private @Nullable Place one(FitClass fit, long now, long end) {
        var best = new Best(fit, now, end);
        for (int gpus = 0; gpus <= mostGpus() && best.found < best.wanted; gpus++) {
            for (Kind kind : cluster.kinds) {
                Demand[] ways = fit.ways(kind.number);
                if (ways.length == 0 || kind.whole(ways[0]) > gpus || gpus > kind.gpus) {
                    continue;
                }
                for (int m = Kind.magnitude(ways[0].cpus()); m < Kind.magnitudes(); m++) {
                    BitSet cell = kind.cell(gpus, m);
                    for (int at = cell == null ? -1 : cell.nextSetBit(0);
                            cell != null && at >= 0 && best.found < best.wanted;
                            at = cell.nextSetBit(at + 1)) {
                        best.look(kind.nodes.get(at), ways);
                    }
                }
            }
        }
        return best.place();
    }

    /// The best node for a job of one part among those that were looked at.
    private final class Best {

        private final FitClass fit;
        private final long now;
        private final long end;

        /// How many nodes with room are compared: all where parts of GPUs are wanted, so that the
        /// fullest GPU is found.
        final int wanted;

        int found;
        private @Nullable Node best;
        private long least;
        private int lane = WHOLE;

        Best(FitClass fit, long now, long end) {
            this.fit = fit;
            this.now = now;
            this.end = end;
            this.wanted = fit.shares() ? Integer.MAX_VALUE : candidates;
        }

        void look(Node node, Demand[] ways) {
            boolean room = false;
            for (Demand way : ways) {
                long until = until(fit, node, way, now);
                reach = Math.max(reach, until);
                if (until >= end) {
                    room = true;
                    long own = score(node, way);
                    if (best == null || own < least || (own == least && node.index < best.index)) {
                        best = node;
                        least = own;
                        lane = lane(node, way);
                    }
                }
            }
            found += room ? 1 : 0;
        }

        @Nullable Place place() {
            return best == null ? null : new Place(now, new int[] {best.index}, lane);
        }
    }

    private static int lane(Node node, Demand demand) {
        return node.kind.shares(demand) ? demand.lane() : WHOLE;
    }

    /// The policy's score; of a part of a shared GPU what it leaves of that, in thousandths, then
    /// of CPUs and memory.
    private long score(Node node, Demand demand) {
        if (!node.kind.shares(demand)) {
            return score.score(node.freeWhole(), demand, node.index);
        }
        long left = node.free[2 + demand.lane()] - demand.gpus();
        long thousandths = 1000 * left / node.kind.slot(demand.lane());
        long[] rest = {node.free[0], node.free[1], thousandths};
        return NodeScore.BEST_FIT.score(
                rest, new Demand(demand.cpus(), demand.memoryMib(), 0, -1), node.index);
    }

    /// Until when the smallest part of a class could have a node from now on; `now` if it could
    /// not.
    long until(FitClass fit, Node node, long now) {
        long until = now;
        for (Demand way : fit.ways(node.kind.number)) {
            until = Math.max(until, until(fit, node, way, now));
        }
        return until;
    }

    private long until(FitClass fit, Node node, Demand demand, long now) {
        return !fit.admits(node) || kept.get(node.index)
                ? now
                : node.until(demand, now, floor(now), fit.hours.of(node.index));
    }

    private int mostGpus() {
        int most = 0;
        for (Kind kind : cluster.kinds) {
            most = Math.max(most, kind.gpus);
        }
        return most;
    }

    private @Nullable Place gang(FitClass fit, long now, long end) {
        var usable = new Usable(fit);
        long[] untils = new long[16];
        int seen = 0;
        for (int kind = 0; kind < cluster.kinds.size(); kind++) {
            Demand least = fit.leastOn(kind);
            for (int gpus =
                            least == null
                                    ? Integer.MAX_VALUE
                                    : cluster.kinds.get(kind).whole(least);
                    least != null && gpus <= cluster.kinds.get(kind).gpus;
                    gpus++) {
                for (int m = Kind.magnitude(least.cpus()); m < Kind.magnitudes(); m++) {
                    BitSet cell = cluster.kinds.get(kind).cell(gpus, m);
                    for (int at = cell == null ? -1 : cell.nextSetBit(0);
                            cell != null && at >= 0;
                            at = cell.nextSetBit(at + 1)) {
                        Node node = cluster.kinds.get(kind).nodes.get(at);
                        long until = until(fit, node, least, now);
                        if (until > now) {
                            untils =
                                    seen == untils.length
                                            ? Arrays.copyOf(untils, 2 * seen)
                                            : untils;
                            untils[seen++] = until;
                        }
                        if (until >= end) {
                            Demand large = fit.largeOn[kind];
                            usable.add(
                                    node,
                                    least,
                                    large != null && until(fit, node, large, now) >= end);
                        }
                    }
                }
            }
        }
        int[] chosen = usable.enough() ? compact.choose(usable, score) : null;
        if (chosen == null && seen >= fit.parts()) {
            Arrays.sort(untils, 0, seen);
            reach = Math.min(untils[seen - fit.parts()], end - 1);
        }
        return chosen == null ? null : new Place(now, chosen);
    }

    /// The earliest start that is found within the steps; null if there is none.
    @Nullable Place earliest(FitClass fit, long now, long length) {
        return earliest(new Wish(fit, now, now, length, Node.NEVER, new int[0]));
    }

    /// An earlier start for a planned job whose reservation is lifted; null if none is found.
    @Nullable Place earlier(Plan plan, long now) {
        Waiting job = plan.job();
        return earliest(new Wish(job.fit, now, now, job.length, plan.start(), plan.nodes()));
    }

    /// @param from a start must not be earlier than that
    /// @param before a start must be earlier than that
    /// @param own nodes of which more is free than their readiness says
    private record Wish(FitClass fit, long now, long from, long length, long before, int[] own) {

        Wish from(long later) {
            return new Wish(fit, now, later, length, before, own);
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
            long at = pools.earliest(counts, wish.length, place.start(), floor(wish.now));
            if (at == place.start()) {
                return place;
            }
            if (at >= wish.before) {
                return null;
            }
            current = wish.from(at);
        }
        return null;
    }

    private @Nullable Place onNodes(Wish wish) {
        Place place = wish.fit.parts() == 1 ? earliestOne(wish) : earliestGang(wish);
        return place == null || place.start() >= wish.fit.hours.lastStart ? null : place;
    }

    private @Nullable Place earliestOne(Wish wish) {
        FitClass fit = wish.fit;
        var soonest = new Soonest(cluster, fit, wish.length);
        Node best = null;
        long start = wish.before;
        long least = 0;
        int lane = WHOLE;
        boolean any = wish.before == Node.NEVER;
        for (int step = 0; step < STEPS || (any && best == null); step++) {
            Node node = step < wish.own.length ? cluster.node(wish.own[step]) : soonest.next();
            if (node == null || (step >= wish.own.length && soonest.readyAt() > start)) {
                break;
            }
            for (Demand way : fit.admits(node) ? fit.ways(node.kind.number) : NOWHERE) {
                long at = at(wish, node, way, wish.from);
                long own = at > start ? 0 : score(node, way);
                boolean better =
                        at < start
                                || (at == start
                                        && best != null
                                        && (own < least
                                                || (own == least && node.index < best.index)));
                if (better) {
                    best = node;
                    start = at;
                    least = own;
                    lane = lane(node, way);
                }
            }
        }
        return best == null ? null : new Place(start, new int[] {best.index}, lane);
    }

    private @Nullable Place earliestGang(Wish wish) {
        FitClass fit = wish.fit;
        Node[] nodes = soonest(wish);
        long time = wish.from;
        for (int instant = 0; instant < INSTANTS && nodes.length >= fit.parts(); instant++) {
            long next = Math.max(time, soonestFor(wish, nodes, time));
            if (next >= wish.before) {
                return null;
            }
            Usable usable = usableAt(wish, nodes, next);
            int[] chosen = usable.enough() ? compact.choose(usable, score) : null;
            if (chosen != null) {
                return new Place(next, chosen);
            }
            time = next > time ? next : nextStep(wish, nodes, time);
            if (time == Node.NEVER) {
                return null;
            }
        }
        return null;
    }

    /// The nodes that may have room first, those of the gang's own before all.
    private Node[] soonest(Wish wish) {
        int most = Math.max(STEPS, 4 * wish.fit.parts());
        var nodes = new Node[Math.min(most, cluster.size())];
        int count = 0;
        var own = new BitSet();
        for (int node : wish.own) {
            own.set(node);
            nodes[count++] = cluster.node(node);
        }
        var soonest = new Soonest(cluster, wish.fit, wish.length);
        while (count < nodes.length) {
            Node node = soonest.next();
            if (node == null || soonest.readyAt() >= wish.before) {
                break;
            }
            if (wish.fit.admits(node) && !own.get(node.index)) {
                nodes[count++] = node;
            }
        }
        return Arrays.copyOf(nodes, count);
    }

    /// The first time from `from` on at which enough nodes may be ready together.
    private long soonestFor(Wish wish, Node[] open, long from) {
        FitClass fit = wish.fit;
        long[] least = new long[open.length];
        long[] large = new long[open.length];
        for (int i = 0; i < open.length; i++) {
            int kind = cluster.kind(open[i].index);
            least[i] = at(wish, open[i], fit.leastOn(kind), from);
            large[i] = at(wish, open[i], fit.largeOn[kind], from);
        }
        Arrays.sort(least);
        Arrays.sort(large);
        return Math.max(least[fit.parts() - 1], large[fit.large - 1]);
    }

    private static long at(Wish wish, Node node, @Nullable Demand demand, long from) {
        return demand == null
                ? Node.NEVER
                : node.earliest(
                        demand, wish.length, from, floor(wish.now), wish.fit.hours.of(node.index));
    }

    private Usable usableAt(Wish wish, Node[] open, long time) {
        FitClass fit = wish.fit;
        var usable = new Usable(fit);
        for (Node node : open) {
            int kind = cluster.kind(node.index);
            Demand least = fit.leastOn(kind);
            if (least != null && at(wish, node, least, time) == time) {
                usable.add(node, least, at(wish, node, fit.largeOn[kind], time) == time);
            }
        }
        return usable;
    }

    private static long nextStep(Wish wish, Node[] open, long time) {
        long next = Node.NEVER;
        for (Node node : open) {
            next =
                    Math.min(
                            next,
                            node.nextStep(time, floor(wish.now), wish.fit.hours.of(node.index)));
        }
        return next;
    }

    /// Until when from now on enough nodes for a class are open to it, were they empty: a job of it
    /// that could last longer cannot start now. `now` if there are too few.
    long opensUntil(FitClass fit, long now) {
        long[] untils = new long[cluster.size()];
        int count = 0;
        for (Kind kind : cluster.kinds) {
            for (Node node : fit.leastOn(kind.number) == null ? List.<Node>of() : kind.nodes) {
                if (node.open && fit.admits(node)) {
                    untils[count++] = Hours.openUntil(fit.hours.of(node.index), now);
                }
            }
        }
        Arrays.sort(untils, 0, count);
        return count < fit.parts() ? now : untils[count - fit.parts()];
    }
}
