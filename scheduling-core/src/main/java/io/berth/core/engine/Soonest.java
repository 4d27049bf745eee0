package io.berth.core.engine;

import java.util.Comparator;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/// A walk over the nodes that a class may use, from the one that will be ready first on.
final class Soonest {

    private record Branch(long time, int kind, int level, int branch) {}

    private static final Comparator<Branch> ORDER =
            Comparator.comparingLong(Branch::time)
                    .thenComparingInt(Branch::kind)
                    .thenComparingInt(Branch::branch);

    private final Cluster cluster;
    private final PriorityQueue<Branch> branches = new PriorityQueue<>(ORDER);
    private long readyAt;

    Soonest(Cluster cluster, FitClass fit) {
        this.cluster = cluster;
        for (int kind = 0; kind < cluster.kinds.size(); kind++) {
            Demand least = fit.leastOn(kind);
            if (least != null) {
                push(kind, cluster.kinds.get(kind).level(least), 1);
            }
        }
    }

    /// The next node; null after the last.
    @Nullable Node next() {
        while (true) {
            Branch next = branches.poll();
            if (next == null) {
                return null;
            }
            Readiness readiness = cluster.kinds.get(next.kind).readiness(next.level);
            if (readiness.leaf(next.branch)) {
                readyAt = next.time;
                return cluster.kinds.get(next.kind).nodes.get(readiness.place(next.branch));
            }
            push(next.kind, next.level, 2 * next.branch);
            push(next.kind, next.level, 2 * next.branch + 1);
        }
    }

    /// When the last node will be ready by the ends of runs alone; 0 for now.
    long readyAt() {
        return readyAt;
    }

    private void push(int kind, int level, int branch) {
        long time = cluster.kinds.get(kind).readiness(level).earliest(branch);
        if (time != Readiness.NEVER) {
            branches.add(new Branch(time, kind, level, branch));
        }
    }
}
