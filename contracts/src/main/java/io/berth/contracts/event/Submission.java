package io.berth.contracts.event;

import io.berth.contracts.IdempotencyKey;
import io.berth.contracts.JobDescription;
import io.berth.contracts.JobId;
import io.berth.contracts.SpecReference;
import org.jspecify.annotations.Nullable;

/// What people ask of a job.
public sealed interface Submission {

    JobId job();

    /// A job was accepted. The submission order is the order of these records in the log.
    ///
    /// @param submittedBy who sent it: the user, or an operator for the user
    record Submitted(
            JobId job,
            JobDescription description,
            String submittedBy,
            SpecReference spec,
            @Nullable IdempotencyKey key)
            implements Submission {}

    /// The job is to end: it leaves the queue, or its run is stopped.
    ///
    /// @param user who asked
    record CancelRequested(JobId job, String user) implements Submission {}
}
