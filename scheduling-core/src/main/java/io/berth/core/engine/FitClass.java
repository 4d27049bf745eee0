package io.berth.core.engine;

import io.berth.core.engine.Plans.Plan;
import io.berth.core.packing.PackingPolicy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.IntFunction;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/// All requests that fit in the same places: resources, partition, reservation, node filters,
/// topology and what is shared by the whole cluster. Time, user and rank are no part of it.
///
/// The parts of a job are of one size or several: its first parts take no less of anything than
/// those behind them. So a node that can hold a part of some size can hold any behind it.
public final class FitClass {

    private static final int[] NOTHING = {};
    private static final Demand[] NOWHERE = {};

    final int id;
    private final Network network;

    /// Whether GPUs could be divided anew so that its jobs can start.
    final boolean divisible;

    final int tier;
    final int partition;

    /// By size, the largest first, how many parts are of it or a larger one.
    final int[] upTo;

    /// By size, then by kind, what such a part takes there; null where it cannot run.
    final @Nullable Demand[][] on;

    /// By kind, what the smallest part may take there: of shared GPUs one or the other.
    private final Demand[][] ways;

    private final boolean shares;

    /// Whether its jobs have all nodes of their blocks to themselves.
    final boolean ownsBlocks;

    /// The nodes that its jobs may use, none in no domain of the level where they want only so
    /// many; null for all.
    final @Nullable BitSet only;

    /// Domains of a level of the network that its nodes may lie in; 0 is any number, as for one
    /// node.
    final int maxSwitches;

    /// That level, which is leaf switches or one that jobs name.
    final int level;

    final @Nullable Preemptor preemptor;
    final Hours hours;
    final boolean plans;
    final int[] pools;
    final Layout layout;

    /// The class of its jobs on the most nodes, where each needs the least; itself unless they
    /// spread.
    final FitClass widest;

    private final Map<Integer, FitClass> byParts = new HashMap<>();

    /// Where its jobs stand in the queue, by speed.
    final List<Queue.Pace> paces = new ArrayList<>(1);

    /// Its jobs that have an expected start, the shortest first.
    final TreeSet<Plan> planned = Plans.byLength();

    /// Until when its jobs could have nodes.
    final Reach reach;

    /// The class of its jobs on as few nodes as can hold them, of those that are open, were they
    /// empty; itself where none can.
    FitClass least = this;

    /// Whether enough nodes are open, were they empty.
    boolean able;

    /// Whether a pass has found that no GPU can be divided for one of its jobs.
    boolean barred;

    /// Whether there are enough nodes at all, open or not.
    boolean capable;

    /// Which nodes a gang needs beside enough of them, and how many it would rather have.
    ///
    /// @param inRow whether they must stand in a row, one next to the other ([Network#place])
    /// @param among nodes that must be among them
    /// @param segment of how many nodes each of its segments is, which lie in one block each
    ///   ([Segments]), for a gang of parts that are alike; 0 for one in no segments
    /// @param most nodes that it takes if it finds as many; no more than its parts is none more
    /// @param onParts where its jobs may run on more nodes than they need
    /// @param spread whether they need less of each node on more of them
    /// @param policy which nodes are taken first; null is the cluster's
    /// @param choices all its nodes are of one of these, the first that will do; those that it may
    ///   use are of some of them. Empty is no choice
    public record Layout(
            boolean inRow,
            int segment,
            BitSet among,
            int most,
            @Nullable IntFunction<Terms> onParts,
            boolean spread,
            @Nullable PackingPolicy policy,
            List<Choice> choices) {

        public static final Layout ANY =
                new Layout(false, 0, new BitSet(), 0, null, false, null, List.of());

        /// Whether any nodes will do.
        boolean any() {
            return !inRow && segment == 0 && among.isEmpty() && choices.isEmpty();
        }
    }

    /// Nodes that a job may be of. One of one node counts none.
    ///
    /// @param nodes of which all of its nodes are
    /// @param counts of which it has so many each at least, a node counting once
    /// @param preferred whether it has these rather than nodes of a lower weight; such choices
    ///   stand before the others
    public record Choice(BitSet nodes, List<Count> counts, boolean preferred) {

        public Choice(BitSet nodes, List<Count> counts) {
            this(nodes, counts, false);
        }

        /// The same nodes, as far as they are among those, too.
        public Choice among(BitSet those) {
            var some = (BitSet) nodes.clone();
            some.and(those);
            return new Choice(some, counts, preferred);
        }
    }

