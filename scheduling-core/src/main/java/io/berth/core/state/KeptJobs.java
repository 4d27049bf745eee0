package io.berth.core.state;

import io.berth.contracts.EndedRun;
import io.berth.contracts.JobDescription;
import io.berth.contracts.event.JobStatus;

/// Ended jobs as they are kept: equal to what was said of them, and made of parts that several
/// share. A cell knows tens of thousands of them, and of most only ids, times and charges are their
/// own.
final class KeptJobs {

    private final Recurring parts = new Recurring();

    JobStatus kept(JobStatus job) {
        return new JobStatus(
                job.job(),
                parts.one(job.description(), this::description),
                parts.one(job.submittedBy()),
                job.spec(),
                job.key(),
                job.submission(),
                job.submittedAt(),
                job.state(),
                job.reason(),
                parts.one(job.rank()),
                job.run(),
                job.ended().stream().map(this::run).toList(),
                job.endedAt(),
                parts.orNull(job.exit()),
                parts.orNull(job.cancelledBy()),
                parts.orNull(job.message()),
                job.planned(),
                job.hold(),
                job.eligibleAt(),
                job.clearing());
    }

    private JobDescription description(JobDescription it) {
        return it.with(parts.one(it.request()));
    }

    private EndedRun run(EndedRun it) {
        return new EndedRun(
                it.lease(),
                parts.one(it.allocations()),
                it.placedAt(),
                it.startedAt(),
                it.freedAt(),
                it.outcome(),
                parts.one(it.exit()),
                it.charge(),
                it.suspendedMillis(),
                it.ending(),
                parts.orNull(it.used()),
                it.lostGpuMillis());
    }
}
