package io.berth.submit.http;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Map;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/// The answers that are lists, each under its name.
final class Lists {
    private Lists() {}

    /// @param next the cursor of the next page; null if there is none
    @Schema(name = "Jobs")
    @JsonInclude(JsonInclude.Include.NON_NULL)
    record Jobs(List<JobJson> jobs, @Nullable String next) {}

    /// Jobs with those of their fields that were asked for.
    @JsonInclude(JsonInclude.Include.NON_NULL)
    record PartialJobs(List<ObjectNode> jobs, @Nullable String next) {}

    @Schema(name = "Nodes")
    record Nodes(List<NodeJson> nodes) {}

    @Schema(name = "Reservations")
    record Reservations(List<ReservationJson> reservations) {}

    @Schema(name = "Licenses")
    record Licenses(List<LicenseJson> licenses) {}

    /// Accounts as queues.
    ///
    /// @param capacity of the nodes that are up
    /// @param guaranteed of the topmost accounts with a guarantee together; it may be more
    @Schema(name = "Queues")
    record Queues(
            List<QueueJson> queues, Map<String, Long> capacity, Map<String, Long> guaranteed) {}

    @Schema(name = "Partitions")
    record Partitions(List<PartitionJson> partitions) {}
}
