package io.berth.core.lifecycle;

import io.berth.contracts.EndedJobs;
import io.berth.contracts.JobId;
import io.berth.contracts.event.FairShares;
import io.berth.contracts.event.JobStatus;
import io.berth.core.request.Eligibility;
import io.berth.core.state.CellState;
import java.util.ArrayList;
import java.util.List;

/// Which ended jobs a cell knows no longer. The books keep all of them.
///
/// By the cluster's [EndedJobs]: a job of the greatest age goes. Before that those go, the earliest
/// end first, that so many jobs as are counted have ended after, but none below the least age.
/// Whatever its age a job stays while something may still ask how it ended: a waiting job that
/// depends on it or on its array, a living task of its array, a living component of its
/// heterogeneous job, or budgets whose sums do not have its runs yet.
///
/// Source: slurm.conf(5), MinJobAge and MaxJobCount; docs/adr/0033.
final class Forgetting {

    /// At most so many of those above the count are looked at in a round.
    static final int STEPS = 2_000;

    private Forgetting() {}

    /// The jobs to forget at that time, the earliest end first.
    static List<JobStatus> due(CellState state, long now) {
        var due = new ArrayList<JobStatus>();
        EndedJobs rule = rule(state);
        int above = above(state, rule);
        for (JobStatus job : state.ended()) {
            long age = now - job.endedAt();
            if (age < age(rule, above > 0)) {
                break;
            }
            above--;
            if (!awaited(state, job) && (age >= age(rule, false) || booked(state, job))) {
                due.add(job);
            }
        }
        return due;
    }

    /// The next time at which a job is to be forgotten; `Long.MAX_VALUE` if none is.
    static long next(CellState state) {
        long next = Long.MAX_VALUE;
        EndedJobs rule = rule(state);
        int above = above(state, rule);
        for (JobStatus job : state.ended()) {
            if (!awaited(state, job)) {
                boolean soon = above > 0 && booked(state, job);
                next = Math.min(next, job.endedAt() + age(rule, soon));
                if (soon || above <= 0) {
                    return next;
                }
            }
            above--;
        }
        return next;
    }

    private static EndedJobs rule(CellState state) {
        return state.configuration().map(it -> it.cluster().endedJobs()).orElse(EndedJobs.DEFAULT);
    }

    private static int above(CellState state, EndedJobs rule) {
        return Math.min(STEPS, state.ended().size() - rule.count());
    }

    /// At which a job goes, in milliseconds: the least or the greatest.
    private static long age(EndedJobs rule, boolean soon) {
        return 1000 * (soon ? rule.minAgeSeconds() : rule.maxAgeSeconds());
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
