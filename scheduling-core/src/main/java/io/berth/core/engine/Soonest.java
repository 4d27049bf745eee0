package io.berth.core.engine;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// A walk over the nodes that a class may use, from the one that may have room first on.
///
/// The heap holds branches of the kinds' readiness. Ties go to the first kind, then to the branch
/// furthest to the left, so that among nodes that are alike it goes straight down to the first.
final class Soonest {

    private static final int KIND = 32;

    private final Cluster cluster;
    private final @Nullable Readiness[] readiness;

    /// The branches, by time, then by [#key].
    private final Heap heap = new Heap();

    private long readyAt;

    /// @param length for which a node must be free, in milliseconds
    Soonest(Cluster cluster, FitClass fit, long length) {
        this.cluster = cluster;
        this.readiness = new Readiness[cluster.kinds.size()];
        for (int kind = 0; kind < readiness.length; kind++) {
            Readiness of = cluster.kinds.get(kind).readiness(fit, length);
            if (of != null) {
                readiness[kind] = of;
                push(of, kind, 1);
            }
        }
    }

    /// The next node; null after the last.
    @Nullable Node next() {
        while (!heap.isEmpty()) {
            readyAt = heap.first();
            int kind = (int) (heap.second() >>> KIND);
            int branch = heap.item();
            heap.pop();
            Readiness of = Objects.requireNonNull(readiness[kind]);
            while (branch > 0 && !of.leaf(branch)) {
                branch = down(of, kind, branch);
            }
            if (branch > 0) {
                return cluster.kinds.get(kind).nodes.get(of.place(branch));
            }
        }
        return null;
    }

    /// The branch below one that comes before all others; 0 if none below it does.
    private int down(Readiness of, int kind, int branch) {
        int left = 2 * branch;
        int first = of.earliest(left) <= of.earliest(left + 1) ? left : left + 1;
        push(of, kind, left + left + 1 - first);
        if (heap.isBefore(of.earliest(first), key(of, kind, first))) {
            return first;
        }
        push(of, kind, first);
        return 0;
    }

    /// Its kind, and the leaf below it that is furthest to the left.
    private static long key(Readiness of, int kind, int branch) {
        return (long) kind << KIND | of.leftmost(branch);
    }

    /// From when on the last node may have room.
    long readyAt() {
        return readyAt;
    }

    private void push(Readiness of, int kind, int branch) {
        long time = of.earliest(branch);
        if (time != Readiness.NEVER) {
            heap.push(time, key(of, kind, branch), branch);
        }
    }
}
