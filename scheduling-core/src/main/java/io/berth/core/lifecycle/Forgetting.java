package io.berth.core.lifecycle;

import io.berth.contracts.JobId;
import io.berth.contracts.event.FairShares;
import io.berth.contracts.event.JobStatus;
import io.berth.core.request.Eligibility;
import io.berth.core.state.CellState;
import java.util.ArrayList;
import java.util.List;

/// Which ended jobs a cell knows no longer. The books keep all of them.
///
/// A day after its end a job goes. Before that those go, the earliest end first, that [#MOST] jobs
/// have ended after, but none within [#MIN_MILLIS] of its end. Whatever its age a job stays while
/// something may still ask how it ended: a waiting job that depends on it or on its array, a living
/// task of its array, a living component of its heterogeneous job, or budgets whose sums do not
/// have its runs yet.
///
/// Source: slurm.conf(5), MinJobAge and MaxJobCount; docs/adr/0033.
final class Forgetting {

    /// How long an ended job stays known at most.
    static final long MOST_MILLIS = 24 * 3600 * 1000L;

    /// How long it stays known at least: Slurm's default of MinJobAge. Longer than a submission
    /// that was sent twice, under one idempotency key, can be under way.
    static final long MIN_MILLIS = 300_000;

    /// So many ended jobs stay known for a day.
    static final int MOST = 10_000;

    /// At most so many of those above [#MOST] are looked at in a round.
    static final int STEPS = 2_000;

    private Forgetting() {}

    /// The jobs to forget at that time, the earliest end first.
    static List<JobStatus> due(CellState state, long now) {
        var due = new ArrayList<JobStatus>();
        int above = above(state);
        for (JobStatus job : state.ended()) {
            long age = now - job.endedAt();
            if (age < (above > 0 ? MIN_MILLIS : MOST_MILLIS)) {
                break;
            }
            above--;
            if (!awaited(state, job) && (age >= MOST_MILLIS || booked(state, job))) {
                due.add(job);
            }
        }
        return due;
    }

    /// The next time at which a job is to be forgotten; `Long.MAX_VALUE` if none is.
    static long next(CellState state) {
        long next = Long.MAX_VALUE;
        int above = above(state);
        for (JobStatus job : state.ended()) {
            if (!awaited(state, job)) {
                boolean soon = above > 0 && booked(state, job);
                next = Math.min(next, job.endedAt() + (soon ? MIN_MILLIS : MOST_MILLIS));
                if (soon || above <= 0) {
                    return next;
                }
            }
            above--;
        }
        return next;
    }

    private static int above(CellState state) {
        return Math.min(STEPS, state.ended().size() - MOST);
    }

    private static boolean awaited(CellState state, JobStatus job) {
        return state.companions().awaited(job)
                || (job.description().het() != null
                        && Eligibility.together(job).stream().anyMatch(id -> lives(state, id)));
    }

    private static boolean lives(CellState state, JobId id) {
        return state.job(id).filter(job -> !job.state().terminal()).isPresent();
    }

    private static boolean booked(CellState state, JobStatus job) {
        return state.fairShares()
                .map(FairShares::bookedUntil)
                .filter(until -> job.endedAt() >= until)
                .isEmpty();
    }
}
