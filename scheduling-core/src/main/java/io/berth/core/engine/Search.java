package io.berth.core.engine;

import io.berth.core.engine.FitClass.Choice;
import io.berth.core.engine.Node.Clock;
import io.berth.core.packing.PackingPolicy;
import io.berth.core.packing.Policies;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Finds the nodes for a job now. It looks at every node that has room, the tightest first, so that
/// it never misses a place for one node, nor for a gang that may lie anywhere. It counts steps and
/// never time, so that the same state gives the same answer.
final class Search {

    /// Nodes with room that are compared for a part.
    static final int CANDIDATES = 32;

    /// How long a run that is past its expected end is expected to take still.
    static final long OVERRUN_MILLIS = 5_000;

    /// The lane of jobs that want no part of a shared GPU.
    static final int WHOLE = -1;

    /// A start and the nodes for it, larger parts first.
    ///
    /// @param lane of the shared GPU of which the only part takes some; [#WHOLE] for none
    /// @param drain the GPUs that are divided for it before; null if none is
    record Place(long start, int[] nodes, int lane, @Nullable Drain drain) {

        Place(long start, int[] nodes, int lane) {
            this(start, nodes, lane, null);
        }

        Place(long start, int[] nodes) {
            this(start, nodes, WHOLE);
        }
    }

    private final Cluster cluster;
    private final Pools pools;
    private final PackingPolicy policy;
    private final Compact compact;

    /// Nodes that a pass has set aside.
    final BitSet kept = new BitSet();

    /// After a search found nothing: no job of the class can start whose window ends later.
    private long reach;

    private final GangSearch gangs;

    /// Whether the last search has looked for a gang.
    private boolean sawGang;

    Search(Cluster cluster, Pools pools, PackingPolicy policy) {
        this.cluster = cluster;
        this.pools = pools;
        this.policy = policy;
        this.compact = new Compact(cluster.network);
        this.gangs = new GangSearch(cluster, this);
    }

    /// The gang's nodes among those that it may have; null if they cannot be dealt out.
    int @Nullable [] choose(Usable usable) {
        return compact.choose(usable, usable.fit.policy(policy));
    }

    /// Which of two nodes is taken before the other: by weight, then cost, then what is left of the
    /// GPU that is shared, then index.
    record Bid(Node node, Demand way, long cost) {

        boolean before(Bid other) {
            if (node.kind.weight != other.node.kind.weight) {
                return node.kind.weight < other.node.kind.weight;
            }
            if (cost != other.cost) {
                return cost < other.cost;
            }
            long left = node.leaves(way);
            long its = other.node.leaves(other.way);
            return left < its || (left == its && node.index < other.node.index);
        }

        Place place(long start) {
            int lane = node.kind.shares(way) ? way.lane() : WHOLE;
            return new Place(start, new int[] {node.index}, lane);
        }
    }

    static Clock clock(long now) {
        return new Clock(now, now + OVERRUN_MILLIS);
    }

    /// Whether there are nodes for a job of the class, were they empty.
    ///
    /// @param now whether they must be open
    boolean couldHold(FitClass fit, boolean now) {
        if (fit.only == null && fit.maxSwitches == 0 && fit.layout.any()) {
            int[] holding = new int[fit.upTo.length];
            for (Kind kind : cluster.kinds) {
                if (fit.leastOn(kind.number) != null) {
                    holding[fit.largest(kind.number)] += now ? kind.open() : kind.nodes.size();
                }
            }
            return fit.enough(holding);
        }
        var usable = new Usable(fit);
        for (int index = 0; index < cluster.size(); index++) {
            Node node = cluster.node(index);
            Demand least = fit.leastOn(node.kind.number);
            if (least != null && fit.admits(node) && (node.open || !now)) {
                usable.add(node, least, fit.largest(node.kind.number));
            }
        }
        return compact.choose(usable, Policies.FIRST_FIT) != null;
    }

    static long end(long now, long length) {
        return length == Node.NEVER ? Node.NEVER : now + length;
    }

    /// Where a job can start now and end before anything reserved begins; null if that is nowhere.
    @Nullable Place now(FitClass fit, long now, long length) {
        return now(fit, now, length, null, null);
    }

