package io.berth.core.lifecycle;

import io.berth.contracts.EndedRun;
import io.berth.contracts.ExitStatus;
import io.berth.contracts.JobId;
import io.berth.contracts.JobState;
import io.berth.contracts.Reason;
import io.berth.contracts.event.JobStatus;
import io.berth.contracts.event.JobStatus.Outcome;
import io.berth.contracts.event.JobStatus.Run;
import io.berth.core.engine.DecisionFailed;
import io.berth.core.placement.Launching;
import io.berth.core.placement.Partitions;
import io.berth.core.request.Eligibility;
import io.berth.core.request.Known;
import io.berth.core.request.Reserved;
import io.berth.core.state.CellState;
import io.berth.core.state.Draft;
import io.berth.core.state.Fact;
import io.berth.core.state.Transitions;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/// What falls due by time alone: gangs that are not ready, runs over their limit that their agent
/// did not end, runs whose reservation ends, jobs whose time to begin or whose deadline has come,
/// ended jobs to forget.
final class Deadlines {

    /// From placing a run of several nodes, or runs that start together, until all must be Ready: a
    /// prolog has five minutes, and the task thirty seconds.
    static final long READY_MILLIS = 6 * 60_000;

    /// How often one after the other a run may not be ready before its job is held: Slurm's
    /// max_batch_requeue.
    static final int MAX_NOT_READY = 5;

    /// After a run's limit and its kill grace, until placement orders the stop itself.
    static final long LIMIT_SLACK_MILLIS = 30_000 + Endings.KILL_WAIT_SECONDS * 1000;

    private static final String STANDSTILL = "suspended runs";

    private Deadlines() {}

    /// @param without subjects of [DecisionFailed] that are left out
    /// @throws DecisionFailed at the first that is not left out and fails
    static List<Fact> due(CellState state, long now, Set<String> without) {
        var draft = new Draft(state);
        decide(state.holding(), without, id -> limit(draft, id, now));
        decide(
                STANDSTILL,
                without,
                () -> {
                    Standstill.goOn(draft, now);
                    Preemptions.goOn(draft, now);
                    TimeSlices.turn(draft, now);
                });
        var known = new Known(state);
        decide(
                state.companions().timed(),
                without,
                id -> timed(draft, state.knownJob(id), known, now));
        var facts = new ArrayList<>(draft.facts());
        Forgetting.due(state, now).forEach(job -> facts.add(new Fact.JobForgotten(job.job())));
        return facts;
    }

    private static void decide(Iterable<JobId> jobs, Set<String> without, Consumer<JobId> each) {
        for (JobId id : jobs) {
            if (!without.isEmpty() && without.contains(DecisionFailed.subject(id.value()))) {
                continue;
            }
            try {
                each.accept(id);
            } catch (RuntimeException e) {
                throw DecisionFailed.on(id.value(), e);
            }
        }
    }

    private static void decide(String subject, Set<String> without, Runnable decision) {
        if (without.contains(subject)) {
            return;
        }
        try {
            decision.run();
        } catch (RuntimeException e) {
            throw DecisionFailed.on(subject, e);
        }
    }

    private static void limit(Draft draft, JobId id, long now) {
        JobStatus job = draft.state().knownJob(id);
        Run run = job.run();
        if (run != null && run.outcome() == null && dueAt(draft.state(), job, run) <= now) {
            if (run.startedAt() == 0 && notReadyBefore(job) + 1 == MAX_NOT_READY) {
                Controls.hold(
                        draft,
                        id,
                        "its nodes were not ready in time, %d times one after the other"
                                .formatted(MAX_NOT_READY),
                        now);
            }
            Endings.decide(draft, id, run.startedAt() == 0 ? notReady() : overLimit(), now);
        }
    }

    /// A job whose deadline cannot be kept ends; one whose time to begin has come may start.
    private static void timed(Draft draft, JobStatus job, Known known, long now) {
        if (Eligibility.deadline(job) > now) {
            if (job.state() == JobState.PENDING) {
                JobStatus reviewed = Reviews.reviewed(job, known, now);
                if (!reviewed.equals(job)) {
                    draft.change(reviewed);
                }
            }
        } else if (job.state() == JobState.PENDING) {
            JobStatus ended =
                    Transitions.endedWaiting(job, JobState.DEADLINE, Reason.DEADLINE, now);
            draft.change(ended);
            draft.announce(Endings.ended(ended));
        } else {
            Endings.decide(draft, job.job(), pastDeadline(), now);
        }
    }

    /// The next time at which something falls due; `Long.MAX_VALUE` if nothing will.
    static long next(CellState state, long now) {
        long next = Math.min(Forgetting.next(state), TimeSlices.next(state));
        var known = new Known(state);
        for (JobId id : state.companions().timed()) {
            next = Math.min(next, Eligibility.next(state.knownJob(id), known, now));
        }
        for (JobId id : state.holding()) {
            JobStatus job = state.knownJob(id);
            Run run = job.run();
            if (run != null && run.outcome() == null) {
                next = Math.min(next, dueAt(state, job, run));
            }
        }
        return next;
    }

    /// When a run is not ready, is over its limit, or its reservation ends.
    private static long dueAt(CellState state, JobStatus job, Run run) {
        long reserved =
                Reserved.end(state.configuration().orElse(null), job.description(), run.placedAt());
        long limit = dueAt(job, run);
        long over =
                1000
                        * Partitions.overTimeSeconds(
                                state.configuration().orElse(null), job.description());
        boolean started = run.startedAt() > 0 && limit != Long.MAX_VALUE;
        return Math.min(reserved, started ? limit + over : limit);
    }

    /// The time for which a run was suspended counts for no limit.
    private static long dueAt(JobStatus job, Run run) {
        if (run.standstill().suspended()) {
            return Long.MAX_VALUE;
        }
        long later = run.standstill().millis();
        if (run.startedAt() == 0) {
            return Launching.awaitsGo(job, run) && !run.gone()
                    ? run.placedAt() + READY_MILLIS + later
                    : Long.MAX_VALUE;
        }
        long limit = job.description().timeLimitSeconds();
        return limit == 0
                ? Long.MAX_VALUE
                : run.startedAt() + limit * 1000 + LIMIT_SLACK_MILLIS + later;
    }

    /// How many of the job's last runs were not ready in time: neither began nor were cut short, by
    /// their nodes or by a user, as far as these were free again within that time.
    private static int notReadyBefore(JobStatus job) {
        int ready = 0;
        for (EndedRun run : job.ended().reversed()) {
            boolean inTime = run.freedAt() - run.placedAt() < READY_MILLIS;
            if (run.startedAt() != 0 || run.ending() != null || inTime) {
                ready = run.lease();
                break;
            }
        }
        int times = job.ended().isEmpty() ? 0 : job.ended().getLast().lease() - ready;
        return times % MAX_NOT_READY;
    }

    private static Outcome notReady() {
        return new Outcome(JobState.PENDING, Reason.NONE, ExitStatus.SUCCESS, null);
    }

    private static Outcome pastDeadline() {
        return new Outcome(JobState.DEADLINE, Reason.DEADLINE, ExitStatus.SUCCESS, null);
    }

    private static Outcome overLimit() {
        return new Outcome(JobState.TIMEOUT, Reason.TIME_LIMIT, ExitStatus.SUCCESS, null);
    }
}
