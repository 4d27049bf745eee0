package io.berth.simulator.run;

import io.berth.simulator.trace.TraceJob;

/// Who is tried first of those that wait.
public enum Order {
    /// The one that came first.
    FIFO,
    /// The one that runs shortest. It looks at run times that no scheduler knows: a yardstick.
    SJF,
    /// The one that is expected to run shortest, by what has ended so far.
    PREDICTED,
    /// The one that wants the fewest GPUs.
    SMALLEST;

    /// The job's priority in millionths of a point; among equals the first to come goes first.
    ///
    /// @param expectedMillis how long the job is expected to run
    long priority(TraceJob job, long expectedMillis) {
        return switch (this) {
            case FIFO -> 0;
            case SJF -> -job.durationMillis();
            case PREDICTED -> -expectedMillis;
            case SMALLEST -> -job.gpus();
        };
    }
}
