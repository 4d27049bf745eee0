package io.berth.core.forecast;

import io.berth.contracts.JobId;
import io.berth.contracts.NodeName;
import io.berth.contracts.Reason;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// When and where a job would start.
///
/// @param partition in which it starts; where nothing is foreseen all in which it may, with commas
///   between them
/// @param at epoch milliseconds; null if nothing that is foreseen lets it start
/// @param nodes in the order of the job's parts; none without a start
/// @param cpus that it would hold, in all
/// @param reason why it would wait, or would not start; NONE if it would start at once
public record Start(
        JobId job,
        String partition,
        @Nullable Long at,
        List<NodeName> nodes,
        int cpus,
        Reason reason) {

    public Start {
        nodes = List.copyOf(nodes);
    }
}
