package io.berth.agent;

import java.time.Duration;
import java.util.Arrays;
import java.util.OptionalInt;

/// The mean of a use over the last of the time for which it was seen. That time is kept in slots,
/// of which the oldest is given up as a whole.
///
/// Not safe for use by several threads.
final class UseWindow {

    private static final int SLOTS = 30;

    private final long slotNanos;
    private final long[] nanos = new long[SLOTS + 1];
    private final double[] worked = new double[SLOTS + 1];
    private int at;

    /// @param span how far back it looks
    UseWindow(Duration span) {
        this.slotNanos = Math.max(1, span.toNanos() / SLOTS);
    }

    /// It was used so much for so long.
    ///
    /// @param percent of that time
    void add(long time, double percent) {
        long left = Math.min(time, slotNanos * SLOTS);
        while (left > 0) {
            if (nanos[at] == slotNanos) {
                at = (at + 1) % nanos.length;
                nanos[at] = 0;
                worked[at] = 0;
            }
            long here = Math.min(left, slotNanos - nanos[at]);
            nanos[at] += here;
            worked[at] += here * percent;
            left -= here;
        }
    }

    /// The mean in percent, rounded down; nothing before it was seen for all of the time.
    OptionalInt mean() {
        long seen = Arrays.stream(nanos).sum();
        return seen < slotNanos * SLOTS
                ? OptionalInt.empty()
                : OptionalInt.of((int) (Arrays.stream(worked).sum() / seen));
    }
}
