package io.berth.core.packing;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/// A cluster that is filled by a policy, one arrival at a time.
///
/// Costs are remembered by shape and node, so that an arrival only asks the policy about the nodes
/// that changed since that shape came last.
public final class Packer {

    private static final long DOES_NOT_FIT = Long.MAX_VALUE;

    private final FreeNode[] nodes;
    private final int[] changes;
    private final PackingPolicy policy;
    private final Map<Shape, Costs> costs = new HashMap<>();

    /// The costs of one shape by node, and the change of the node that each is for.
    private static final class Costs {

        final long[] cost;
        final int[] change;
        int version;

        Costs(int nodes) {
            cost = new long[nodes];
            change = new int[nodes];
        }
    }

    /// @param nodes in the order that decides between equals; they are copied
    public Packer(List<FreeNode> nodes, PackingPolicy policy) {
        this.nodes =
                IntStream.range(0, nodes.size())
                        .mapToObj(at -> nodes.get(at).copy(at))
                        .toArray(FreeNode[]::new);
        this.changes = new int[nodes.size()];
        Arrays.fill(changes, 1);
        this.policy = policy;
    }

    /// Places the shape.
    ///
    /// @return the node's index, -1 if it fits nowhere
    public int place(Shape shape) {
        policy.arrived(shape);
        int best = cheapest(shape);
        if (best >= 0) {
            FreeNode node = nodes[best];
            long chosen = policy.gpus(node, shape);
            node.take(shape, chosen);
            if (shape.gpus() > 0) {
                node.kinds |= GpuClustering.kind(shape);
            }
            changes[best]++;
        }
        return best;
    }

    private int cheapest(Shape shape) {
        Costs known = costs.computeIfAbsent(shape, _ -> new Costs(nodes.length));
        if (known.version != policy.version()) {
            known.version = policy.version();
            Arrays.fill(known.change, 0);
        }
        int best = -1;
        long least = DOES_NOT_FIT;
        for (int node = 0; node < nodes.length; node++) {
            if (known.change[node] != changes[node]) {
                known.change[node] = changes[node];
                known.cost[node] =
                        nodes[node].fits(shape) ? policy.cost(nodes[node], shape) : DOES_NOT_FIT;
            }
            if (known.cost[node] < least) {
                least = known.cost[node];
                best = node;
            }
        }
        return best;
    }

    /// What is free now, in the order given.
    public List<FreeNode> free() {
        var free = new ArrayList<FreeNode>();
        for (FreeNode node : nodes) {
            free.add(node.copy(node.number));
        }
        return free;
    }
}
