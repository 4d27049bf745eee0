package io.berth.placement;

import java.util.function.LongSupplier;

/// The time of a cell, in epoch milliseconds. It begins at the wall clock, or where the cell's last
/// round stood if that is later, and from there on follows the monotonic clock: it never goes back
/// and does not jump with the wall clock.
final class CellTime {

    private final LongSupplier nanoClock;
    private final long startMillis;
    private final long startNanos;

    /// @param lastRound time of the cell's last round
    CellTime(long lastRound, LongSupplier wallClock, LongSupplier nanoClock) {
        this.nanoClock = nanoClock;
        this.startMillis = Math.max(lastRound, wallClock.getAsLong());
        this.startNanos = nanoClock.getAsLong();
    }

    long now() {
        return startMillis + (nanoClock.getAsLong() - startNanos) / 1_000_000;
    }
}
