package io.berth.submit;

import io.berth.contracts.PrivateData;
import io.berth.core.placement.Verdict;
import io.berth.core.request.Sight;
import org.jspecify.annotations.Nullable;

/// Why a job is in its state, in one or two plain sentences, with its place in the queue.
///
/// @param ahead jobs that wait in the same partition and are tried first; null if it does not wait
/// @param verdict the engine's; null unless it waits for resources
public record Explanation(
        Job job,
        String text,
        @Nullable Integer ahead,
        Priority priority,
        @Nullable Verdict verdict) {
    /// What the log tells about the job at that time.
    ///
    /// @param sight of the one who asks
    public static Explanation of(Job job, Picture picture, long now, Sight sight) {
        return new ExplanationWriter(job, picture, now, sight.hides(PrivateData.NODES))
                .explanation();
    }
}
