package io.berth.submit;

import io.berth.submit.Refusal.LimitReached;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.LongSupplier;

/// The room for jobs that wait and run at once: Slurm's MaxJobCount, of which each task of an array
/// is one. Every service that follows the log has them in its memory.
///
/// Those count that the gateway has read from the log, and all that it let in shortly before, which
/// may not be among them yet. Other gateways do the same; what they let in meanwhile does not count
/// here.
public final class JobRoom {
    private static final long MAY_BE_UNREAD_MILLIS = 3_000;

    private record LetIn(long at, long jobs) {}

    private final long most;
    private final LongSupplier clock;
    private final Deque<LetIn> lately = new ArrayDeque<>();
    private long unread;

    /// @param most jobs
    /// @param clock epoch milliseconds
    public JobRoom(long most, LongSupplier clock) {
        this.most = most;
        this.clock = clock;
    }

    /// Lets some more in. For several threads.
    ///
    /// @param read those that wait or run as the log was read
    /// @throws Refused if they would be too many
    public synchronized void take(long read, long jobs) throws Refused {
        long now = clock.getAsLong();
        while (!lately.isEmpty() && lately.getFirst().at() < now - MAY_BE_UNREAD_MILLIS) {
            unread -= lately.removeFirst().jobs();
        }
        if (read + unread + jobs > most) {
            throw new Refused(
                    new LimitReached(
                            "MaxJobCount: %d jobs may wait or run at once, and %d do"
                                    .formatted(most, read + unread)));
        }
        lately.addLast(new LetIn(now, jobs));
        unread += jobs;
    }
}
