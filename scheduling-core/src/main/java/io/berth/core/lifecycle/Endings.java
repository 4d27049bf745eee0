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
import java.util.Objects;

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
                ? new Outcome(JobState.PENDING, Reason.NONE, ExitStatus.SUCCESS, null)
                : new Outcome(JobState.NODE_FAIL, Reason.NODE_DOWN, ExitStatus.SUCCESS, message);
    }

    /// Decides the outcome of the current run, if it has none yet, and stops the parts that are not
    /// over.
    static void decide(Draft draft, JobId id, Outcome outcome, long now) {
        JobStatus job = draft.job(id);
        Run run = job.run();
        if (run == null || run.outcome() != null) {
            return;
        }
        draft.change(Transitions.completing(job, outcome));
        for (Part part : run.parts()) {
            if (part.phase() != Part.Phase.ENDED) {
                stop(draft, new RunId(id, run.lease()), part.allocation().node(), outcome.state());
            }
        }
        freeIfEmpty(draft, id, now);
    }

    static void stop(Draft draft, RunId run, NodeName node, JobState because) {
        JobState said = because == JobState.PENDING ? JobState.NODE_FAIL : because;
        draft.order(
                node,
                (epoch, number) ->
                        new Order.Stop(node, epoch, number, run, said, KILL_WAIT_SECONDS));
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
                        ? new JobEvent.Requeued(id, now, freed.ended().getLast(), job.reason())
                        : ended(freed));
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
