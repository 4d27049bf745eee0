package io.berth.submit;

import io.berth.core.placement.Verdict;
import io.berth.core.request.Sight;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Why a job is in its state, in one or two plain sentences, with its place in the queue.
///
/// @param ahead jobs that wait in the same partition and are tried first; null if it does not wait
/// @param first the first of those ahead, in the order in which they are tried, whom the one who
///   asks may see
/// @param holders the first to end of those who hold what it waits for, whom he may see
/// @param verdict the engine's; null unless it waits for resources
public record Explanation(
        Job job,
        String text,
        @Nullable Integer ahead,
        List<Job> first,
        List<Holding> holders,
        Priority priority,
        @Nullable Verdict verdict) {

    /// A job that holds what another one waits for.
    ///
    /// @param until when it is expected to end at the latest, in epoch milliseconds
    public record Holding(Job job, long until) {}

    /// What the log tells about the job at that time.
    ///
    /// @param sight of the one who asks
    public static Explanation of(Job job, Picture picture, long now, Sight sight) {
        return new ExplanationWriter(job, picture, now, sight).explanation();
    }
}
