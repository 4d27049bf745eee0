package io.berth.contracts.event;

import io.berth.contracts.Consumption;
import io.berth.contracts.ExitStatus;
import io.berth.contracts.GpuShare.Enforcement;
import io.berth.contracts.Isolation;
import io.berth.contracts.NodeName;
import io.berth.contracts.RunId;
import io.berth.contracts.Steps;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// What an agent reports of its part of a run. A report may be written twice; the second changes
/// nothing.
public sealed interface RunReport {

    RunId run();

    NodeName node();

    /// The epoch in which the agent writes this.
    long epoch();

    /// The highest order number applied in that epoch.
    long applied();

    /// The part is prepared and waits for Go.
    record Ready(RunId run, NodeName node, long epoch, long applied) implements RunReport {}

    /// The part's code runs; or, on a node of the run without code, its group stands open for
    /// steps.
    ///
    /// @param isolation what is enforced and was verified for this run
    /// @param enforced what limits it to its part of a GPU; null if it holds no part
    record Started(
            RunId run,
            NodeName node,
            long epoch,
            long applied,
            List<Isolation> isolation,
            @Nullable Enforcement enforced)
            implements RunReport {

        public Started {
            isolation = List.copyOf(isolation);
        }

        /// Of a part that holds GPUs whole, or none.
        public Started(
                RunId run, NodeName node, long epoch, long applied, List<Isolation> isolation) {
            this(run, node, epoch, applied, isolation, null);
        }
    }

    /// The part stands still: its CPUs are free, its memory and GPUs are not.
    ///
    /// @param nth of the order that this answers
    record Suspended(RunId run, NodeName node, long epoch, long applied, int nth)
            implements RunReport {}

    /// The part could not be suspended and goes on.
    ///
    /// @param nth of the order that this answers
    /// @param message one line that says why
    record NotSuspended(RunId run, NodeName node, long epoch, long applied, int nth, String message)
            implements RunReport {}

    /// The run's script has saved its work: what it did before need not be done again.
    ///
    /// @param ageMillis how long ago, when this was written
    record CheckpointSaved(RunId run, NodeName node, long epoch, long applied, long ageMillis)
            implements RunReport {}

    /// The GPUs of the part have been used little for a while, in the mean over them and the time.
    ///
    /// @param percent how much
    /// @param seconds for how long, at least, when this was written
    record GpusUnderused(
            RunId run, NodeName node, long epoch, long applied, int percent, long seconds)
            implements RunReport {}

    /// They are used as they should be again.
    record GpusUsedAgain(RunId run, NodeName node, long epoch, long applied) implements RunReport {}

    /// The part is over and its group is empty: its resources are free.
    ///
    /// @param exit the script's exit code and signal; 0:0 where no script ran, or nobody knows how
    ///   it ended: the message says why
    /// @param message one line for the user where the cause needs it
    /// @param steps that the script started here; null if there were none
    /// @param drain one line that says why the node must have no more work: the site's prolog or
    ///   epilog failed there; null if neither did
    record Ended(
            RunId run,
            NodeName node,
            long epoch,
            long applied,
            Cause cause,
            ExitStatus exit,
            Consumption usage,
            @Nullable String message,
            @Nullable Steps steps,
            @Nullable String drain)
            implements RunReport {

        /// Of a part without steps, on a node that is well.
        public Ended(
                RunId run,
                NodeName node,
                long epoch,
                long applied,
                Cause cause,
                ExitStatus exit,
                Consumption usage,
                @Nullable String message) {
            this(run, node, epoch, applied, cause, exit, usage, message, null, null);
        }

        public Ended with(@Nullable Steps its) {
            return new Ended(run, node, epoch, applied, cause, exit, usage, message, its, drain);
        }

        public Ended draining(@Nullable String why) {
            return new Ended(run, node, epoch, applied, cause, exit, usage, message, steps, why);
        }
    }

    enum Cause {
        /// The script ended by itself; its exit status says how.
        EXITED,
        OUT_OF_MEMORY,
        /// The agent ended it at its time limit.
        TIME_LIMIT,
        /// Placement ordered it, or it was not wanted in a Sync.
        STOPPED,
        /// It could not be started; the message says why.
        LAUNCH_FAILED,
        /// Its code is gone and left no exit status.
        STATUS_LOST,
        /// A GPU or another device that it held failed; the message names it and its error.
        GPU_FAILED,
        /// The agent was told to shut down and to take its runs with it.
        AGENT_SHUTDOWN
    }
}
