package io.berth.contracts.event;

import io.berth.contracts.JobId;
import io.berth.contracts.SuspendCause;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The times at which a run stood still.
///
/// @param count suspensions that were ordered so far: the last one's `nth`
/// @param millis how long those that are over lasted in all
/// @param current null unless the run is being suspended, is suspended or waits to go on
public record Suspensions(int count, long millis, @Nullable Current current) {

    public static final Suspensions NONE = new Suspensions(0, 0, null);

    /// A suspension that is not over.
    ///
    /// @param by the operator who asked for it; null for another cause
    /// @param preemptor the job that the run gives way to; null for another cause
    /// @param open indices of the parts that have not answered; with none left the run stands still
    /// @param since when the last part answered, in cell time; 0 before
    /// @param resuming whether it ends as soon as the run's CPUs are free
    public record Current(
            SuspendCause cause,
            @Nullable String by,
            @Nullable JobId preemptor,
            List<Integer> open,
            long since,
            boolean resuming) {

        public Current {
            open = List.copyOf(open);
        }
    }

    /// Whether the run stands still on all its nodes: it does not hold its CPUs.
    public boolean suspended() {
        return suspendedAt() != 0;
    }

    /// Whether the run stands still and wants its CPUs back.
    public boolean resuming() {
        return current != null && suspended() && current.resuming();
    }

    /// Since when the run stands still; 0 if it does not.
    public long suspendedAt() {
        return current == null ? 0 : current.since();
    }

    /// How long it stood still in all, up to now.
    public long millis(long now) {
        return suspended() ? millis + now - suspendedAt() : millis;
    }
}
