package io.berth.simulator.run;

import io.berth.core.engine.Waiting.Rank;
import io.berth.simulator.trace.TraceJob;
import java.util.concurrent.TimeUnit;

/// Who is tried first of those that wait.
public enum Order {
    /// The one that came first.
    FIFO,
    /// The one that runs shortest. It looks at run times that no scheduler knows: a yardstick.
    SJF,
    /// The one that is expected to run shortest, by what has ended so far.
    PREDICTED,
    /// The one that wants the fewest GPUs.
    SMALLEST,
    /// The one of the account, and in it of the user, that has had the least of his share, and of
    /// one user the one that came first: multifactor priority of fair share and age, as the live
    /// mesh has it with the weights of `examples/accounts.yaml`.
    FAIRSHARE;

    private static final long POINT = 1_000_000;

    /// Points that a job has for having waited [#MAX_AGE_SECONDS].
    private static final long AGE = 1000 * POINT;

    private static final long MAX_AGE_SECONDS = TimeUnit.DAYS.toSeconds(7);

    /// The job's own part of its priority; among equals the first to come goes first.
    ///
    /// @param number of the job in the order of submission
    /// @param expectedMillis how long the job is expected to run
    Rank rank(TraceJob job, int number, long expectedMillis) {
        return switch (this) {
            case FIFO -> constant(job, number, 0);
            case SJF -> constant(job, number, -job.durationMillis());
            case PREDICTED -> constant(job, number, -expectedMillis);
            case SMALLEST -> constant(job, number, -job.gpus());
            case FAIRSHARE ->
                    new Rank(
                            0, Math.ceilDiv(AGE, MAX_AGE_SECONDS), AGE, number, job.submitMillis());
        };
    }

    private static Rank constant(TraceJob job, int number, long priority) {
        return new Rank(priority, 0, 0, number, job.submitMillis());
    }
}
