package io.berth.core.placement;

import io.berth.contracts.JobId;
import io.berth.contracts.NodeName;
import io.berth.contracts.event.JobStatus.Planned;
import io.berth.core.engine.Unplanned;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Why a waiting job does not start now.
///
/// @param stages what is left of the cluster after each question, in the order in which they are
///   asked
/// @param changes the smallest change along each axis with which it would start now, each of them
///   tried; empty if none would do
/// @param planned when it is expected to start; null if it has no expected start
/// @param preemption whose place it could have; null where nobody gives way to anybody
/// @param dividing GPUs that are being divided into something that it asks for
/// @param draining GPUs that run empty, to be divided for it then
/// @param together the heterogeneous job of which it is a component; null of none. What would let
///   the component alone start is not told then
/// @param packing the policy that chooses between nodes that are as good, by name
/// @param holders the first runs to end of those that hold what it waits for: on nodes without room
///   now on which it is expected, and expected to end by then. Empty if it is not expected
/// @param unplanned why it has no expected start; null if it has one, if nodes are being cleared
///   for it, or if its partition does not let it, or all that start with it, wait for room
public record Verdict(
        List<Stage> stages,
        List<Change> changes,
        @Nullable Planned planned,
        @Nullable Preemption preemption,
        List<Dividing> dividing,
        List<Draining> draining,
        @Nullable Together together,
        String packing,
        List<Holder> holders,
        @Nullable Unplanned unplanned) {

    public Verdict {
        draining = List.copyOf(draining);
        dividing = List.copyOf(dividing);
        stages = List.copyOf(stages);
        changes = List.copyOf(changes);
        holders = List.copyOf(holders);
    }

    /// A run that holds what another job waits for.
    ///
    /// @param until when it is expected to end at the latest, in epoch milliseconds
    public record Holder(JobId job, long until) {}

    /// A GPU that is being divided anew by MIG.
    ///
    /// @param gpu its place among the node's GPUs in PCI order
    /// @param into `7x1g.10gb`
    public record Dividing(NodeName node, int gpu, String into) {}

    /// A GPU in MIG mode that takes no jobs but short ones until it is empty.
    ///
    /// @param gpu its place among the node's GPUs in PCI order
    public record Draining(NodeName node, int gpu) {}

    /// A heterogeneous job, whose components start together or not at all.
    ///
    /// @param first id of the first component
    /// @param unseated the first component, the largest being looked at first, that finds no nodes
    ///   now beside the others; null if all do
    public record Together(JobId first, int size, @Nullable JobId unseated) {}

    /// A question to each node.
    public enum Question {
        /// Is it registered?
        REGISTERED,
        /// Is it in the job's partition?
        PARTITION,
        /// Do features, node list and exclusion admit it?
        CONSTRAINTS,
        /// Is it known on which sockets its GPUs and CPUs are? Asked for a job to which it matters.
        SOCKETS,
        /// Could it hold the smallest part of the job, were it empty?
        SIZE,
        /// Is it up and not drained?
        AVAILABLE,
        /// Is it open to the job until its latest end, and not reserved for others?
        UNRESERVED,
        /// Are only jobs there that the job may be beside?
        NEIGHBOURS,
        /// Does it have room now?
        FREE,
        /// Does it have room until the job's latest end, beside what is planned?
        UNPLANNED,
        /// Are enough others that answer yes in its domain, such as under its leaf switch? Asked
        /// for a job that is bound to few domains of a level.
        TOGETHER
    }

    /// What is left after a question.
    ///
    /// @param nodes that answer yes to it and to all before
    /// @param gpus free ones on those nodes that the request admits
    public record Stage(Question question, int nodes, int gpus) {}

    /// What a user can change of a request.
    public enum Axis {
        GPUS,
        /// GPUs of all nodes together, where these are what is counted.
        GPUS_IN_ALL,
        GPU_TYPE,
        /// MiB that each GPU has at least, or any.
        GPU_MEMORY,
        /// Another resource than GPUs: `nic:2`, or `none`.
        GRES,
        NODES,
        TIME_LIMIT,
        SWITCHES,
        /// The level of the network of which its nodes are in one domain; or any.
        LEVEL,
        CONTIGUOUS,
        /// Nodes of a segment, which lie in one block; or any.
        SEGMENT,
        /// Whether the GPUs of a node are linked to one another.
        LINKED,
        /// How many GPUs each socket gives.
        SOCKETS,
        CONSTRAINT,
        NODE_LIST,
        PARTITION
    }

    /// One change that would let the job start now.
    ///
    /// @param from what the job asks for: a count, a type, seconds (0 is no limit), a name
    /// @param to what it could ask for instead
    public record Change(Axis axis, String from, String to) {}

    /// Whose place a job could have.
    ///
    /// @param victims who give way for it, if nodes are being cleared for it. Else those whose
    ///   place it needs to start now; empty if it could not start in anybody's place
    /// @param exempt the others on nodes that it could use who do not give way for it
    public record Preemption(List<Victim> victims, List<Exempt> exempt) {

        public Preemption {
            victims = List.copyOf(victims);
            exempt = List.copyOf(exempt);
        }
    }

    /// A run whose place a job needs.
    ///
    /// @param exemption why the job does not get it; null if it does
    /// @param until when that is over, in epoch milliseconds; null if it is not known
    public record Victim(JobId job, @Nullable Exemption exemption, @Nullable Long until) {}

    /// Runs that do not give way, for one reason.
    ///
    /// @param jobs how many
    /// @param named the first of them
    /// @param until when that is over for the first of them, in epoch milliseconds; null if it is
    ///   not known
    public record Exempt(Exemption exemption, int jobs, List<JobId> named, @Nullable Long until) {

        public Exempt {
            named = List.copyOf(named);
        }
    }

    /// Why a run does not give way for a job.
    public enum Exemption {
        /// The job takes nobody's place: its own policy.
        OWN_POLICY,
        /// It does not stand below the job: by tier, or by the `preempt` list of the job's QOS.
        NOT_BELOW,
        /// It stands on what its account is guaranteed.
        GUARANTEED,
        /// It has borrowed its place, but the job's account has no room for the job within what it
        /// is guaranteed.
        GUARANTEE_USED,
        /// It gives way to nobody: the mode of its partition or QOS, or `gpuMode`.
        MODE_OFF,
        /// It has not run for long enough.
        EXEMPT_TIME,
        /// It ends or stands still already.
        ENDING,
        /// The job would need more victims than one job may have.
        MAX_VICTIMS,
        /// The job could not start in its place either.
        NO_ROOM
    }
}