    /// The same for a job of one part, on one of these nodes: no other has room for it.
    @Nullable Place among(BitSet nodes, FitClass fit, long now, long length) {
        return now(fit, now, length, nodes, null);
    }

    /// The same as far as the reach of the class lets it be.
    ///
    /// @param freer nodes of which more is free than the reach says
    @Nullable Place within(FitClass fit, long now, long length, int... freer) {
        return now(fit, now, length, null, freer);
    }

    private @Nullable Place now(
            FitClass fit, long now, long length, @Nullable BitSet among, int @Nullable [] freer) {
        reach = now;
        sawGang = false;
        long end = end(now, length);
        long open = pools.until(fit.pools, now);
        if (open < end) {
            reach = open;
            return null;
        }
        if (fit.parts() > 1) {
            sawGang = true;
            return gangs.now(fit, now, end, fit.ownsBlocks ? null : freer);
        }
        if (fit.layout.choices().isEmpty()) {
            return anyOf(among, fit, now, end);
        }
        for (Choice choice : fit.layout.choices()) {
            Choice some = among == null ? choice : choice.among(among);
            Place place = anyOf(some.nodes(), fit, now, end);
            if (place != null) {
                return place;
            }
        }
        return null;
    }

    private @Nullable Place anyOf(@Nullable BitSet among, FitClass fit, long now, long end) {
        return among != null && among.cardinality() <= CANDIDATES
                ? oneOf(among, fit, now, end)
                : one(fit, now, end, among);
    }

    /// Lowers the reach of a class by what its last search has seen, which found nothing.
    ///
    /// @param end of the window that was looked for
    /// @param elsewhere until when nodes could be had that were not looked at
    void learn(FitClass fit, long end, long elsewhere) {
        if (sawGang) {
            gangs.learn(fit);
            fit.reach.lower(end - 1);
        } else {
            fit.reach.lower(Math.min(Math.max(reach, elsewhere), end - 1));
        }
    }

    private @Nullable Place oneOf(BitSet nodes, FitClass fit, long now, long end) {
        var best = new Best(fit, now, end);
        for (int at = nodes.nextSetBit(0); at >= 0; at = nodes.nextSetBit(at + 1)) {
            Node node = cluster.node(at);
            if (node.open) {
                best.look(node, fit.ways(node.kind.number));
            }
        }
        return best.place();
    }

    /// @param among nodes, of which one must be; null for all
    private @Nullable Place one(FitClass fit, long now, long end, @Nullable BitSet among) {
        var best = new Best(fit, now, end);
        for (List<Kind> kinds : cluster.byWeight) {
            if (fit.shares()) {
                lookForParts(best, kinds, among);
            } else {
                look(best, kinds, among);
            }
            if (best.found > 0) {
                break;
            }
        }
        return best.place();
    }

    /// Looks at the nodes of one weight, the fullest first.
    private void look(Best best, List<Kind> kinds, @Nullable BitSet among) {
        int most = kinds.stream().mapToInt(it -> it.gpus).max().orElse(0);
        for (int gpus = 0; gpus <= most && best.found < best.wanted; gpus++) {
            for (Kind kind : kinds) {
                Demand[] ways = best.fit.ways(kind.number);
                if (ways.length == 0 || kind.whole(ways[0]) > gpus || gpus > kind.gpus) {
                    continue;
                }
                for (int m = Kind.magnitude(ways[0].leastCpus()); m < Kind.magnitudes(); m++) {
                    look(best, kind, kind.cell(gpus, m), among);
                }
            }
        }
    }

    /// Looks at the nodes of one weight that have enough of a shared GPU.
    private void lookForParts(Best best, List<Kind> kinds, @Nullable BitSet among) {
        for (Kind kind : kinds) {
            int least = Kind.PARTS + 1;
            for (Demand way : best.fit.ways(kind.number)) {
                least = Math.min(least, kind.parts(way.lane(), way.gpus()));
            }
            for (int parts = least; parts <= Kind.PARTS; parts++) {
                look(best, kind, kind.withParts(parts), among);
            }
        }
    }

