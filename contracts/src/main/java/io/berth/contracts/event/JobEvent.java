package io.berth.contracts.event;

import io.berth.contracts.Added;
import io.berth.contracts.Allocation;
import io.berth.contracts.EndedRun;
import io.berth.contracts.ExitStatus;
import io.berth.contracts.GpuShare.Enforcement;
import io.berth.contracts.Hold;
import io.berth.contracts.JobDescription;
import io.berth.contracts.JobId;
import io.berth.contracts.JobState;
import io.berth.contracts.NodeName;
import io.berth.contracts.PreemptMode;
import io.berth.contracts.PreemptReason;
import io.berth.contracts.Reason;
import io.berth.contracts.Steps;
import io.berth.contracts.SuspendCause;
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
    ///
    /// @param enforced what limits it to its part of a GPU; null if it holds no part
    record Started(JobId job, long at, int lease, @Nullable Enforcement enforced)
            implements JobEvent {

        /// Of a run that holds GPUs whole, or none.
        public Started(JobId job, long at, int lease) {
            this(job, at, lease, null);
        }
    }

    /// A run stands still on all its nodes: its CPUs are free, its memory and GPUs are not.
    ///
    /// @param by the operator who asked for it
    /// @param preemptor the job that its CPUs came free for
    record Suspended(
            JobId job,
            long at,
            int lease,
            SuspendCause cause,
            @Nullable String by,
            @Nullable JobId preemptor)
            implements JobEvent {}

    /// A suspended run holds its CPUs again and goes on.
    record Resumed(JobId job, long at, int lease) implements JobEvent {}

    /// A run was to be suspended and goes on, since a node of it could not do that.
    ///
    /// @param message one line that says why
    record SuspendFailed(JobId job, long at, int lease, String message) implements JobEvent {}

    /// The GPUs of a run have been used little on a node for a while. It goes on.
    ///
    /// @param percent the mean over them and the time
    /// @param seconds for how long, at least
    record GpusUnderused(JobId job, long at, int lease, NodeName node, int percent, long seconds)
            implements JobEvent {}

    /// They are used as they should be again.
    record GpusUsedAgain(JobId job, long at, int lease, NodeName node) implements JobEvent {}

    /// A run must give way to another job. Suspended, Requeued or Ended says when it has.
    ///
    /// @param preemptor the job that it gives way to
    /// @param graceSeconds until it is ended; of a run that is suspended 0
    /// @param lostGpuMillis GPU-milliseconds since the run started, or since its last checkpoint
    ///   that is known: work that would have to be done again if it ended now. Its [EndedRun] says
    ///   what was lost in the end
    record Preempted(
            JobId job,
            long at,
            int lease,
            JobId preemptor,
            PreemptMode mode,
            PreemptReason reason,
            long graceSeconds,
            long lostGpuMillis)
            implements JobEvent {}

    /// A run's part on a node is over: the steps that its script started there. Requeued or Ended
    /// of the run comes later.
    record StepsEnded(JobId job, long at, int lease, NodeName node, Steps steps)
            implements JobEvent {}

    /// A run ended without deciding the job; the job waits again.
    ///
    /// @param why in words, where a node failed it
    record Requeued(JobId job, long at, EndedRun run, Reason reason, @Nullable String why)
            implements JobEvent {

        public Requeued(JobId job, long at, EndedRun run, Reason reason) {
            this(job, at, run, reason, null);
        }
    }

    /// The job is another one from now on.
    ///
    /// @param by who changed it
    record Amended(JobId job, long at, JobDescription description, String by) implements JobEvent {}

    /// The job is not to start before it is released.
    ///
    /// @param by who holds it, a person or a service
    /// @param why a service does
    record Held(JobId job, long at, Hold hold, String by, @Added @Nullable String why)
            implements JobEvent {}

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
