package io.berth.cli;

import io.berth.contracts.JobState;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/// `squeue --priority`: a job that waits in several partitions is there once for each.
///
/// Source: squeue(1) of Slurm 22.05.
final class PartitionLines {

    private PartitionLines() {}

    /// @param only these partitions; none is all
    static List<JobView> apart(List<JobView> jobs, List<String> only) {
        return jobs.stream()
                .flatMap(PartitionLines::each)
                .filter(it -> only.isEmpty() || only.contains(it.text("partition")))
                .toList();
    }

    private static Stream<JobView> each(JobView job) {
        List<String> partitions = CliOption.split(job.text("partition"));
        return !job.is(JobState.PENDING) || partitions.size() < 2
                ? Stream.of(job)
                : partitions.stream().map(job::in);
    }

    /// The tiers of all partitions, which go before the priorities of jobs.
    static Map<String, Long> tiers(MeshClient client) throws CommandFailure {
        var tiers = new HashMap<String, Long>();
        for (PartitionView it : PartitionView.all(client.get("/v1/partitions"))) {
            tiers.put(it.name(), it.number("tier"));
        }
        return tiers;
    }
}
