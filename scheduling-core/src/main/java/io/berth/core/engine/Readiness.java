package io.berth.core.engine;

import java.util.Arrays;

/// A time for each node of a kind, in a tournament tree: setting one costs a logarithm, and nodes
/// can be walked from the earliest time on without sorting.
final class Readiness {

    /// A time that never comes.
    static final long NEVER = Long.MAX_VALUE;

    private final int leaves;
    private final long[] earliest;

    Readiness(int size) {
        int power = 1;
        while (power < size) {
            power <<= 1;
        }
        leaves = power;
        earliest = new long[2 * power];
        Arrays.fill(earliest, NEVER);
    }

    void set(int place, long time) {
        int at = leaves + place;
        if (earliest[at] == time) {
            return;
        }
        earliest[at] = time;
        for (at >>= 1; at >= 1; at >>= 1) {
            long least = Math.min(earliest[2 * at], earliest[2 * at + 1]);
            if (earliest[at] == least) {
                return;
            }
            earliest[at] = least;
        }
    }

    /// The earliest time under a branch; branch 1 is the root.
    long earliest(int branch) {
        return earliest[branch];
    }

    /// The leaf furthest to the left under a branch.
    int leftmost(int branch) {
        return branch
                << (Integer.numberOfLeadingZeros(branch) - Integer.numberOfLeadingZeros(leaves));
    }

    boolean leaf(int branch) {
        return branch >= leaves;
    }

    int place(int leaf) {
        return leaf - leaves;
    }
}
