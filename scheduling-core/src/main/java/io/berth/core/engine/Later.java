package io.berth.core.engine;

import io.berth.core.engine.FitClass.Choice;
import io.berth.core.engine.FitClass.Count;
import io.berth.core.engine.Plans.Plan;
import io.berth.core.engine.Search.Place;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Comparator;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/// Finds the nodes for a job as early as possible. It looks at the nodes that will be ready first,
/// at most [#STEPS] of them after the first that has room (more for large gangs): it may miss an
/// earlier start on a large cluster. For a gang that must lie under few leaf switches, or in
/// segments, it looks at all nodes under them, or of their blocks, one choice after the other. It
/// counts steps and never time, so that the same state gives the same answer.
final class Later {

    /// Nodes looked at for an expected start.
    static final int STEPS = 512;

    /// Instants tried for a gang's expected start.
    static final int INSTANTS = 64;

    private static final Demand[] NOWHERE = {};

    private final Cluster cluster;
    private final Pools pools;
    private final NodeScore score;
    private final Compact compact;

    Later(Cluster cluster, Pools pools, NodeScore score) {
        this.cluster = cluster;
        this.pools = pools;
        this.score = score;
        this.compact = new Compact(cluster.network);
    }

    /// The earliest start that is found within the steps; null if there is none.
    @Nullable Place earliest(FitClass fit, long now, long length) {
        return earliest(new Wish(fit, now, now, length, Node.NEVER, new int[0]));
    }

    /// An earlier start for a planned job whose reservation is lifted; null if none is found.
    @Nullable Place earlier(Plan plan, long now) {
        Waiting job = plan.job();
        FitClass fit = job.fit.onParts(plan.nodes().length);
        return earliest(new Wish(fit, now, now, job.length, plan.start(), plan.nodes()));
    }

    /// @param from a start must not be earlier than that
    /// @param before a start must be earlier than that
    /// @param own nodes of which more is free than their readiness says
    private record Wish(FitClass fit, long now, long from, long length, long before, int[] own) {

        Wish from(long later) {
            return new Wish(fit, now, later, length, before, own);
        }

        Wish before(long sooner) {
            return new Wish(fit, now, from, length, sooner, own);
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
        return null;
    }

    private @Nullable Place onNodes(Wish wish) {
        Place place = wish.fit.parts() == 1 ? earliestOne(wish) : earliestGang(wish);
        return place == null || place.start() >= wish.fit.hours.lastStart ? null : place;
    }

    private @Nullable Place earliestOne(Wish wish) {
        FitClass fit = wish.fit;
        var soonest = new Soonest(cluster, fit, wish.length);
        Tightness tightness = new Tightness(fit.score(score));
        Node best = null;
        long start = wish.before;
        long least = 0;
        int lane = Search.WHOLE;
        boolean any = wish.before == Node.NEVER;
        for (int step = 0; step < STEPS || (any && best == null); step++) {
            Node node = step < wish.own.length ? cluster.node(wish.own[step]) : soonest.next();
            if (node == null || (step >= wish.own.length && soonest.readyAt() > start)) {
                break;
            }
            for (Demand way : fit.admits(node) ? fit.ways(node.kind.number) : NOWHERE) {
                long at = at(wish, node, way, wish.from, start);
                long own = at > start ? 0 : tightness.of(node, way);
                boolean better =
                        at < start
                                || (at == start
                                        && best != null
                                        && Search.before(node, own, best, least));
                if (better) {
                    best = node;
                    start = at;
                    least = own;
                    lane = Tightness.lane(node, way);
                }
            }
        }
        return best == null ? null : new Place(start, new int[] {best.index}, lane);
    }

