package io.berth.submit;

import org.jspecify.annotations.Nullable;

/// Why a job is in its state, in one or two plain sentences, with its place in the queue.
///
/// @param ahead jobs that wait in the same partition and are tried first; null if it does not wait
public record Explanation(Job job, String text, @Nullable Integer ahead, Priority priority) {
    /// What the log tells about the job at that time.
    public static Explanation of(Job job, Picture picture, long now) {
        return new ExplanationWriter(job, picture, now).explanation();
    }
}
