package io.berth.core.lifecycle;

import io.berth.contracts.ExitStatus;
import io.berth.contracts.GpuShare.Enforcement;
import io.berth.contracts.JobId;
import io.berth.contracts.JobState;
import io.berth.contracts.LaunchMode;
import io.berth.contracts.NodeName;
import io.berth.contracts.Reason;
import io.berth.contracts.RunId;
import io.berth.contracts.event.JobEvent;
import io.berth.contracts.event.JobStatus;
import io.berth.contracts.event.JobStatus.Outcome;
import io.berth.contracts.event.JobStatus.Part;
import io.berth.contracts.event.JobStatus.Part.Phase;
import io.berth.contracts.event.JobStatus.Part.Underuse;
import io.berth.contracts.event.JobStatus.Run;
import io.berth.contracts.event.Order;
import io.berth.contracts.event.RunReport;
import io.berth.contracts.event.RunReport.Cause;
import io.berth.contracts.event.RunReport.GpusUnderused;
import io.berth.contracts.event.RunReport.GpusUsedAgain;
import io.berth.core.request.Eligibility;
import io.berth.core.state.CellState;
import io.berth.core.state.Draft;
import io.berth.core.state.Fact;
import io.berth.core.state.Transitions;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// What agents report of runs. The lease fences: a report on a run that is not the job's current
/// one changes nothing.
final class Reports {

    private Reports() {}

    static List<Fact> reported(CellState state, RunReport report, long now) {
        Part part = part(state, report.run(), report.node()).orElse(null);
        if (part == null || part.phase() == Phase.ENDED) {
            return List.of();
        }
        var draft = new Draft(state);
        int index = part.allocation().index();
        switch (report) {
            case RunReport.Ready ready -> ready(draft, ready.run(), index);
            case RunReport.Started it -> started(draft, it.run(), index, it.enforced(), now);
            case RunReport.Suspended it ->
                    Standstill.answered(draft, it.run(), index, it.nth(), now);
            case RunReport.NotSuspended it -> Standstill.failed(draft, it, index, now);
            case RunReport.CheckpointSaved it ->
                    saved(draft, it.run(), now - Math.max(0, it.ageMillis()));
            case GpusUnderused it -> underused(draft, it, part, now);
            case GpusUsedAgain it -> usedAgain(draft, it, part, now);
            case RunReport.Ended ended -> ended(draft, ended, index, now);
        }
        return draft.facts();
    }

    /// The part of that run on that node, if the run is its job's current one.
    static Optional<Part> part(CellState state, RunId run, NodeName node) {
        return state.job(run.job())
                .map(JobStatus::run)
                .filter(current -> current.lease() == run.lease())
                .flatMap(current ->
                        current.parts().stream()
                                .filter(part -> part.allocation().node().equals(node))
                                .findFirst());
    }

    /// A part waits for Go; if it was the last, all may go that start together.
    static void ready(Draft draft, RunId id, int index) {
        advance(draft, id.job(), index, Phase.READY);
        JobStatus job = draft.job(id.job());
        if (HetJobs.ready(draft, job)) {
            Eligibility.together(job).forEach(it -> go(draft, it));
        }
    }

    private static void go(Draft draft, JobId id) {
        Run run = Objects.requireNonNull(draft.job(id).run()).released();
        draft.change(Transitions.running(draft.job(id), run));
        run.parts()
                .forEach(part -> go(draft, new RunId(id, run.lease()), part.allocation().node()));
    }

    static void go(Draft draft, RunId run, NodeName node) {
        draft.order(node, (epoch, number) -> new Order.Go(node, epoch, number, run));
    }

    /// @param enforced what limits the run to its part of a GPU; null if it holds no part, and
    ///   where the report is still to come that says it
    static void started(
            Draft draft, RunId id, int index, @Nullable Enforcement enforced, long now) {
        Run run = advance(draft, id.job(), index, Phase.STARTED);
        if (enforced != null) {
            run = Transitions.withPart(run, index, part -> part.heldBy(enforced));
            draft.change(Transitions.running(draft.job(id.job()), run));
        }
        if (run.startedAt() != 0) {
            return;
        }
        draft.change(Transitions.running(draft.job(id.job()), run.started(now)));
        draft.announce(new JobEvent.Started(id.job(), now, id.lease(), enforced));
    }

    /// Counts for a run that has started; one of another clock may say anything.
    private static void saved(Draft draft, RunId id, long at) {
        JobStatus job = draft.job(id.job());
        Run run = Objects.requireNonNull(job.run());
        if (run.startedAt() != 0) {
            draft.change(Transitions.running(job, run.saved(at)));
        }
    }

    /// Told once; nothing is done about it.
    private static void underused(Draft draft, GpusUnderused report, Part part, long now) {
        if (part.phase() != Phase.STARTED || part.underused() != null) {
            return;
        }
        long seconds = Math.max(0, report.seconds());
        use(draft, report.run(), part, new Underuse(now - seconds * 1000, report.percent()));
        draft.announce(
                new JobEvent.GpusUnderused(
                        report.run().job(),
                        now,
                        report.run().lease(),
                        report.node(),
                        report.percent(),
                        seconds));
    }

    private static void usedAgain(Draft draft, GpusUsedAgain report, Part part, long now) {
        if (part.underused() != null) {
            use(draft, report.run(), part, null);
            draft.announce(
                    new JobEvent.GpusUsedAgain(
                            report.run().job(), now, report.run().lease(), report.node()));
        }
    }

