package io.berth.core.engine;

import java.util.Arrays;
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
            Demand least = fit.leastOn(kind);
            if (least != null) {
                Readiness of = cluster.kinds.get(kind).readiness(least, length);
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
            Readiness of = readiness[kind];
            if (of != null && of.leaf(branch)) {
                return cluster.kinds.get(kind).nodes.get(of.place(branch));
            }
            if (of != null) {
                push(of, kind, 2 * branch);
                push(of, kind, 2 * branch + 1);
            }
        }
        return null;
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
        long key = (long) kind << KIND | of.leftmost(branch);
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
