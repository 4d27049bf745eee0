package io.berth.placement;

import io.berth.placement.kafka.Fatal;
import java.util.function.LongSupplier;

/// The time of a cell, in epoch milliseconds. It begins at the broker's time, or where the cell's
/// last round stood if that is later, and from there on follows the monotonic clock. Each time the
/// broker's is heard it is drawn towards that, by a tenth of the time that passes at most: it never
/// goes back, and jumps with no clock.
///
/// What the broker says is known to have been true somewhere between a question and its answer:
/// only what lies outside of that counts as an offset. There is no time before the first answer.
final class CellTime {

    /// How far this machine's clock may be from the broker's.
    static final long TOLERANCE_MILLIS = 2_000;

    private static final long MOST_SLEW = 10;
    private static final long NANOS = 1_000_000;

    private final long lastRound;
    private final LongSupplier wallClock;
    private final LongSupplier nanoClock;
    private boolean begun;
    private long cellNanos;
    private long readNanos;

    /// What is to be added to the time, little by little.
    private long owedNanos;

    private long wallAsked;
    private long cellAsked;
    private long machineOffset;
    private long cellOffset;

    /// @param lastRound time of the cell's last round
    /// @param wallClock epoch milliseconds
    CellTime(long lastRound, LongSupplier wallClock, LongSupplier nanoClock) {
        this.lastRound = lastRound;
        this.wallClock = wallClock;
        this.nanoClock = nanoClock;
    }

    long now() {
        if (!begun) {
            throw new IllegalStateException("tell the cell's time: the broker's is not known yet");
        }
        long nanos = nanoClock.getAsLong();
        long passed = nanos - readNanos;
        long most = passed / MOST_SLEW;
        long slewed = Math.clamp(owedNanos, -most, most);
        owedNanos -= slewed;
        cellNanos += passed + slewed;
        readNanos = nanos;
        return cellNanos / NANOS;
    }

    /// The broker is asked for its time now.
    void asking() {
        wallAsked = wallClock.getAsLong();
        cellAsked = begun ? now() : 0;
    }

    /// The broker's answer to what was asked last.
    ///
    /// @throws Fatal if this machine's clock is too far from it
    void heard(long brokerMillis) {
        machineOffset = offset(wallAsked, wallClock.getAsLong(), brokerMillis);
        if (Math.abs(machineOffset) > TOLERANCE_MILLIS) {
            throw new Fatal(
                    "this machine's clock is %d ms off the broker's: a leader's clock must be within %d ms"
                            .formatted(machineOffset, TOLERANCE_MILLIS));
        }
        if (!begun) {
            begun = true;
            readNanos = nanoClock.getAsLong();
            cellNanos = Math.max(lastRound, brokerMillis) * NANOS;
            cellAsked = now();
        }
        cellOffset = offset(cellAsked, now(), brokerMillis);
        owedNanos = -cellOffset * NANOS;
    }

    /// How far this machine's clock was ahead of the broker's when that was heard last, in
    /// milliseconds.
    long machineOffset() {
        return machineOffset;
    }

    /// How far the cell's time was ahead of the broker's.
    long cellOffset() {
        return cellOffset;
    }

    private static long offset(long asked, long heard, long broker) {
        return asked > broker ? asked - broker : Math.min(0, heard - broker);
    }
}
