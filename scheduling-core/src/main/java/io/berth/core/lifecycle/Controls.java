package io.berth.core.lifecycle;

import io.berth.contracts.Amendment;
import io.berth.contracts.ExitStatus;
import io.berth.contracts.Hold;
import io.berth.contracts.JobDescription;
import io.berth.contracts.JobId;
import io.berth.contracts.JobState;
import io.berth.contracts.LaunchMode;
import io.berth.contracts.Reason;
import io.berth.contracts.RunId;
import io.berth.contracts.SignalTarget;
import io.berth.contracts.event.JobEvent;
import io.berth.contracts.event.JobStatus;
import io.berth.contracts.event.JobStatus.Outcome;
import io.berth.contracts.event.JobStatus.Part;
import io.berth.contracts.event.JobStatus.Run;
import io.berth.contracts.event.Order;
import io.berth.contracts.event.Submission.Amended;
import io.berth.contracts.event.Submission.Held;
import io.berth.contracts.event.Submission.Released;
import io.berth.contracts.event.Submission.RequeueRequested;
import io.berth.contracts.event.Submission.SignalRequested;
import io.berth.core.request.Eligibility;
import io.berth.core.state.CellState;
import io.berth.core.state.Draft;
import io.berth.core.state.Fact;
import io.berth.core.state.Input.PlacingFailed;
import io.berth.core.state.Transitions;
import java.util.List;

/// What people change on jobs that are there: hold, release, amend, requeue, signal. What comes too
/// late for the job's state changes nothing.
final class Controls {

    /// Who holds a job that no person does.
    private static final String SYSTEM = "placement-service";

    private Controls() {}

    /// A hold counts for a job that waits, or will wait again. A stronger hold stays.
    static List<Fact> held(CellState state, Held request, long now) {
        var draft = new Draft(state);
        for (JobStatus job : together(state, request.job())) {
            if (waits(job) && job.hold() != Hold.ADMIN && job.hold() != request.hold()) {
                draft.change(Transitions.held(job, request.hold()));
                draft.announce(
                        new JobEvent.Held(job.job(), now, request.hold(), request.user(), null));
            }
        }
        return draft.facts();
    }

    /// A job that nobody can be placed for is kept from placing until an operator releases it.
    static List<Fact> failed(CellState state, PlacingFailed failed, long now) {
        var draft = new Draft(state);
        for (JobStatus job : together(state, failed.job())) {
            if (job.state() == JobState.PENDING && job.hold() != Hold.ADMIN) {
                draft.change(Transitions.held(job, Hold.ADMIN));
                draft.announce(new JobEvent.Held(job.job(), now, Hold.ADMIN, SYSTEM, failed.why()));
            }
        }
        return draft.facts();
    }

    /// A job whose run fails before it begins waits for its user, and not for the next node that
    /// may fail it. One that is not to wait again is left alone.
    static void hold(Draft draft, JobId id, String why, long now) {
        if (!HetJobs.mayWaitAgain(draft, draft.job(id))) {
            return;
        }
        for (JobId one : Eligibility.together(draft.job(id))) {
            JobStatus job = draft.job(one);
            if (job.hold() == null) {
                draft.change(Transitions.held(job, Hold.USER));
                draft.announce(new JobEvent.Held(one, now, Hold.USER, SYSTEM, why));
            }
        }
    }

    /// What is known of a job and of those that start with it.
    private static List<JobStatus> together(CellState state, JobId id) {
        return state.job(id).map(Eligibility::together).orElse(List.of()).stream()
                .flatMap(it -> state.job(it).stream())
                .toList();
    }

    static List<Fact> released(CellState state, Released request, long now) {
        var draft = new Draft(state);
        for (JobStatus job : together(state, request.job())) {
            if (!job.state().terminal()
                    && job.hold() != null
                    && job.hold().compareTo(request.hold()) <= 0) {
                draft.change(Transitions.held(job, null));
                draft.announce(new JobEvent.Released(job.job(), now, request.user()));
            }
        }
        return draft.facts();
    }

