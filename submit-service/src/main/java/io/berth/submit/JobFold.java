package io.berth.submit;

import io.berth.contracts.Allocation;
import io.berth.contracts.EndedRun;
import io.berth.contracts.JobDescription;
import io.berth.contracts.JobState;
import io.berth.contracts.NodeName;
import io.berth.contracts.Rank;
import io.berth.contracts.Reason;
import io.berth.contracts.event.JobStatus;
import io.berth.contracts.event.JobStatus.Outcome;
import io.berth.contracts.event.JobStatus.Part;
import io.berth.contracts.event.JobStatus.Part.Underuse;
import io.berth.contracts.event.JobStatus.Run;
import io.berth.contracts.event.Submission.Submitted;
import io.berth.core.state.Recurring;
import io.berth.submit.Job.Attempt;
import io.berth.submit.Job.Attempt.LowGpuUse;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Makes compact jobs of what the log says of them.
///
/// Not safe for use by several threads.
public final class JobFold {
    private final Interner interner = new Interner();
    private final Recurring recurring = new Recurring();

    /// A job that placement has not seen yet.
    public static Job submitted(Submitted submitted, int cell, long offset, long appendedAt) {
        return new Job(
                submitted.job(),
                submitted.description(),
                submitted.submittedBy(),
                submitted.spec().partition(),
                submitted.spec().offset(),
                submitted.spec().key(),
                cell,
                offset,
                appendedAt,
                JobState.PENDING,
                Reason.NONE,
                Rank.NONE,
                null,
                0,
                0,
                null,
                null,
                null,
                submitted.description().conditions().hold(),
                null,
                null);
    }

    Job job(JobStatus status, int cell) {
        return new Job(
                status.job(),
                recurring.one(status.description(), this::interned),
                interner.one(status.submittedBy()),
                status.spec().partition(),
                status.spec().offset(),
                status.spec().key(),
                cell,
                status.submission(),
                status.submittedAt(),
                status.state(),
                status.reason(),
                recurring.one(status.rank()),
                attempt(status),
                status.ended().isEmpty() ? 0 : status.ended().getLast().restartsByThen(),
                status.endedAt(),
                recurring.orNull(status.exit()),
                recurring.orNull(status.cancelledBy()),
                recurring.orNull(status.message()),
                status.hold(),
                status.eligibleAt(),
                status.planned());
    }

    private JobDescription interned(JobDescription it) {
        return new JobDescription(
                interner.one(it.user()),
                interner.one(it.account()),
                interner.one(it.partition()),
                interner.one(it.qos()),
                it.name(),
                interner.one(it.request()),
                it.launch(),
                it.timeLimitSeconds(),
                it.nice(),
                it.requeue(),
                it.terms());
    }

    private @Nullable Attempt attempt(JobStatus status) {
        Run run = status.run();
        if (run != null) {
            return new Attempt(
                    run.lease(),
                    run.placedAt(),
                    true,
                    run.billingRate(),
                    allocations(run.allocations()),
                    run.standstill().millis(),
                    run.standstill().suspendedAt(),
                    preemptAt(run.outcome()),
                    run.parts().getFirst().enforced(),
                    idle(run));
        }
        if (status.ended().isEmpty()) {
            return null;
        }
        EndedRun last = status.ended().getLast();
        return new Attempt(
                last.lease(),
                last.placedAt(),
                false,
                0,
                allocations(last.allocations()),
                Objects.requireNonNullElse(last.suspendedMillis(), 0L),
                0,
                0,
                null,
                List.of());
    }

    private static List<LowGpuUse> idle(Run run) {
        var idle = new ArrayList<LowGpuUse>();
        for (Part part : run.parts()) {
            Underuse how = part.underused();
            if (how != null) {
                NodeName node = part.allocation().node();
                idle.add(new LowGpuUse(node, how.since(), how.percent()));
            }
        }
        return idle;
    }

    private static long preemptAt(@Nullable Outcome outcome) {
        if (outcome == null
                || (outcome.state() != JobState.PREEMPTED
                        && outcome.ending() != JobState.PREEMPTED)) {
            return 0;
        }
        Long at = outcome.endsBy() == null ? outcome.decidedAt() : outcome.endsBy();
        return at == null ? 0 : at;
    }

    private List<Allocation> allocations(List<Allocation> allocations) {
        return recurring.one(allocations, this::interned);
    }

    private List<String> uuids(List<String> gpus) {
        return gpus.stream().map(interner::one).toList();
    }

    private List<Allocation> interned(List<Allocation> allocations) {
        return allocations.stream()
                .map(it ->
                        new Allocation(
                                interner.one(it.node()),
                                it.index(),
                                it.tasks(),
                                interner.one(it.cpus()),
                                it.memoryMib(),
                                recurring.one(it.gpus(), this::uuids),
                                it.share() == null ? null : interner.one(it.share()),
                                it.gres()))
                .toList();
    }
}