    /// So many of these nodes.
    public record Count(BitSet nodes, int least) {}

    /// Parts that are alike.
    ///
    /// @param on by kind, what one takes there; null where it cannot run
    public record Size(int parts, List<@Nullable Demand> on) {}

    /// Where jobs of a class may run.
    ///
    /// @param sizes of the parts, the largest first
    /// @param only the nodes that it may use; null for all of its kinds
    /// @param maxSwitches leaf switches that its nodes may lie under, or one domain of the level; 0
    ///   is any number
    /// @param level [Network#LEAVES], or that of one that jobs name
    /// @param preemptor whose place its jobs may have; null is nobody's
    /// @param hours when its nodes are closed to it
    /// @param pools what each of its jobs holds of the cluster's pools; empty is nothing
    /// @param plans whether its jobs may have an expected start, and keep nodes for it
    /// @param shares by kind, what the only part may take there, one for each shared GPU that will
    ///   do, in place of its size, which has the first of them; empty for jobs that want no part of
    ///   a GPU. Such jobs take nobody's place
    public record Terms(
            int tier,
            int partition,
            List<Size> sizes,
            @Nullable BitSet only,
            int maxSwitches,
            int level,
            @Nullable Preemptor preemptor,
            Hours hours,
            int[] pools,
            boolean plans,
            List<List<Demand>> shares,
            Layout layout) {

        /// Of jobs of parts of two sizes, or of the larger one alone, that no reservation touches,
        /// that want no part of a GPU, and that any nodes will do for.
        public Terms(
                int tier,
                int partition,
                int large,
                int small,
                List<@Nullable Demand> largeOn,
                List<@Nullable Demand> smallOn,
                @Nullable BitSet only,
                int maxSwitches,
                @Nullable Preemptor preemptor) {
            this(
                    tier,
                    partition,
                    small == 0
                            ? List.of(new Size(large, largeOn))
                            : List.of(new Size(large, largeOn), new Size(small, smallOn)),
                    only,
                    maxSwitches,
                    Network.LEAVES,
                    preemptor,
                    Hours.ALWAYS,
                    NOTHING,
                    true,
                    List.of(),
                    Layout.ANY);
        }

        /// Of jobs that take nobody's place.
        public Terms(
                int tier,
                int partition,
                int large,
                int small,
                List<@Nullable Demand> largeOn,
                List<@Nullable Demand> smallOn,
                @Nullable BitSet only,
                int maxSwitches) {
            this(tier, partition, large, small, largeOn, smallOn, only, maxSwitches, null);
        }

        /// The same that want a part of a GPU.
        ///
        /// @param ways as [#shares]
        public Terms sharing(List<List<Demand>> ways) {
            return with(maxSwitches, level, ways, layout);
        }

        /// The same on nodes in one domain of a level.
        ///
        /// @param named as `level`
        public Terms within(int named) {
            return with(1, named, shares, layout);
        }

        /// The same on nodes that lie so.
        public Terms in(Layout other) {
            return with(maxSwitches, level, shares, other);
        }

        private Terms with(int most, int of, List<List<Demand>> ways, Layout lie) {
            return new Terms(
                    tier, partition, sizes, only, most, of, preemptor, hours, pools, plans, ways,
                    lie);
        }
    }

    FitClass(int id, Terms terms, boolean divisible, Network network) {
        this(id, terms, divisible, network, true);
    }

    /// @param whole whether it is the class of its jobs, and not that of them on more nodes
    private FitClass(int id, Terms terms, boolean divisible, Network network, boolean whole) {
        this.network = network;
        this.id = id;
        this.divisible = divisible;
        this.tier = terms.tier();
        this.partition = terms.partition();
        this.upTo = terms.sizes().stream().mapToInt(Size::parts).toArray();
        Arrays.parallelPrefix(upTo, Integer::sum);
        this.on = new Demand[upTo.length][];
        Arrays.setAll(on, it -> terms.sizes().get(it).on().toArray(new @Nullable Demand[0]));
        this.level = terms.level();
        this.maxSwitches = parts() == 1 || !network.binds(level) ? 0 : terms.maxSwitches();
        this.only = maxSwitches == 0 ? terms.only() : network.within(level, terms.only());
        this.preemptor = terms.preemptor();
        this.hours = terms.hours();
        this.plans = terms.plans();
        this.reach =
                underOneSwitch()
                        ? new Reach(
                                network.binding(level).domainOf(),
                                network.domains(level),
                                upTo.length == 1)
                        : new Reach(null, 1, upTo.length == 1);
        this.pools = terms.pools();
        this.layout = terms.layout();
        this.shares = !terms.shares().isEmpty();
        this.ways = new Demand[on[0].length][];
        for (int kind = 0; kind < ways.length; kind++) {
            Demand least = leastOn(kind);
            ways[kind] =
                    shares
                            ? terms.shares().get(kind).toArray(NOWHERE)
                            : least == null ? NOWHERE : new Demand[] {least};
        }
        this.ownsBlocks =
                Arrays.stream(ways).flatMap(Arrays::stream).anyMatch(it -> it.tenant().block());
        boolean wider = whole && layout.spread() && layout.most() > parts();
        this.widest = wider ? onParts(layout.most()) : this;
    }

