package io.berth.core.engine;

import java.util.Arrays;

/// Until when the jobs of a fit class could have nodes from now on: for each part of a job one
/// time, those of the nodes that they could have longest. No job of the class can start now whose
/// window ends after the least of them.
///
/// An upper bound for jobs as short as those that wait ([Shortest]): it is lowered by trying, and
/// raised when something comes free on a node. That another run takes something leaves it as it is.
final class Reach {

    /// Rising.
    private final long[] untils;

    /// @param parts of a job of the class
    Reach(int parts) {
        this.untils = new long[parts];
        open();
    }

    /// Nothing is known.
    void open() {
        Arrays.fill(untils, Node.NEVER);
    }

    /// No job can start now whose window ends later.
    long end() {
        return untils[0];
    }

    /// How many nodes could be had until then.
    int nodesUntil(long end) {
        int few = 0;
        while (few < untils.length && untils[few] < end) {
            few++;
        }
        return untils.length - few;
    }

    /// Something came free on a node, which could be had until then.
    void raise(long until) {
        if (until > untils[0]) {
            int at = 0;
            while (at + 1 < untils.length && untils[at + 1] < until) {
                untils[at] = untils[at + 1];
                at++;
            }
            untils[at] = until;
        }
    }

    /// No job can start now whose window ends after that.
    void lower(long end) {
        untils[0] = Math.min(untils[0], end);
    }

    /// So long, and not longer, all nodes could be had.
    ///
    /// @param all rising
    /// @param count of them, the longest last
    void set(long[] all, int count) {
        int known = Math.min(count, untils.length);
        Arrays.fill(untils, 0, untils.length - known, 0);
        System.arraycopy(all, count - known, untils, untils.length - known, known);
    }
}
