package io.berth.core.engine;

import io.berth.core.engine.FitClass.Choice;
import io.berth.core.engine.FitClass.Count;
import io.berth.core.engine.Later.Wish;
import io.berth.core.engine.Node.Clock;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Comparator;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/// When nodes have room for a part of a gang, from a time on that only goes on. Of the soonest
/// nodes it looks at no more than may be ready by when the gang may start.
final class ReadyNodes {

    private final Cluster cluster;
    private final Wish wish;
    private final int most;
    private Node[] nodes;
    private int count;

    /// By size of parts, the largest first, then by node.
    private final long[][] ready;

    /// The nodes that are not looked at yet; null if there are none.
    private final @Nullable Soonest others;

    /// Those that do not come with the others: the gang's own, and those that it must have.
    private final BitSet taken = new BitSet();

    private @Nullable Node other;

    /// Any nodes, those that may have room first.
    ReadyNodes(Cluster cluster, Wish wish) {
        this.cluster = cluster;
        this.wish = wish;
        FitClass.Layout layout = wish.fit().layout;
        boolean all = layout.inRow() || !layout.choices().isEmpty();
        int many = all ? cluster.size() : Math.max(Later.STEPS, 4 * wish.fit().parts());
        this.most = Math.min(many, cluster.size());
        this.nodes = new Node[0];
        this.ready = new long[wish.fit().upTo.length][0];
        this.others = new Soonest(cluster, wish.fit(), wish.length());
        for (int node : wish.own()) {
            take(cluster.node(node));
        }
        layout.among().stream()
                .filter(it -> it < cluster.size() && !taken.get(it))
                .mapToObj(cluster::node)
                .filter(it -> it.open)
                .forEach(this::take);
        other = nextOther();
    }

    /// These nodes.
    ReadyNodes(Cluster cluster, Wish wish, Node[] nodes) {
        this.cluster = cluster;
        this.wish = wish;
        this.most = nodes.length;
        this.nodes = nodes;
        this.count = nodes.length;
        this.ready = new long[wish.fit().upTo.length][count];
        this.others = null;
        for (long[] its : ready) {
            Arrays.fill(its, Long.MIN_VALUE);
        }
    }

    private void take(Node node) {
        taken.set(node.index);
        add(node);
    }

    private void add(Node node) {
        if (count == nodes.length) {
            nodes = Arrays.copyOf(nodes, 2 * count + wish.fit().parts());
            for (int size = 0; size < ready.length; size++) {
                ready[size] = Arrays.copyOf(ready[size], nodes.length);
            }
        }
        nodes[count] = node;
        for (long[] its : ready) {
            its[count] = Long.MIN_VALUE;
        }
        count++;
    }

    private @Nullable Node nextOther() {
        Node node = others == null ? null : others.next();
        while (others != null
                && node != null
                && (taken.get(node.index) || !wish.fit().admits(node))) {
            node = others.next();
        }
        return others == null || others.readyAt() >= wish.before() ? null : node;
    }

    /// By when the next of the others may be ready.
    private long otherReadyAt() {
        return others == null || other == null ? Node.NEVER : others.readyAt();
    }

    /// Whether there are nodes that it has not looked at and that may be ready before a time.
    boolean more(long time) {
        return otherReadyAt() < time;
    }

    /// Looks at more nodes that may be ready by a time: at no more than the most, unless those will
    /// never do. False: there are none.
    private boolean grow(long by) {
        int before = count;
        int wanted = Math.max(wish.fit().parts(), 2 * count);
        wanted = by == Node.NEVER ? wanted : Math.min(wanted, most);
        while (other != null && count < wanted && otherReadyAt() <= by) {
            add(other);
            other = nextOther();
        }
        return count > before;
    }

    /// The first time from one on at which enough nodes may be ready together.
    long soonest(long time) {
        long soonest;
        do {
            from(time);
            soonest = soonest();
        } while (grow(soonest));
        return Math.max(time, soonest);
    }

    private long soonest() {
        FitClass fit = wish.fit();
        if (count < fit.parts()) {
            return Node.NEVER;
        }
        long[] least = ready[ready.length - 1];
        long among = wish.from();
        for (int i = 0; i < count; i++) {
            if (fit.layout.among().get(nodes[i].index)) {
                among = Math.max(among, least[i]);
            }
        }
        long[] times = Arrays.copyOf(least, count);
        long chosen = chosenFor(fit, nodes, times);
        if (fit.layout.segment() > 0) {
            chosen = Math.max(chosen, new Segments(cluster.network, fit).readyAt(nodes, times));
        }
        long all = Math.max(among, chosen);
        for (int size = 0; size < ready.length; size++) {
            all = Math.max(all, nth(Arrays.copyOf(ready[size], count), fit.upTo[size]));
        }
        return all;
    }

    /// Goes on to a time.
    void from(long time) {
        for (int i = 0; i < count; i++) {
            int kind = cluster.kind(nodes[i].index);
            for (int size = 0; size < ready.length; size++) {
                if (ready[size][i] < time) {
                    Demand demand = wish.fit().on[size][kind];
                    ready[size][i] = wish.earliest(cluster, nodes[i], demand, time, Node.NEVER);
                }
            }
        }
    }

    /// The next time after one at which something comes free or is taken on a node.
    long nextStep(long time) {
        long next = count < most ? otherReadyAt() : Node.NEVER;
        for (int i = 0; i < count; i++) {
            Clock clock = Search.clock(wish.now());
            next = Math.min(next, cluster.nextStep(nodes[i], wish.fit(), time, clock));
        }
        return next;
    }

    /// The nodes that have room at the time that it stands at.
    Usable usableAt(long time) {
        var usable = new Usable(wish.fit());
        for (int i = 0; i < count; i++) {
            Demand demand = wish.fit().leastOn(cluster.kind(nodes[i].index));
            if (demand != null && ready[ready.length - 1][i] == time) {
                int size = 0;
                while (ready[size][i] != time) {
                    size++;
                }
                usable.add(nodes[i], demand, size);
            }
        }
        return usable;
    }

    /// The time by which so many are ready.
    ///
    /// @param times in no order; they are sorted
    private static long nth(long[] times, int count) {
        Arrays.sort(times);
        return times[count - 1];
    }

    /// When the first of a class's choices may have enough nodes; 0 where there is none.
    ///
    /// @param ready by node that is open, when it may be ready
    private static long chosenFor(FitClass fit, Node[] open, long[] ready) {
        if (fit.layout.choices().isEmpty()) {
            return 0;
        }
        int[] rising =
                IntStream.range(0, ready.length)
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
}
