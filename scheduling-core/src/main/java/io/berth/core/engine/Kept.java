package io.berth.core.engine;

import io.berth.core.engine.FitClass.Choice;
import java.util.Arrays;
import java.util.List;

/// Whether nodes that are said to be kept for a job, by an expected start or a clearing, are such
/// as it may have: the cluster may have become another one since.
final class Kept {

    private final Cluster cluster;

    Kept(Cluster cluster) {
        this.cluster = cluster;
    }

    /// @param lane of the shared GPU of which the only part takes some; [Search#WHOLE] for none
    boolean allowed(FitClass fit, int[] nodes, int lane) {
        return fit.shares()
                ? fit.wayOn(cluster.kind(nodes[0]), lane) != null
                : lane == Search.WHOLE;
    }

    boolean allowed(FitClass fit, int[] nodes) {
        boolean more = nodes.length > fit.parts() && nodes.length <= fit.layout.most();
        FitClass on = fit.spreads() && more ? fit.onParts(nodes.length) : fit;
        boolean allowed = nodes.length == on.parts();
        for (int part = 0; part < nodes.length && allowed; part++) {
            Node node = nodes[part] < 0 ? null : cluster.node(nodes[part]);
            allowed = node != null && fit.admits(node) && on.demand(part, node.kind.number) != null;
        }
        int segment = on.layout.segment();
        List<Choice> choices = on.layout.choices();
        return allowed
                && cluster.network.holds(on, nodes)
                && (segment == 0 || cluster.network.inSegments(nodes, segment))
                && (choices.isEmpty() || choices.stream().anyMatch(it -> Slots.fill(it, nodes)));
    }

    /// Whether the job may start then, and the nodes are open to it from there to its end.
    static boolean open(Waiting job, long start, int[] nodes) {
        Hours hours = job.fit.hours;
        long end = job.length == Node.NEVER ? Node.NEVER : start + job.length;
        return start < job.lastStart
                && Arrays.stream(nodes)
                        .allMatch(node -> Hours.openUntil(hours.of(node), start) >= end);
    }
}
