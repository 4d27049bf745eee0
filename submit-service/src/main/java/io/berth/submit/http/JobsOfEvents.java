package io.berth.submit.http;

import io.berth.contracts.JobId;
import io.berth.submit.Job;
import java.util.Optional;
import java.util.function.Function;

/// Finds the jobs of events that have been read together.
///
/// An event and its job's record stand in the log at once, but are read by two readers: where the
/// event is first, the log is read up to its end, once for all of them. A job that is not there
/// then is forgotten.
final class JobsOfEvents {

    private final Function<JobId, Optional<Job>> read;
    private final Runnable catchUp;
    private boolean caughtUp;

    /// @param read finds a job as far as the log has been read
    /// @param catchUp reads every job that is in the log now
    JobsOfEvents(Function<JobId, Optional<Job>> read, Runnable catchUp) {
        this.read = read;
        this.catchUp = catchUp;
    }

    Optional<Job> job(JobId id) {
        Optional<Job> job = read.apply(id);
        if (job.isEmpty() && !caughtUp) {
            catchUp.run();
            caughtUp = true;
            job = read.apply(id);
        }
        return job;
    }
}
