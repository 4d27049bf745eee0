package io.berth.core.lifecycle;

import io.berth.contracts.ExitStatus;
import io.berth.contracts.IdempotencyKey;
import io.berth.contracts.JobId;
import io.berth.contracts.JobState;
import io.berth.contracts.Rank;
import io.berth.contracts.Reason;
import io.berth.contracts.event.JobEvent;
import io.berth.contracts.event.JobStatus;
import io.berth.contracts.event.JobStatus.Outcome;
import io.berth.contracts.event.Ranked;
import io.berth.contracts.event.Submission.CancelRequested;
import io.berth.contracts.event.Submission.Submitted;
import io.berth.core.state.CellState;
import io.berth.core.state.Draft;
import io.berth.core.state.Fact;
import io.berth.core.state.Transitions;
import java.util.List;

/// What people and the priority service ask of jobs.
final class Intake {

    private static final Outcome CANCELLED =
            new Outcome(JobState.CANCELLED, Reason.NONE, ExitStatus.SUCCESS, null);

    private Intake() {}

    /// A new job waits, or all tasks of a new array, or all components of a heterogeneous job. One
    /// with an id that is known, or with a key that stands for another job, is void: the gateway
    /// has answered with the first.
    static List<Fact> submitted(CellState state, Submitted submitted, long offset, long now) {
        List<Submitted> jobs = submitted.jobs();
        if (jobs.stream().anyMatch(one -> state.job(one.job()).isPresent())
                || isVoid(state, submitted)) {
            return List.of();
        }
        var draft = new Draft(state);
        for (Submitted one : jobs) {
            JobStatus job = waiting(state, one, offset, now);
            draft.change(job);
            draft.announce(new JobEvent.Queued(job.job(), now, job.description()));
        }
        return draft.facts();
    }

    private static JobStatus waiting(CellState state, Submitted one, long offset, long now) {
        return new JobStatus(
                one.job(),
                one.description(),
                one.submittedBy(),
                one.spec(),
                one.key(),
                offset,
                now,
                JobState.PENDING,
                Reason.NONE,
                state.rankWithoutJob(one.job()).orElse(Rank.NONE),
                null,
                List.of(),
                0,
                null,
                null,
                null,
                null,
                one.description().conditions().hold(),
                null,
                null);
    }

    private static boolean isVoid(CellState state, Submitted submitted) {
        IdempotencyKey key = submitted.key();
        return key != null && state.claimed(submitted.description().user(), key.key()).isPresent();
    }

    /// A job leaves the queue, or its run is stopped. An ended or unknown job stays as it is.
    static List<Fact> cancelled(CellState state, CancelRequested request, long now) {
        JobStatus job = state.job(request.job()).orElse(null);
        if (job == null || job.state().terminal()) {
            return List.of();
        }
        var draft = new Draft(state);
        JobStatus cancelled = Transitions.cancelledBy(job, request.user());
        switch (job.state()) {
            case PENDING -> {
                JobStatus ended =
                        Transitions.endedWaiting(cancelled, JobState.CANCELLED, Reason.NONE, now);
                draft.change(ended);
                draft.announce(Endings.ended(ended));
            }
            case COMPLETING ->
                    HetJobs.meant(state, job.job())
                            .forEach(id -> hasten(draft, id, request.user(), now));
            default -> {
                draft.change(cancelled);
                Endings.decide(draft, job.job(), CANCELLED, now);
            }
        }
        return draft.facts();
    }

    /// Cuts a run short that has notice or was to make its job wait again; another one ends as it
    /// does.
    private static void hasten(Draft draft, JobId id, String user, long now) {
        JobStatus job = draft.state().job(id).orElse(null);
        Outcome decided = job == null || job.run() == null ? null : job.run().outcome();
        if (job == null || decided == null) {
            return;
        }
        boolean requeues = decided.state() == JobState.PENDING;
        if (requeues || decided.endsBy() != null) {
            draft.change(Transitions.cancelledBy(job, user));
            Endings.hasten(draft, id, requeues ? CANCELLED : decided.withoutNotice(), now);
        }
    }

    /// A ranking counts until its job is over, unless a newer one was read: one that runs may wait
    /// again.
    static List<Fact> ranked(CellState state, Ranked ranked) {
        JobStatus job = state.job(ranked.job()).orElse(null);
        if (job == null) {
            boolean newer =
                    state.rankWithoutJob(ranked.job()).map(Rank::version).orElse(0L)
                            < ranked.rank().version();
            return newer ? List.of(new Fact.RankKept(ranked.job(), ranked.rank())) : List.of();
        }
        if (job.state().terminal() || job.rank().version() >= ranked.rank().version()) {
            return List.of();
        }
        return List.of(new Fact.JobChanged(Transitions.ranked(job, ranked.rank())));
    }
}
