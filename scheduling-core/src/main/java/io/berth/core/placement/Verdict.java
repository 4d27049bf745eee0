package io.berth.core.placement;

import io.berth.contracts.event.JobStatus.Planned;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Why a waiting job does not start now.
///
/// @param stages what is left of the cluster after each question, in the order in which they are
///   asked
/// @param changes the smallest change along each axis with which it would start now, each of them
///   tried; empty if none would do
/// @param planned when it is expected to start; null if the plan does not reach it
public record Verdict(List<Stage> stages, List<Change> changes, @Nullable Planned planned) {

    public Verdict {
        stages = List.copyOf(stages);
        changes = List.copyOf(changes);
    }

    /// A question to each node.
    public enum Question {
        /// Is it registered?
        REGISTERED,
        /// Is it in the job's partition?
        PARTITION,
        /// Do features, node list and exclusion admit it?
        CONSTRAINTS,
        /// Could it hold the smallest part of the job, were it empty?
        SIZE,
        /// Is it up and not drained?
        AVAILABLE,
        /// Does it have room now?
        FREE,
        /// Does it have room until the job's latest end, beside what is planned?
        UNPLANNED
    }

    /// What is left after a question.
    ///
    /// @param nodes that answer yes to it and to all before
    /// @param gpus free ones on those nodes that the request admits
    public record Stage(Question question, int nodes, int gpus) {}

    /// What a user can change of a request.
    public enum Axis {
        GPUS,
        GPU_TYPE,
        NODES,
        TIME_LIMIT,
        SWITCHES,
        PARTITION
    }

    /// One change that would let the job start now.
    ///
    /// @param from what the job asks for: a count, a type, seconds (0 is no limit), a name
    /// @param to what it could ask for instead
    public record Change(Axis axis, String from, String to) {}
}
