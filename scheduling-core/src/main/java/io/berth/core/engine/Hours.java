package io.berth.core.engine;

import java.util.Arrays;

/// When nodes are closed to a class of jobs, because they are reserved for others, or are reserved
/// for it no longer.
public final class Hours {

    /// The times of a node that never closes.
    static final long[] OPEN = {};

    /// Of a class to which no node is ever closed.
    public static final Hours ALWAYS = new Hours(new long[0][], Long.MAX_VALUE);

    private final long[][] closed;
    final long lastStart;

    /// @param closed by node, the times at which it closes and opens again, in turn and rising, in
    ///   epoch milliseconds
    /// @param lastStart before which a job must have started
    public Hours(long[][] closed, long lastStart) {
        this.closed = closed;
        this.lastStart = lastStart;
    }

    /// The times at which a node closes and opens again, in turn and rising.
    long[] of(int node) {
        return node < closed.length ? closed[node] : OPEN;
    }

    /// Until when a node that closes at these times is open from a time on: that time itself if it
    /// is closed, [Node#NEVER] if it is open for ever.
    static long openUntil(long[] closed, long time) {
        if (closed.length == 0) {
            return Node.NEVER;
        }
        int passed = passed(closed, time);
        return passed % 2 == 1 ? time : passed < closed.length ? closed[passed] : Node.NEVER;
    }

    /// How many of the times have come.
    static int passed(long[] closed, long time) {
        int at = Arrays.binarySearch(closed, time);
        return at >= 0 ? at + 1 : -at - 1;
    }
}
