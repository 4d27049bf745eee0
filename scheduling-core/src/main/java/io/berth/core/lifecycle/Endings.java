package io.berth.core.lifecycle;

import io.berth.contracts.ExitStatus;
import io.berth.contracts.JobId;
import io.berth.contracts.JobState;
import io.berth.contracts.NodeName;
import io.berth.contracts.Reason;
import io.berth.contracts.RunId;
import io.berth.contracts.event.JobEvent;
import io.berth.contracts.event.JobStatus;
import io.berth.contracts.event.JobStatus.Outcome;
import io.berth.contracts.event.JobStatus.Part;
import io.berth.contracts.event.JobStatus.Run;
import io.berth.contracts.event.Order;
import io.berth.core.state.Draft;
import io.berth.core.state.Transitions;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// How runs come to their end: the first terminal cause decides, what still runs is stopped, and
/// when the last group is empty the resources come free.
final class Endings {

    /// Seconds from TERM to KILL: Slurm's KillWait.
    static final long KILL_WAIT_SECONDS = 30;

    private Endings() {}

    /// What becomes of a job whose nodes failed it: it waits again if it may, and else ends as
    /// NODE_FAIL.
    static Outcome nodesFailed(JobStatus job, String message) {
        return job.description().requeue()
                ? new Outcome(
                        JobState.PENDING,
                        Reason.NONE,
                        ExitStatus.SUCCESS,
                        message,
                        JobState.NODE_FAIL,
                        null)
                : new Outcome(JobState.NODE_FAIL, Reason.NODE_DOWN, ExitStatus.SUCCESS, message);
    }

    /// Decides the outcome of the current run and of those that end with it, if they have none yet,
    /// and stops the parts that are not over: with notice if the outcome says until when.
    static void decide(Draft draft, JobId id, Outcome outcome, long now) {
        JobStatus job = draft.job(id);
        Run run = job.run();
        if (run == null || run.outcome() != null) {
            return;
        }
        Outcome possible = HetJobs.possible(draft, job, outcome);
        List<JobId> along = HetJobs.along(draft, job, possible);
        decideOne(draft, id, possible, job.cancelledBy(), now);
        along.forEach(other -> decideOne(draft, other, possible, job.cancelledBy(), now));
    }

    private static void decideOne(
            Draft draft, JobId id, Outcome outcome, @Nullable String cancelledBy, long now) {
        Run run = draft.job(id).run();
        if (run == null || run.outcome() != null) {
            return;
        }
        if (cancelledBy != null) {
            draft.change(Transitions.cancelledBy(draft.job(id), cancelledBy));
        }
        boolean awake = Standstill.wake(draft, id, now);
        draft.change(Transitions.completing(draft.job(id), outcome.decided(now)));
        stop(draft, id, awake, now);
        freeIfEmpty(draft, id, now);
    }

    /// Ends a run at once that has notice, or was to make its job wait again, and is no more to.
    static void hasten(Draft draft, JobId id, Outcome outcome, long now) {
        boolean notice = Objects.requireNonNull(run(draft, id).outcome()).endsBy() != null;
        draft.change(Transitions.completing(draft.job(id), outcome.decided(now)));
        if (notice) {
            stop(draft, id, true, now);
        }
    }

    private static void stop(Draft draft, JobId id, boolean awake, long now) {
        for (Part part : run(draft, id).parts()) {
            if (part.phase() != Part.Phase.ENDED) {
                stop(draft, id, part.allocation().node(), awake, now);
            }
        }
    }

    /// Orders a node to stop its part of a run whose outcome is decided.
    ///
    /// @param awake whether it has its CPUs, so that it can do anything with a grace
    static void stop(Draft draft, JobId id, NodeName node, boolean awake, long now) {
        Run run = run(draft, id);
        Outcome outcome = Objects.requireNonNull(run.outcome());
        JobState ending = outcome.ending() == null ? outcome.state() : outcome.ending();
        JobState because = ending == JobState.PENDING ? JobState.NODE_FAIL : ending;
        Long endsBy = awake ? outcome.endsBy() : null;
        long grace =
                endsBy == null
                        ? awake ? KILL_WAIT_SECONDS : 0
                        : Math.max(0, Math.ceilDiv(endsBy - now, 1000));
        Boolean notice = endsBy == null ? null : true;
        var runId = new RunId(id, run.lease());
        draft.order(
                node,
                (epoch, number) ->
                        new Order.Stop(node, epoch, number, runId, because, grace, notice));
    }

    private static Run run(Draft draft, JobId id) {
        return Objects.requireNonNull(
                draft.job(id).run(), () -> "stop job " + id + ": it has no run");
    }

    /// Frees the resources of a decided run whose every part is over.
    static void freeIfEmpty(Draft draft, JobId id, long now) {
        JobStatus job = draft.job(id);
        Run run = job.run();
        if (run == null
                || run.outcome() == null
                || run.parts().stream().anyMatch(part -> part.phase() != Part.Phase.ENDED)) {
            return;
        }
        JobStatus freed = Transitions.freed(job, now);
        draft.change(freed);
        draft.announce(
                freed.state() == JobState.PENDING
                        ? new JobEvent.Requeued(
                                id, now, freed.ended().getLast(), job.reason(), freed.message())
                        : ended(freed));
        if (freed.description().timeLimitSeconds() != job.description().timeLimitSeconds()) {
            draft.announce(new JobEvent.Amended(id, now, freed.description(), freed.submittedBy()));
        }
    }

    /// The public word that a job is over.
    static JobEvent ended(JobStatus job) {
        return new JobEvent.Ended(
                job.job(),
                job.endedAt(),
                job.description(),
                job.state(),
                job.reason(),
                Objects.requireNonNullElse(job.exit(), ExitStatus.SUCCESS),
                job.submittedAt(),
                job.ended(),
                job.cancelledBy(),
                job.message());
    }
}
