package io.berth.core.engine;

import java.util.Arrays;
import java.util.BitSet;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/// A walk over the blocks in which a gang may have its segments, from those where nodes are ready
/// first on: twice as many segments each time.
final class ReadySegments implements NodeWalk {

    private final Cluster cluster;
    private final FitClass fit;
    private final Soonest soonest;
    private final BitSet own = new BitSet();
    private final int[] ready;
    private int whole;
    private int wanted;
    private boolean started;
    private boolean over;

    /// @param own nodes of which more is free than their readiness says
    ReadySegments(Cluster cluster, FitClass fit, long length, int[] own) {
        this.cluster = cluster;
        this.fit = fit;
        this.soonest = new Soonest(cluster, fit, length);
        this.ready = new int[cluster.network.blocks()];
        this.wanted = fit.parts() / fit.layout.segment();
        Arrays.stream(own).forEach(this.own::set);
    }

    @Override
    public Node @Nullable [] next(long before) {
        if (!started) {
            started = true;
            own.stream().mapToObj(cluster::node).forEach(this::count);
        }
        int told = whole;
        while (whole < wanted && !over) {
            Node node = soonest.next();
            if (node == null || soonest.readyAt() >= before) {
                over = true;
            } else if (!own.get(node.index) && fit.admits(node)) {
                count(node);
            }
        }
        int least = fit.parts() / fit.layout.segment();
        if (whole < least || (over && whole == told && wanted > least)) {
            return null;
        }
        wanted = 2 * whole;
        return nodes();
    }

    private void count(Node node) {
        int block = cluster.network.block(node.index);
        if (block >= 0 && ++ready[block] % fit.layout.segment() == 0) {
            whole++;
        }
    }

    /// Those of the blocks that have a whole segment ready.
    private Node[] nodes() {
        return IntStream.range(0, ready.length)
                .filter(block -> ready[block] >= fit.layout.segment())
                .flatMap(block -> Arrays.stream(cluster.network.inBlock(block)))
                .mapToObj(cluster::node)
                .filter(it -> it.open && fit.admits(it) && fit.leastOn(it.kind.number) != null)
                .toArray(Node[]::new);
    }
}
