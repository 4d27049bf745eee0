package io.berth.core.lifecycle;

import io.berth.contracts.ExitStatus;
import io.berth.contracts.HetComponent;
import io.berth.contracts.JobId;
import io.berth.contracts.JobState;
import io.berth.contracts.Reason;
import io.berth.contracts.event.JobStatus;
import io.berth.contracts.event.JobStatus.Outcome;
import io.berth.contracts.event.JobStatus.Part.Phase;
import io.berth.contracts.event.JobStatus.Run;
import io.berth.core.request.Eligibility;
import io.berth.core.state.CellState;
import io.berth.core.state.Draft;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

/// What the components of a heterogeneous job do together: they wait as one, start as one, and are
/// queued again as one. (docs/adr/0017, rules 1, 3 and 4)
final class HetJobs {

    private HetJobs() {}

    /// Whom an order to a job is meant for: to the first component, all.
    static List<JobId> meant(CellState state, JobId id) {
        return state.job(id)
                .filter(job -> offset(job) == 0)
                .map(Eligibility::together)
                .orElse(List.of(id));
    }

    private static int offset(JobStatus job) {
        HetComponent set = job.description().het();
        return set == null ? 0 : set.offset(job.job());
    }

    /// The other components that are known.
    static Stream<JobStatus> others(Draft draft, JobStatus job) {
        return Eligibility.together(job).stream()
                .filter(id -> !id.equals(job.job()) && draft.state().job(id).isPresent())
                .map(draft::job);
    }

    /// Whether a job can wait again: of a set, whether no component is over.
    static boolean mayWaitAgain(Draft draft, JobStatus job) {
        List<JobId> all = Eligibility.together(job);
        return all.stream()
                .allMatch(id -> draft.state().job(id).isPresent() && lives(draft.job(id)));
    }

    private static boolean lives(JobStatus job) {
        Outcome outcome = job.run() == null ? null : job.run().outcome();
        return !job.state().terminal() && (outcome == null || outcome.state() == JobState.PENDING);
    }

    /// What becomes of a run that was to wait again: a set waits again whole, or not at all.
    static Outcome possible(Draft draft, JobStatus job, Outcome outcome) {
        boolean failed = outcome.ending() == JobState.NODE_FAIL;
        boolean whole =
                mayWaitAgain(draft, job)
                        && (!failed
                                || others(draft, job).allMatch(it -> it.description().requeue()));
        if (outcome.state() != JobState.PENDING || whole) {
            return outcome;
        }
        return new Outcome(
                Objects.requireNonNullElse(outcome.ending(), JobState.NODE_FAIL),
                failed ? Reason.NODE_DOWN : Reason.NONE,
                ExitStatus.SUCCESS,
                "another component of the job is over or may not be queued again",
                null,
                outcome.endsBy());
    }

    /// The components that a run's outcome is decided for too: all, if they wait again, give way or
    /// have not all begun, or if it is the first's, whose script is that of all.
    static List<JobId> along(Draft draft, JobStatus job, Outcome outcome) {
        Run run = Objects.requireNonNull(job.run());
        boolean all =
                outcome.state() == JobState.PENDING
                        || outcome.state() == JobState.PREEMPTED
                        || !run.gone()
                        || offset(job) == 0;
        return all ? others(draft, job).map(JobStatus::job).toList() : List.of();
    }

    /// Whether all nodes of all components are ready for the word to go.
    static boolean ready(Draft draft, JobStatus job) {
        return Eligibility.together(job).stream().map(draft::job).allMatch(HetJobs::ready);
    }

    private static boolean ready(JobStatus job) {
        Run run = job.run();
        return run != null
                && run.outcome() == null
                && !run.gone()
                && run.parts().stream().allMatch(it -> it.phase() == Phase.READY);
    }
}
