package io.berth.core.lifecycle;

import io.berth.contracts.JobId;
import io.berth.contracts.JobState;
import io.berth.contracts.Reason;
import io.berth.contracts.event.JobStatus;
import io.berth.core.request.Eligibility;
import io.berth.core.request.Known;
import io.berth.core.state.CellState;
import io.berth.core.state.Fact;
import io.berth.core.state.Transitions;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// What facts on jobs mean for those that wait for them: a job that began or ended may let others
/// start, or bar them for ever.
final class Reviews {

    private Reviews() {}

    /// The facts, and what follows from them for the changed jobs themselves and for jobs that
    /// depend on them, and so on.
    static List<Fact> followed(CellState state, List<Fact> facts, long now) {
        var changed = new LinkedHashMap<JobId, JobStatus>();
        for (Fact fact : facts) {
            if (fact instanceof Fact.JobChanged(JobStatus status)) {
                changed.put(status.job(), status);
            }
        }
        var open = new TreeSet<JobId>();
        changed.values().forEach(job -> affected(state, job, open));
        if (open.isEmpty()) {
            return facts;
        }
        var known = new Known(state, changed);
        var followed = new ArrayList<>(facts);
        for (JobId id = open.pollFirst(); id != null; id = open.pollFirst()) {
            JobStatus job = known.job(id).orElse(null);
            if (job == null || job.state() != JobState.PENDING) {
                continue;
            }
            JobStatus reviewed = reviewed(job, known, now);
            if (reviewed.equals(job)) {
                continue;
            }
            changed.put(id, reviewed);
            followed.add(new Fact.JobChanged(reviewed));
            if (reviewed.description().het() != null) {
                open.addAll(Eligibility.together(reviewed));
            }
            if (reviewed.state().terminal()) {
                followed.add(new Fact.Announced(Endings.ended(reviewed)));
                affected(state, reviewed, open);
            }
        }
        return followed;
    }

    /// The jobs to look at again after this change.
    private static void affected(CellState state, JobStatus job, TreeSet<JobId> open) {
        JobStatus before = state.job(job.job()).orElse(null);
        if (job.state() == JobState.PENDING && Eligibility.conditional(job)) {
            open.add(job.job());
        }
        if (job.description().het() != null) {
            open.addAll(Eligibility.together(job));
        }
        if (before == null || before.state() != job.state()) {
            open.addAll(state.companions().dependents(job));
        } else if (!before.description().name().equals(job.description().name())) {
            open.addAll(state.companions().dependents(before));
        }
    }

    /// A job that waits, as it stands now; a component of a heterogeneous job ends with the first
    /// of them that does, and one that wished so is cancelled when what it depends on can never
    /// happen.
    static JobStatus reviewed(JobStatus job, Known known, long now) {
        JobStatus over = job.description().het() == null ? null : over(job, known);
        if (over != null) {
            JobStatus ended = Transitions.endedWaiting(job, over.state(), over.reason(), now);
            String by = over.cancelledBy();
            return by == null ? ended : Transitions.cancelledBy(ended, by);
        }
        JobStatus reviewed = Eligibility.reviewed(job, known, now);
        boolean kill =
                Boolean.TRUE.equals(job.description().conditions().killOnInvalidDependency());
        return kill && reviewed.reason() == Reason.DEPENDENCY_NEVER_SATISFIED
                ? Transitions.endedWaiting(
                        reviewed, JobState.CANCELLED, Reason.DEPENDENCY_NEVER_SATISFIED, now)
                : reviewed;
    }

    /// The first component that is over of those that should start with the job; null if none is.
    private static @Nullable JobStatus over(JobStatus job, Known known) {
        return Eligibility.together(job).stream()
                .flatMap(id -> known.job(id).stream())
                .filter(it -> it.state().terminal())
                .findFirst()
                .orElse(null);
    }
}
