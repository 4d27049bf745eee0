package io.berth.core.engine;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// A walk over the nodes that a class may use, from the one that may have room first on.
///
/// The heap holds branches of the kinds' readiness, each as a time and, packed, its kind and its
/// number: ties go to the first kind, then to the upper and left branch.
final class Soonest {

    private static final int BRANCH_BITS = 32;

    private final Cluster cluster;
    private final @Nullable Readiness[] readiness;
    private long[] times = new long[64];
    private long[] branches = new long[64];
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
            int kind = (int) (branches[0] >>> BRANCH_BITS);
            int branch = (int) branches[0];
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
            branches = Arrays.copyOf(branches, 2 * size);
        }
        put(size++, time, (long) kind << BRANCH_BITS | branch);
    }

    private void put(int at, long time, long branch) {
        int to = at;
        while (to > 0 && before(time, branch, (to - 1) / 2)) {
            times[to] = times[(to - 1) / 2];
            branches[to] = branches[(to - 1) / 2];
            to = (to - 1) / 2;
        }
        times[to] = time;
        branches[to] = branch;
    }

    private void pop() {
        size--;
        long time = times[size];
        long branch = branches[size];
        int hole = 0;
        while (2 * hole + 1 < size) {
            int child = 2 * hole + 1;
            if (child + 1 < size && before(times[child + 1], branches[child + 1], child)) {
                child++;
            }
            if (before(time, branch, child)) {
                break;
            }
            times[hole] = times[child];
            branches[hole] = branches[child];
            hole = child;
        }
        times[hole] = time;
        branches[hole] = branch;
    }

    private boolean before(long time, long branch, int other) {
        return time != times[other] ? time < times[other] : branch < branches[other];
    }
}
