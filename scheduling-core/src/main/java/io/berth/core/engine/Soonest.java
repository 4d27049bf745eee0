package io.berth.core.engine;

import java.util.Arrays;
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
    private long[] times = new long[64];

    /// By branch, packed: its kind, and the leaf below it that is furthest to the left.
    private long[] keys = new long[64];

    private int[] branches = new int[64];
    private int size;
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
        while (size > 0) {
            readyAt = times[0];
            int kind = (int) (keys[0] >>> KIND);
            int branch = branches[0];
            pop();
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
        if (size == 0 || before(of.earliest(first), key(of, kind, first), 0)) {
            return first;
        }
        push(of, kind, first);
        return 0;
    }

    private static long key(Readiness of, int kind, int branch) {
        return (long) kind << KIND | of.leftmost(branch);
    }

    /// From when on the last node may have room.
    long readyAt() {
        return readyAt;
    }

    private void push(Readiness of, int kind, int branch) {
        long time = of.earliest(branch);
        if (time == Readiness.NEVER) {
            return;
        }
        if (size == times.length) {
            times = Arrays.copyOf(times, 2 * size);
            keys = Arrays.copyOf(keys, 2 * size);
            branches = Arrays.copyOf(branches, 2 * size);
        }
        long key = key(of, kind, branch);
        int hole = size++;
        while (hole > 0 && before(time, key, (hole - 1) / 2)) {
            move((hole - 1) / 2, hole);
            hole = (hole - 1) / 2;
        }
        put(hole, time, key, branch);
    }

    private void pop() {
        size--;
        long time = times[size];
        long key = keys[size];
        int hole = 0;
        while (2 * hole + 1 < size) {
            int child = 2 * hole + 1;
            if (child + 1 < size && before(times[child + 1], keys[child + 1], child)) {
                child++;
            }
            if (before(time, key, child)) {
                break;
            }
            move(child, hole);
            hole = child;
        }
        put(hole, time, key, branches[size]);
    }

    private void move(int from, int to) {
        put(to, times[from], keys[from], branches[from]);
    }

    private void put(int at, long time, long key, int branch) {
        times[at] = time;
        keys[at] = key;
        branches[at] = branch;
    }

    private boolean before(long time, long key, int other) {
        return time != times[other] ? time < times[other] : key < keys[other];
    }
}
