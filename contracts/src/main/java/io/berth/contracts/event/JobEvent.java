package io.berth.contracts.event;

import io.berth.contracts.Allocation;
import io.berth.contracts.EndedRun;
import io.berth.contracts.ExitStatus;
import io.berth.contracts.Hold;
import io.berth.contracts.JobDescription;
import io.berth.contracts.JobId;
import io.berth.contracts.JobState;
import io.berth.contracts.Reason;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The public life of a job. Times are cell time in epoch milliseconds.
public sealed interface JobEvent {

    JobId job();

    long at();

    /// The job waits in its queue.
    record Queued(JobId job, long at, JobDescription description) implements JobEvent {}

    /// A run of the job holds resources.
    ///
    /// @param billingRate billing units that the run costs per second, in thousandths
    record Placed(JobId job, long at, int lease, List<Allocation> allocations, long billingRate)
            implements JobEvent {

        public Placed {
            allocations = List.copyOf(allocations);
        }
    }

    /// The run's code runs.
    record Started(JobId job, long at, int lease) implements JobEvent {}

    /// A run ended without deciding the job; the job waits again.
    record Requeued(JobId job, long at, EndedRun run, Reason reason) implements JobEvent {}

    /// The job is another one from now on.
    ///
    /// @param by who changed it
    record Amended(JobId job, long at, JobDescription description, String by) implements JobEvent {}

    /// The job is not to start before it is released.
    record Held(JobId job, long at, Hold hold, String by) implements JobEvent {}

    /// The hold of the job is gone.
    record Released(JobId job, long at, String by) implements JobEvent {}

    /// The job is over. Repeats all that the books need.
    ///
    /// @param exit of the last run
    /// @param cancelledBy who cancelled it, if anyone
    /// @param message one line for the user where the reason needs it
    record Ended(
            JobId job,
            long at,
            JobDescription description,
            JobState state,
            Reason reason,
            ExitStatus exit,
            long submittedAt,
            List<EndedRun> runs,
            @Nullable String cancelledBy,
            @Nullable String message)
            implements JobEvent {

        public Ended {
            runs = List.copyOf(runs);
        }
    }
}
