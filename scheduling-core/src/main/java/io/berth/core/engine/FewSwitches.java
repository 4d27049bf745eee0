package io.berth.core.engine;

import java.util.Arrays;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashSet;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/// A walk over the leaf switches, or the domains of the level that binds the class, under which a
/// gang may have room together, from those where it may first on, for a class that allows only so
/// many.
///
/// With one switch none is left out. With more, a switch is taken together with those under which
/// the most nodes are ready by then.
final class FewSwitches implements NodeWalk {

    private final Cluster cluster;
    private final FitClass fit;
    private final Soonest soonest;
    private final BitSet own = new BitSet();
    private final int[] ready;

    /// The switches of the nodes that must be among the gang's.
    private final BitSet named = new BitSet();

    private final Set<BitSet> told = new HashSet<>();
    private int nextOwn;

    /// Nodes that are ready under one switch at most.
    private int most;

    /// @param own nodes of which more is free than their readiness says
    FewSwitches(Cluster cluster, FitClass fit, long length, int[] own) {
        this.cluster = cluster;
        this.fit = fit;
        this.soonest = new Soonest(cluster, fit, length);
        this.ready = new int[cluster.network.domains(fit.level)];
        Arrays.stream(own).forEach(this.own::set);
        fit.layout.among().stream()
                .filter(node -> node < cluster.size())
                .map(node -> cluster.network.domain(fit.level, node))
                .filter(leaf -> leaf >= 0)
                .forEach(named::set);
    }

    /// The nodes under the next switches that the class may use and that are open.
    @Override
    public Node @Nullable [] next(long before) {
        for (int node = own.nextSetBit(nextOwn); node >= 0; node = own.nextSetBit(nextOwn)) {
            nextOwn = node + 1;
            BitSet switches = count(cluster.node(node));
            if (switches != null) {
                return under(switches);
            }
        }
        for (Node node = soonest.next();
                node != null && soonest.readyAt() < before;
                node = soonest.next()) {
            BitSet switches = own.get(node.index) || !fit.admits(node) ? null : count(node);
            if (switches != null) {
                return under(switches);
            }
        }
        return null;
    }

    /// One more node is ready: the switches that hold the gang by it; null if they do not, or were
    /// told before.
    private @Nullable BitSet count(Node node) {
        int leaf = cluster.network.domain(fit.level, node.index);
        if (leaf < 0) {
            return null;
        }
        ready[leaf]++;
        most = Math.max(most, ready[leaf]);
        if ((long) most * fit.maxSwitches < fit.parts()) {
            return null;
        }
        var switches = (BitSet) named.clone();
        switches.set(leaf);
        int more = fit.maxSwitches - switches.cardinality();
        if (more < 0) {
            return null;
        }
        if (more > 0) {
            IntStream.range(0, ready.length)
                    .filter(it -> !switches.get(it) && ready[it] > 0)
                    .boxed()
                    .sorted(Comparator.comparingInt(it -> -ready[it]))
                    .limit(more)
                    .toList()
                    .forEach(switches::set);
        }
        int nodes = switches.stream().map(it -> ready[it]).sum();
        return nodes >= fit.parts() && told.add(switches) ? switches : null;
    }

    private Node[] under(BitSet switches) {
        return switches.stream()
                .flatMap(it -> Arrays.stream(cluster.network.under(fit.level, it)))
                .mapToObj(cluster::node)
                .filter(it -> it.open && fit.admits(it) && fit.leastOn(it.kind.number) != null)
                .toArray(Node[]::new);
    }
}