    private static void look(Best best, Kind kind, @Nullable BitSet cell, @Nullable BitSet among) {
        Demand[] ways = best.fit.ways(kind.number);
        for (int at = cell == null ? -1 : cell.nextSetBit(0);
                cell != null && at >= 0 && best.found < best.wanted;
                at = cell.nextSetBit(at + 1)) {
            Node node = kind.nodes.get(at);
            if (among == null || among.get(node.index)) {
                best.look(node, ways);
            }
        }
    }

    /// The best node for a job of one part among those that were looked at.
    private final class Best {

        private final FitClass fit;
        private final long now;
        private final long end;

        /// How many nodes with room are compared: all where parts of GPUs are wanted, so that the
        /// fullest GPU is found.
        final int wanted;

        private final PackingPolicy its;
        int found;
        private @Nullable Bid best;

        Best(FitClass fit, long now, long end) {
            this.fit = fit;
            this.now = now;
            this.end = end;
            this.its = fit.policy(policy);
            this.wanted = fit.shares() || its.comparesAll() ? Integer.MAX_VALUE : CANDIDATES;
        }

        void look(Node node, Demand[] ways) {
            boolean room = false;
            for (Demand way : ways) {
                long until = until(fit, node, way, now);
                reach = Math.max(reach, until);
                if (until >= end) {
                    room = true;
                    var bid = new Bid(node, way, node.cost(its, way));
                    best = best == null || bid.before(best) ? bid : best;
                }
            }
            found += room ? 1 : 0;
        }

        @Nullable Place place() {
            return best == null ? null : best.place(now);
        }
    }

    /// Until when the smallest part of a class, on however many nodes, could have a node from now
    /// on; `now` if it could not.
    long until(FitClass fit, Node node, Vacancy vacancy, long now) {
        long until = now;
        if (fit.admits(node) && !kept.get(node.index)) {
            for (Demand way : fit.widest.ways(node.kind.number)) {
                long there = vacancy.until(way, fit.hours.of(node.index));
                until = Math.max(until, Math.min(there, mates(node, way, now)));
            }
        }
        return until;
    }

    /// The same for one demand of its parts.
    long until(FitClass fit, Node node, Demand demand, long now) {
        if (!fit.admits(node) || (!kept.isEmpty() && kept.get(node.index))) {
            return now;
        }
        long[] hours = fit.hours.of(node.index);
        if (hours.length == 0
                && !demand.tenant().block()
                && node.kind.lasts(node.place, demand, now)) {
            return Node.NEVER;
        }
        if (!node.covers(node.free, demand)) {
            return now;
        }
        long there =
                node.reserved()
                        ? node.vacancy(clock(now)).until(demand, hours)
                        : node.until(demand, clock(now), hours);
        return there <= now ? there : Math.min(there, mates(node, demand, now));
    }

    /// @return [Node#NEVER] for a demand that is not to be alone in its block
    private long mates(Node node, Demand demand, long now) {
        return demand.tenant().block() ? cluster.matesUntil(node, demand, clock(now)) : Node.NEVER;
    }

    /// Whether enough nodes could have room for a class now, if nothing were planned; read from
    /// what is free on nodes alone.
    boolean roomy(FitClass fit) {
        int left = fit.parts();
        for (Kind kind : cluster.kinds) {
            Demand[] ways = fit.widest.ways(kind.number);
            int least = ways.length == 0 || fit.shares() ? 0 : kind.whole(ways[0]);
            for (int gpus = least; ways.length > 0 && left > 0 && gpus <= kind.gpus; gpus++) {
                for (int m = 0; m < Kind.magnitudes() && left > 0; m++) {
                    left -= roomy(kind, ways, kind.cell(gpus, m), left);
                }
            }
        }
        return left <= 0;
    }

    /// @return how many of the nodes of a cell have room, and no more than are wanted
    private static int roomy(Kind kind, Demand[] ways, @Nullable BitSet cell, int wanted) {
        int found = 0;
        for (int at = cell == null ? -1 : cell.nextSetBit(0);
                cell != null && at >= 0 && found < wanted;
                at = cell.nextSetBit(at + 1)) {
            found += kind.nodes.get(at).fitsAny(ways) ? 1 : 0;
        }
        return found;
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
