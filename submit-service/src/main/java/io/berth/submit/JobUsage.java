package io.berth.submit;

import io.berth.contracts.Consumption;
import io.berth.contracts.JobId;
import io.berth.contracts.NodeName;
import io.berth.contracts.StepUsage;
import io.berth.submit.Node.Beat;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// What a job's processes have used on one of its nodes since its run began there.
///
/// @param at when that was heard, in epoch milliseconds
/// @param steps those of its steps that ran then
public record JobUsage(NodeName node, long at, Consumption used, List<StepUsage> steps) {

    /// Empty if the node's last heartbeat does not tell it.
    static Optional<JobUsage> of(JobId job, NodeName node, @Nullable Beat beat) {
        if (beat == null) {
            return Optional.empty();
        }
        return beat.used().stream()
                .filter(it -> it.run().job().equals(job))
                .map(it -> new JobUsage(node, beat.heardAt(), it.used(), it.steps()))
                .findFirst();
    }
}
