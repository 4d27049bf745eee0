package io.berth.submit.http;

import java.util.List;
import org.eclipse.microprofile.openapi.annotations.media.Schema;

/// The answers that are lists, each under its name.
final class Lists {
    private Lists() {}

    @Schema(name = "Jobs")
    record Jobs(List<JobJson> jobs) {}

    @Schema(name = "Nodes")
    record Nodes(List<NodeJson> nodes) {}

    @Schema(name = "Partitions")
    record Partitions(List<PartitionJson> partitions) {}
}
