package io.berth.contracts.event;

import io.berth.contracts.MigPlacement;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A GPU that was ordered to be divided anew by MIG.
///
/// @param gpu its UUID
/// @param since when it was ordered, in epoch milliseconds
/// @param wanted what it is being divided into: until its node registers again nothing of it is
///   given out; null if that is over
/// @param until it is not divided again before, in epoch milliseconds
/// @param failures how often in a row it did not become what was ordered
public record Division(
        String gpu, long since, @Nullable List<MigPlacement> wanted, long until, int failures) {

    /// The first wait after a failure; it doubles with each.
    static final long FIRST_WAIT_MILLIS = 60_000;

    static final int MOST_DOUBLINGS = 6;

    /// For which its outcome is waited for, at least.
    static final long PATIENCE_MILLIS = 60_000;

    public Division {
        wanted = wanted == null ? null : List.copyOf(wanted);
    }

    public boolean inProgress() {
        return wanted != null;
    }

    /// When the wait is over: one that is in progress is not counted on any more, or the GPU may be
    /// divided again.
    public long over() {
        return inProgress() ? Math.max(until, since + PATIENCE_MILLIS) : until;
    }

    /// Whether it is in progress and may be counted on: a driver that hangs brings nothing.
    public boolean expected(long now) {
        return inProgress() && now < over();
    }

    /// It became what was ordered.
    public Division done() {
        return new Division(gpu, since, null, until, 0);
    }

    /// It did not become what was ordered: it is left alone for a while, longer each time.
    public Division failed(long now) {
        long wait = FIRST_WAIT_MILLIS << Math.min(failures, MOST_DOUBLINGS);
        return new Division(gpu, since, null, Math.max(until, now + wait), failures + 1);
    }
}