    /// Which nodes are taken first, where the cluster has that policy.
    PackingPolicy policy(PackingPolicy cluster) {
        PackingPolicy own = layout.policy();
        return own == null ? cluster : own;
    }

    int parts() {
        return upTo[upTo.length - 1];
    }

    /// Whether its jobs differ in nothing but how long they need a node now: where one finds none,
    /// no other does that needs it as long.
    boolean alike() {
        return parts() == 1 && byNodesAlone();
    }

    /// Whether nodes, each by itself, decide if a job finds room.
    boolean byNodesAlone() {
        return !spreads() && pools.length == 0 && !ownsBlocks;
    }

    /// Whether all nodes of a job must be in one domain of the level.
    boolean underOneSwitch() {
        return maxSwitches == 1;
    }

    /// Whether its jobs may have an expected start, as long as enough nodes are open, or GPUs could
    /// be divided.
    boolean plannable() {
        return plans && (able || (divisible && !barred));
    }

    /// The class of its jobs on so many nodes.
    FitClass onParts(int parts) {
        IntFunction<Terms> wider = layout.onParts();
        return parts == parts() || wider == null
                ? this
                : byParts.computeIfAbsent(
                        parts, it -> new FitClass(id, wider.apply(it), divisible, network, false));
    }

    /// Whether its jobs may have more nodes than they need, and then need less of each.
    boolean spreads() {
        return widest != this;
    }

    /// Whether enough nodes are open, were they empty.
    public boolean able() {
        return able;
    }

    /// Whether there are enough nodes at all, were they open and empty.
    public boolean capable() {
        return capable;
    }

    /// What the smallest part takes on nodes of that kind; null where none can run.
    @Nullable Demand leastOn(int kind) {
        return on[on.length - 1][kind];
    }

    /// What a part takes on nodes of that kind; null where it cannot run.
    public @Nullable Demand demand(int part, int kind) {
        int size = 0;
        while (part >= upTo[size]) {
            size++;
        }
        return on[size][kind];
    }

    /// The largest size that can run on nodes of a kind on which the smallest can.
    int largest(int kind) {
        int size = 0;
        while (on[size][kind] == null) {
            size++;
        }
        return size;
    }

    /// Whether nodes are enough for parts of all sizes.
    ///
    /// @param holding by size, how many of the nodes hold such a part and no larger one
    boolean enough(int[] holding) {
        int nodes = 0;
        for (int size = 0; size < upTo.length; size++) {
            nodes += holding[size];
            if (nodes < upTo[size]) {
                return false;
            }
        }
        return true;
    }

    /// What the smallest part may take on nodes of that kind: of shared GPUs one or the other.
    Demand[] ways(int kind) {
        return ways[kind];
    }

    /// Whether its jobs want a part of a shared GPU.
    boolean shares() {
        return shares;
    }

    /// What a part takes of the shared GPU of that lane; null if it cannot.
    @Nullable Demand wayOn(int kind, int lane) {
        for (Demand way : ways[kind]) {
            if (way.lane() == lane) {
                return way;
            }
        }
        return null;
    }

    /// The most that all parts together may take of something.
    long most(ToIntFunction<Demand> of) {
        long most = 0;
        for (int kind = 0; kind < ways.length; kind++) {
            long all = 0;
            for (int size = 0, before = 0; size < upTo.length; before = upTo[size++]) {
                Demand each = on[size][kind];
                all += each == null ? 0 : (long) (upTo[size] - before) * of.applyAsInt(each);
            }
            most = Math.max(most, all);
        }
        return most;
    }

    boolean admits(Node node) {
        return only == null || only.get(node.index);
    }
}
