package io.berth.core.placement;

import io.berth.contracts.JobId;
import io.berth.contracts.config.Configuration;
import io.berth.contracts.event.ConfigEntry.Partition;
import io.berth.contracts.event.JobStatus;
import io.berth.core.state.CellState;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.PriorityQueue;

/// The order in which waiting jobs are tried: partition tier, then priority, then submission, then
/// id.
///
/// A job's priority is its rank after the time it has waited plus its association's fair share, in
/// millionths of a point (Slurm's multifactor priority).
final class PriorityOrder {

    private static final Comparator<Candidate> ORDER =
            Comparator.comparingInt(Candidate::tier)
                    .thenComparingLong(Candidate::priority)
                    .reversed()
                    .thenComparing(
                            candidate -> candidate.job().submission(), Comparator.naturalOrder())
                    .thenComparing(candidate -> candidate.job().job());

    /// A job in the order.
    record Candidate(JobStatus job, int tier, long priority) {}

    private PriorityOrder() {}

    /// The waiting jobs, first to be tried first. Building it is linear; each job taken costs a
    /// logarithm.
    static PriorityQueue<Candidate> of(CellState state, Configuration configuration, long now) {
        var candidates = new ArrayList<Candidate>(state.eligible().size());
        for (JobId id : state.eligible()) {
            JobStatus job = state.knownJob(id);
            Partition partition = configuration.partitions().get(job.description().partition());
            candidates.add(
                    new Candidate(
                            job,
                            partition == null ? 0 : partition.tier(),
                            priority(state, job, now)));
        }
        var order = new PriorityQueue<>(Math.max(1, candidates.size()), ORDER);
        order.addAll(candidates);
        return order;
    }

    static long priority(CellState state, JobStatus job, long now) {
        return job.rank().after(now - job.waitsSince())
                + state.fairShare(job.description().account(), job.description().user());
    }
}