    /// A job that waits may become another one; of a run only the time limit and what does not
    /// touch its resources.
    static List<Fact> amended(CellState state, Amended request, long now) {
        JobStatus job = state.job(request.job()).orElse(null);
        if (job == null || job.state().terminal() || job.state() == JobState.COMPLETING) {
            return List.of();
        }
        Amendment change =
                job.state() == JobState.PENDING ? request.change() : ofRunning(request.change());
        JobDescription description = change.applied(job.description());
        if (description.equals(job.description())) {
            return List.of();
        }
        var draft = new Draft(state);
        draft.change(Transitions.amended(job, description));
        draft.announce(new JobEvent.Amended(job.job(), now, description, request.user()));
        if (description.timeLimitSeconds() != job.description().timeLimitSeconds()) {
            limit(draft, job, description.timeLimitSeconds());
        }
        return draft.facts();
    }

    private static Amendment ofRunning(Amendment change) {
        return new Amendment(
                null,
                null,
                null,
                change.name(),
                null,
                change.timeLimitSeconds(),
                change.nice(),
                change.requeue(),
                change.terms(),
                change.throttle());
    }

    private static void limit(Draft draft, JobStatus job, long seconds) {
        Run run = job.run();
        if (run == null) {
            return;
        }
        for (Part part : run.parts()) {
            if (part.phase() != Part.Phase.ENDED) {
                draft.order(
                        part.allocation().node(),
                        (epoch, number) ->
                                new Order.Limit(
                                        part.allocation().node(),
                                        epoch,
                                        number,
                                        new RunId(job.job(), run.lease()),
                                        seconds));
            }
        }
    }

    /// The run ends, and the job waits again: at once, or once it is released. A heterogeneous job
    /// of which a component is over cannot. As in Slurm, a job that an operator has suspended is
    /// held.
    static List<Fact> requeued(CellState state, RequeueRequested request, long now) {
        JobStatus job = state.job(request.job()).orElse(null);
        if (job == null || job.run() == null || job.run().outcome() != null) {
            return List.of();
        }
        var draft = new Draft(state);
        if (!HetJobs.mayWaitAgain(draft, job)) {
            return List.of();
        }
        if (request.hold() || Standstill.byOperator(job.run())) {
            together(state, job.job())
                    .forEach(it -> draft.change(Transitions.held(it, Hold.ADMIN)));
        }
        Endings.decide(
                draft,
                job.job(),
                new Outcome(JobState.PENDING, Reason.NONE, ExitStatus.SUCCESS, null),
                now);
        return draft.facts();
    }

    /// Every node on which the run's code runs is told.
    static List<Fact> signalled(CellState state, SignalRequested request) {
        var draft = new Draft(state);
        for (JobId id : HetJobs.meant(state, request.job())) {
            state.job(id).ifPresent(job -> signal(draft, job, request));
        }
        return draft.facts();
    }

    private static void signal(Draft draft, JobStatus job, SignalRequested request) {
        Run run = job.run();
        if (run == null || run.outcome() != null) {
            return;
        }
        LaunchMode launch = job.description().launch();
        for (Part part : run.parts()) {
            boolean script = launch.runsScriptOn(part.allocation().index());
            if (part.phase() == Part.Phase.STARTED
                    && (script || request.target() != SignalTarget.BATCH)) {
                draft.order(
                        part.allocation().node(),
                        (epoch, number) ->
                                new Order.Signal(
                                        part.allocation().node(),
                                        epoch,
                                        number,
                                        new RunId(job.job(), run.lease()),
                                        request.signal(),
                                        request.target(),
                                        request.step()));
            }
        }
    }

    private static boolean waits(JobStatus job) {
        return job.state() == JobState.PENDING
                || (job.run() != null
                        && job.run().outcome() != null
                        && job.run().outcome().state() == JobState.PENDING);
    }
}
