package io.berth.submit;

import io.berth.contracts.Consumption;
import io.berth.contracts.JobId;
import io.berth.contracts.NodeName;
import io.berth.contracts.RunUsage;
import io.berth.submit.Node.Beat;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// What a job's processes have used on one of its nodes since its run began there.
///
/// @param at when that was heard, in epoch milliseconds
public record JobUsage(NodeName node, long at, Consumption used) {

    /// Empty if the node's last heartbeat does not tell it.
    static Optional<JobUsage> of(JobId job, NodeName node, @Nullable Beat beat) {
        if (beat == null) {
            return Optional.empty();
        }
        return beat.used().stream()
                .filter(it -> it.run().job().equals(job))
                .map(RunUsage::used)
                .map(used -> new JobUsage(node, beat.heardAt(), used))
                .findFirst();
    }
}