    private static void use(Draft draft, RunId id, Part part, @Nullable Underuse how) {
        JobStatus job = draft.job(id.job());
        draft.change(
                Transitions.running(
                        job,
                        Transitions.withPart(
                                Objects.requireNonNull(job.run()),
                                part.allocation().index(),
                                it -> it.using(how))));
    }

    private static void ended(Draft draft, RunReport.Ended report, int index, long now) {
        JobId job = report.run().job();
        // A word that comes late is of an agent before the one that is there.
        if (report.cause() == Cause.AGENT_SHUTDOWN
                && report.epoch() == draft.node(report.node()).epoch()) {
            Registrations.left(draft, report.node());
        }
        draft.change(
                Transitions.running(
                        draft.job(job),
                        Transitions.withPart(
                                Objects.requireNonNull(draft.job(job).run()),
                                index,
                                it -> it.having(report.usage()))));
        if (report.drain() != null) {
            Registrations.drained(draft, report.node(), report.drain(), now);
        }
        if (report.steps() != null) {
            draft.announce(
                    new JobEvent.StepsEnded(
                            job, now, report.run().lease(), report.node(), report.steps()));
        }
        Run run = advance(draft, job, index, Phase.ENDED);
        Outcome decided = run.outcome();
        if (decided == null) {
            outcome(draft.job(job), run, index, report)
                    .ifPresentOrElse(
                            outcome -> {
                                if (outcome.state() == JobState.PENDING
                                        && report.cause() == Cause.LAUNCH_FAILED) {
                                    Controls.hold(
                                            draft, job, String.valueOf(report.message()), now);
                                }
                                Endings.decide(draft, job, outcome, now);
                            },
                            () -> Standstill.over(draft, report.run(), index, now));
        } else if (decided.endsBy() != null && isWholeScript(draft.job(job), index)) {
            // What is left of its grace is nobody's.
            Endings.hasten(draft, job, decided.withoutNotice(), now);
        }
        Endings.freeIfEmpty(draft, job, now);
    }

    /// Whether all that a run does ends with that part. What holds a component's nodes does not
    /// tell: the script is another job's.
    private static boolean isWholeScript(JobStatus job, int index) {
        LaunchMode launch = job.description().launch();
        return launch == LaunchMode.BATCH && launch.runsScriptOn(index);
    }

    /// What a part's end means for its run; empty if the other parts shall go on.
    private static Optional<Outcome> outcome(
            JobStatus job, Run run, int index, RunReport.Ended report) {
        ExitStatus exit = report.exit();
        return Optional.ofNullable(
                switch (report.cause()) {
                    case EXITED -> exited(job, run, index, report);
                    case OUT_OF_MEMORY ->
                            new Outcome(
                                    JobState.OUT_OF_MEMORY,
                                    Reason.OUT_OF_MEMORY,
                                    exit,
                                    report.message());
                    case TIME_LIMIT ->
                            new Outcome(
                                    JobState.TIMEOUT, Reason.TIME_LIMIT, exit, report.message());
                    case LAUNCH_FAILED ->
                            report.drain() != null && job.description().requeue()
                                    ? new Outcome(
                                            JobState.PENDING,
                                            Reason.NONE,
                                            ExitStatus.SUCCESS,
                                            report.message(),
                                            JobState.NODE_FAIL,
                                            null)
                                    : new Outcome(
                                            JobState.FAILED,
                                            Reason.JOB_LAUNCH_FAILURE,
                                            new ExitStatus(1, 0),
                                            report.message());
                    case GPU_FAILED ->
                            Endings.nodesFailed(
                                    job,
                                    Objects.requireNonNullElse(
                                            report.message(), "a GPU of " + report.node()));
                    case STOPPED, STATUS_LOST, AGENT_SHUTDOWN ->
                            Endings.nodesFailed(job, lost(report));
                });
    }

    private static String lost(RunReport.Ended report) {
        String lost = "node " + report.node() + " lost the run";
        return report.message() == null ? lost : lost + ": " + report.message();
    }

    private static @Nullable Outcome exited(
            JobStatus job, Run run, int index, RunReport.Ended report) {
        ExitStatus exit = report.exit();
        LaunchMode launch = job.description().launch();
        if (!launch.runsScriptOn(index)) {
            return Endings.nodesFailed(job, "a node of the run ended before its script");
        }
        if (exit.signal() != 0) {
            return new Outcome(JobState.FAILED, Reason.RAISED_SIGNAL, exit, report.message());
        }
        if (exit.code() != 0) {
            return new Outcome(JobState.FAILED, Reason.NON_ZERO_EXIT_CODE, exit, report.message());
        }
        boolean last =
                launch == LaunchMode.BATCH
                        || run.parts().stream().allMatch(part -> part.phase() == Phase.ENDED);
        return last ? new Outcome(JobState.COMPLETED, Reason.NONE, exit, null) : null;
    }

    /// Moves a part on; never back.
    static Run advance(Draft draft, JobId id, int index, Phase phase) {
        JobStatus job = draft.job(id);
        Run run = job.run();
        if (run == null) {
            throw new IllegalStateException(
                    "advance job " + id + " to " + phase + ": it has no run");
        }
        Run advanced =
                Transitions.withPart(
                        run,
                        index,
                        part -> part.phase().compareTo(phase) >= 0 ? part : part.in(phase));
        draft.change(Transitions.running(job, advanced));
        return advanced;
    }
}