    private @Nullable Place earliestGang(Wish wish) {
        NodeWalk walk = walk(wish);
        if (walk == null) {
            return earliestGang(wish, soonest(wish));
        }
        Place best = null;
        Wish open = wish;
        for (Node[] nodes = walk.next(open.before); nodes != null; nodes = walk.next(open.before)) {
            Place place = earliestGang(open, nodes);
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
        return fit.maxSwitches == 0 || cluster.network.levels() == 0
                ? null
                : new FewSwitches(cluster, fit, wish.length, wish.own);
    }

    private @Nullable Place earliestGang(Wish wish, Node[] nodes) {
        FitClass fit = wish.fit;
        var ready = new Ready(wish, nodes);
        long time = wish.from;
        for (int instant = 0; instant < INSTANTS && nodes.length >= fit.parts(); instant++) {
            ready.from(time);
            long next = Math.max(time, soonestFor(wish, ready));
            if (next >= wish.before) {
                return null;
            }
            ready.from(next);
            int[] chosen = compact.choose(ready.usableAt(next), fit.score(score));
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

    /// When nodes have room for a part of a gang, from a time on that only goes on.
    private final class Ready {

        private final Wish wish;
        final Node[] nodes;

        /// By node, for its smallest part and for its largest one.
        final long[] least;

        final long[] large;

        Ready(Wish wish, Node[] nodes) {
            this.wish = wish;
            this.nodes = nodes;
            this.least = new long[nodes.length];
            this.large = wish.fit.small == 0 ? least : new long[nodes.length];
            Arrays.fill(least, Long.MIN_VALUE);
            Arrays.fill(large, Long.MIN_VALUE);
        }

        void from(long time) {
            for (int i = 0; i < nodes.length; i++) {
                int kind = cluster.kind(nodes[i].index);
                if (least[i] < time) {
                    least[i] = at(wish, nodes[i], wish.fit.leastOn(kind), time, Node.NEVER);
                }
                if (large[i] < time) {
                    large[i] = at(wish, nodes[i], wish.fit.largeOn[kind], time, Node.NEVER);
                }
            }
        }

        /// The nodes that have room at the time that it stands at.
        Usable usableAt(long time) {
            var usable = new Usable(wish.fit);
            for (int i = 0; i < nodes.length; i++) {
                Demand demand = wish.fit.leastOn(cluster.kind(nodes[i].index));
                if (demand != null && least[i] == time) {
                    usable.add(nodes[i], demand, large[i] == time);
                }
            }
            return usable;
        }
    }

    /// The nodes that may have room first, those of the gang's own and those that must be among
    /// them before all.
    private Node[] soonest(Wish wish) {
        FitClass.Layout layout = wish.fit.layout;
        boolean all = layout.inRow() || !layout.choices().isEmpty();
        int most = all ? cluster.size() : Math.max(STEPS, 4 * wish.fit.parts());
        var nodes = new Node[Math.min(most, cluster.size())];
        int count = 0;
        var own = new BitSet();
        for (int node : wish.own) {
            own.set(node);
            nodes[count++] = cluster.node(node);
        }
        for (int node : layout.among().stream().filter(it -> it < cluster.size()).toArray()) {
            if (!own.get(node) && cluster.node(node).open) {
                own.set(node);
                nodes[count++] = cluster.node(node);
            }
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

    /// The first time at which enough nodes may be ready together.
    private long soonestFor(Wish wish, Ready ready) {
        FitClass fit = wish.fit;
        Node[] open = ready.nodes;
        long among = wish.from;
        for (int i = 0; i < open.length; i++) {
            if (fit.layout.among().get(open[i].index)) {
                among = Math.max(among, ready.least[i]);
            }
        }
        long chosen = chosenFor(fit, open, ready.least);
        if (fit.layout.segment() > 0) {
            chosen =
                    Math.max(chosen, new Segments(cluster.network, fit).readyAt(open, ready.least));
        }
        long all = nth(ready.least, fit.parts());
        long large = fit.small == 0 ? all : nth(ready.large, fit.large);
        return Math.max(Math.max(among, chosen), Math.max(all, large));
    }

    /// The time by which so many are ready.
    private static long nth(long[] times, int count) {
        long[] rising = times.clone();
        Arrays.sort(rising);
        return rising[count - 1];
    }

    /// When the first of a class's choices may have enough nodes; 0 where there is none.
    ///
    /// @param ready by node that is open, when it may be ready
    private static long chosenFor(FitClass fit, Node[] open, long[] ready) {
        if (fit.layout.choices().isEmpty()) {
            return 0;
        }
        int[] rising =
                IntStream.range(0, open.length)
                        .boxed()
                        .sorted(Comparator.comparingLong(it -> ready[it]))
                        .mapToInt(Integer::intValue)
                        .toArray();
        long soonest = Node.NEVER;
        for (Choice choice : fit.layout.choices()) {
            int last = nth(choice.nodes(), fit.parts(), open, rising);
            for (Count count : choice.counts()) {
                last = Math.max(last, nth(count.nodes(), count.least(), open, rising));
            }
            soonest = last == rising.length ? soonest : Math.min(soonest, ready[rising[last]]);
        }
        return soonest;
    }

    /// Where in the order of readiness the last of so many of these nodes stands; its length if
    /// they are fewer.
    private static int nth(BitSet of, int count, Node[] open, int[] rising) {
        int left = count;
        for (int at = 0; at < rising.length; at++) {
            if (of.get(open[rising[at]].index) && --left == 0) {
                return at;
            }
        }
        return rising.length;
    }

    private static long at(Wish wish, Node node, @Nullable Demand demand, long from, long last) {
        return demand == null
                ? Node.NEVER
                : node.earliest(
                        demand,
                        wish.length,
                        from,
                        last,
                        Search.clock(wish.now),
                        wish.fit.hours.of(node.index));
    }

    private static long nextStep(Wish wish, Node[] open, long time) {
        long next = Node.NEVER;
        for (Node node : open) {
            next =
                    Math.min(
                            next,
                            node.nextStep(
                                    time, Search.clock(wish.now), wish.fit.hours.of(node.index)));
        }
        return next;
    }
}
