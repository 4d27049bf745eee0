package io.berth.contracts.event;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonInclude.Include;
import io.berth.contracts.Added;
import io.berth.contracts.Allocation;
import io.berth.contracts.JobDescription;
import io.berth.contracts.JobState;
import io.berth.contracts.LaunchMode;
import io.berth.contracts.MigPlacement;
import io.berth.contracts.NodeName;
import io.berth.contracts.RunId;
import io.berth.contracts.SignalTarget;
import io.berth.contracts.SpecReference;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// An order to one node's agent, numbered 1, 2, … within the node's epoch. The agent obeys an order
/// once, in number order, and only in the epoch that its Sync began.
public sealed interface Order {

    NodeName node();

    long epoch();

    long number();

    /// Begins a new epoch, as order 0: all that was ordered before is void. The agent ends every
    /// run that it has and that is not wanted.
    ///
    /// @param nonce of the NodeSeen that this answers
    /// @param wanted the runs that shall go on, or whose end is known and needs no further order
    record Sync(NodeName node, long epoch, String nonce, List<RunId> wanted) implements Order {

        public Sync {
            wanted = List.copyOf(wanted);
        }

        @Override
        public long number() {
            return 0;
        }
    }

    /// The registration with this nonce is refused: another machine holds the node's name. Not
    /// numbered.
    ///
    /// @param forNow true: the agent goes on asking, as one does that has no answer; null is false
    record Refused(NodeName node, long epoch, String nonce, String why, @Nullable Boolean forNow)
            implements Order {

        /// For good.
        public Refused(NodeName node, long epoch, String nonce, String why) {
            this(node, epoch, nonce, why, null);
        }

        @Override
        public long number() {
            return 0;
        }
    }

    /// Prepare a run: group, verified isolation, files. Start its code at once, or wait for Go.
    ///
    /// @param allocations what the run holds on all its nodes, in the order of their indices
    /// @param timeLimitSeconds of run time, by the agent's own monotonic clock; 0 is unlimited
    /// @param job the job as it is now; null is as the specification says
    /// @param overTimeSeconds for which it may go on beyond its limit; null is none
    /// @param hetGroups of the first component of a heterogeneous job, where its script runs: the
    ///   runs of all components, in their order. None elsewhere
    record Launch(
            NodeName node,
            long epoch,
            long number,
            RunId run,
            SpecReference spec,
            LaunchMode mode,
            boolean awaitGo,
            List<Allocation> allocations,
            long timeLimitSeconds,
            @Nullable JobDescription job,
            @Nullable Long overTimeSeconds,
            @Added @JsonInclude(Include.NON_EMPTY) List<HetGroup> hetGroups)
            implements Order {

        /// The same, with its specification referred to in another way.
        public Launch of(SpecReference other) {
            return new Launch(
                    node,
                    epoch,
                    number,
                    run,
                    other,
                    mode,
                    awaitGo,
                    allocations,
                    timeLimitSeconds,
                    job,
                    overTimeSeconds,
                    hetGroups);
        }

        /// A run that ends at its limit.
        public Launch(
                NodeName node,
                long epoch,
                long number,
                RunId run,
                SpecReference spec,
                LaunchMode mode,
                boolean awaitGo,
                List<Allocation> allocations,
                long timeLimitSeconds,
                @Nullable JobDescription job) {
            this(
                    node,
                    epoch,
                    number,
                    run,
                    spec,
                    mode,
                    awaitGo,
                    allocations,
                    timeLimitSeconds,
                    job,
                    null,
                    List.of());
        }

        /// A run of the job that the specification describes.
        public Launch(
                NodeName node,
                long epoch,
                long number,
                RunId run,
                SpecReference spec,
                LaunchMode mode,
                boolean awaitGo,
                List<Allocation> allocations,
                long timeLimitSeconds) {
            this(
                    node,
                    epoch,
                    number,
                    run,
                    spec,
                    mode,
                    awaitGo,
                    allocations,
                    timeLimitSeconds,
                    null);
        }

        public Launch {
            allocations = List.copyOf(allocations);
            hetGroups = hetGroups == null ? List.of() : List.copyOf(hetGroups);
        }

        /// What the run holds on the node that this order is for.
        public Allocation here() {
            return allocations.stream()
                    .filter(allocation -> allocation.node().equals(node))
                    .findFirst()
                    .orElseThrow(() ->
                            new IllegalStateException(
                                    "Launch of " + run + " names no allocation on " + node));
        }

        /// Whether the script runs on this node.
        public boolean runsScript() {
            return mode.runsScriptOn(here().index());
        }
    }

    /// The run of a component of a heterogeneous job.
    ///
    /// @param job the component as it is now
    /// @param allocations what the run holds on all its nodes, in the order of their indices
    record HetGroup(RunId run, JobDescription job, List<Allocation> allocations) {

        public HetGroup {
            allocations = List.copyOf(allocations);
        }
    }

    /// Every node of the run is ready: start its code.
    record Go(NodeName node, long epoch, long number, RunId run) implements Order {}

    /// End the run: TERM to its group, KILL after the grace.
    ///
    /// @param because the state that the job is going to: CANCELLED, TIMEOUT, NODE_FAIL …; of a run
    ///   that gives way PREEMPTED, also if its job waits again
    /// @param notice true: the run is told when KILL comes, and has until shortly before then
    ///   without a TERM to all of it; null is false
    record Stop(
            NodeName node,
            long epoch,
            long number,
            RunId run,
            JobState because,
            long graceSeconds,
            @Nullable Boolean notice)
            implements Order {

        /// TERM to all of the group at once.
        public Stop(
                NodeName node,
                long epoch,
                long number,
                RunId run,
                JobState because,
                long graceSeconds) {
            this(node, epoch, number, run, because, graceSeconds, null);
        }
    }

    /// Stand still: TSTP to those that handle it, and all frozen after the grace at the latest.
    ///
    /// @param nth which suspension of the run it is, counted from 1; the answer repeats it
    record Suspend(NodeName node, long epoch, long number, RunId run, int nth, long graceSeconds)
            implements Order {}

    /// Go on.
    record Resume(NodeName node, long epoch, long number, RunId run) implements Order {}

    /// Send a signal to processes of the run.
    ///
    /// @param signal by the kernel's number
    /// @param step the number of the only step whose tasks are meant; null for all that the target
    ///   says
    record Signal(
            NodeName node,
            long epoch,
            long number,
            RunId run,
            int signal,
            SignalTarget target,
            @Nullable Integer step)
            implements Order {}

    /// The run may last so long, from its start.
    ///
    /// @param timeLimitSeconds as in Launch; 0 is unlimited
    record Limit(NodeName node, long epoch, long number, RunId run, long timeLimitSeconds)
            implements Order {}

    /// Divide a GPU in MIG mode anew, all of it. The agent does it only while no run is on the GPU,
    /// and registers again when it is done, or has failed.
    ///
    /// @param gpu its UUID
    /// @param instances what it is to be split into
    record Partition(
            NodeName node, long epoch, long number, String gpu, List<MigPlacement> instances)
            implements Order {

        public Partition {
            instances = List.copyOf(instances);
        }
    }
}
