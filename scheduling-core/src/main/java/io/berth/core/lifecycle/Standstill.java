package io.berth.core.lifecycle;

import io.berth.contracts.HeldRun;
import io.berth.contracts.JobId;
import io.berth.contracts.NodeName;
import io.berth.contracts.RunId;
import io.berth.contracts.SuspendCause;
import io.berth.contracts.event.JobEvent;
import io.berth.contracts.event.JobStatus;
import io.berth.contracts.event.JobStatus.Part;
import io.berth.contracts.event.JobStatus.Part.Phase;
import io.berth.contracts.event.JobStatus.Run;
import io.berth.contracts.event.Order;
import io.berth.contracts.event.RunReport;
import io.berth.contracts.event.Submission.ResumeRequested;
import io.berth.contracts.event.Submission.SuspendRequested;
import io.berth.contracts.event.Suspensions;
import io.berth.contracts.event.Suspensions.Current;
import io.berth.core.state.CellState;
import io.berth.core.state.Draft;
import io.berth.core.state.Fact;
import io.berth.core.state.Transitions;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// How runs are suspended and go on.
///
/// ```
///            suspend                every part has answered                resume
///   RUNNING ─────────▶ RUNNING ────────────────────────────▶ SUSPENDED ───────────▶ SUSPENDED
///      ▲                  │ resume, or a part cannot             │                  wants its CPUs
///      │◀─────────────────┘                      resume, its CPUs│                      │
///      └─────────────────────────────────────────── are free ────┴──────────────────────┘
/// ```
///
/// While it stands still, a run holds its GPUs and memory and not its CPUs, which others may get.
/// It goes on with the CPUs that it had, when all of them are free; from the request on nobody new
/// gets them. Its time limit does not run, and nothing is charged.
///
/// Source: scontrol(1), "suspend" and "resume"; that nothing is held twice is Berth's own.
final class Standstill {

    /// How long programs that handle TSTP have for it: Slurm's `suspend_grace_time`.
    static final long GRACE_SECONDS = 2;

    private Standstill() {}

    static List<Fact> asked(CellState state, SuspendRequested request) {
        var draft = new Draft(state);
        for (JobId job : HetJobs.meant(state, request.job())) {
            if (mayBe(state.job(job).orElse(null))) {
                suspend(draft, job, SuspendCause.OPERATOR, request.user(), null, GRACE_SECONDS);
            }
        }
        return draft.facts();
    }

    static List<Fact> asked(CellState state, ResumeRequested request, long now) {
        var draft = new Draft(state);
        for (JobId job : HetJobs.meant(state, request.job())) {
            if (mayBe(state.job(job).orElse(null))) {
                resume(draft, job, now);
            }
        }
        return draft.facts();
    }

    private static boolean mayBe(@Nullable JobStatus job) {
        return job != null && job.run() != null && job.run().outcome() == null;
    }

    /// Orders a run that is not ending to stand still. One that does so already, or is about to,
    /// does so from now on for an operator, if he asks.
    ///
    /// @param by the operator
    /// @param preemptor the job that it gives way to
    static void suspend(
            Draft draft,
            JobId id,
            SuspendCause cause,
            @Nullable String by,
            @Nullable JobId preemptor,
            long graceSeconds) {
        JobStatus job = draft.job(id);
        Run run = run(job);
        Suspensions before = run.standstill();
        Current current = before.current();
        if (current != null) {
            if (cause == SuspendCause.OPERATOR) {
                var taken = new Current(cause, by, null, current.open(), current.since(), false);
                draft.change(
                        Transitions.standing(
                                job, new Suspensions(before.count(), before.millis(), taken)));
            }
            return;
        }
        List<Integer> open =
                run.parts().stream()
                        .filter(part -> part.phase() != Phase.ENDED)
                        .map(part -> part.allocation().index())
                        .toList();
        int nth = before.count() + 1;
        draft.change(
                Transitions.standing(
                        job,
                        new Suspensions(
                                nth,
                                before.millis(),
                                new Current(cause, by, preemptor, open, 0, false))));
        eachLiving(run, part -> order(draft, job, part, nth, graceSeconds));
    }

    /// Lets a run go on that is being suspended; a suspended one at once if its CPUs are free, else
    /// when they are.
    static void resume(Draft draft, JobId id, long now) {
        JobStatus job = draft.job(id);
        Suspensions before = run(job).standstill();
        Current current = before.current();
        if (current == null) {
            return;
        }
        if (before.suspended() && !draft.cpusFree(job)) {
            var wanting =
                    new Current(
                            current.cause(),
                            current.by(),
                            current.preemptor(),
                            current.open(),
                            current.since(),
                            true);
            draft.change(
                    Transitions.standing(
                            job, new Suspensions(before.count(), before.millis(), wanting)));
            return;
        }
        over(draft, job, now);
        if (before.suspended()) {
            draft.announce(new JobEvent.Resumed(id, now, run(job).lease()));
        }
        eachLiving(run(job), part -> orderResume(draft, job, part));
    }

    /// The run has its CPUs.
    private static void over(Draft draft, JobStatus job, long now) {
        Suspensions before = run(job).standstill();
        draft.change(
                Transitions.standing(
                        job, new Suspensions(before.count(), before.millis(now), null)));
    }

    /// Lets all runs go on that want to and whose CPUs have come free.
    static void goOn(Draft draft, long now) {
        for (JobId id : draft.state().suspended()) {
            Run run = draft.job(id).run();
            if (run != null && run.outcome() == null && run.standstill().resuming()) {
                resume(draft, id, now);
            }
        }
    }

    /// A part stands still. If it was the last, the run does.
    ///
    /// @param nth which suspension was answered: an answer to an earlier one says nothing
    static void answered(Draft draft, RunId id, int index, int nth, long now) {
        JobStatus job = draft.job(id.job());
        Suspensions before = run(job).standstill();
        Current current = before.current();
        if (run(job).outcome() != null
                || current == null
                || nth != before.count()
                || !current.open().contains(index)) {
            return;
        }
        List<Integer> open = current.open().stream().filter(it -> it != index).toList();
        var answered =
                new Current(
                        current.cause(),
                        current.by(),
                        current.preemptor(),
                        open,
                        open.isEmpty() ? now : 0,
                        false);
        draft.change(
                Transitions.standing(
                        job, new Suspensions(before.count(), before.millis(), answered)));
        if (open.isEmpty()) {
            draft.announce(
                    new JobEvent.Suspended(
                            id.job(),
                            now,
                            id.lease(),
                            current.cause(),
                            current.by(),
                            current.preemptor()));
        }
    }

    /// A part has ended while its run goes on: it stands still for good.
    static void over(Draft draft, RunId id, int index, long now) {
        answered(draft, id, index, run(draft.job(id.job())).standstill().count(), now);
    }

    /// A part cannot stand still: its run goes on everywhere. If its CPUs have been given away, it
    /// cannot go on and ends.
    static void failed(Draft draft, RunReport.NotSuspended report, int index, long now) {
        JobId id = report.run().job();
        JobStatus job = draft.job(id);
        Suspensions before = run(job).standstill();
        if (run(job).outcome() != null
                || before.current() == null
                || report.nth() != before.count()) {
            return;
        }
        String why = "node %s: %s".formatted(report.node(), report.message());
        if (before.suspended()) {
            Endings.decide(draft, id, Endings.nodesFailed(job, why), now);
            return;
        }
        over(draft, job, now);
        draft.announce(new JobEvent.SuspendFailed(id, now, report.run().lease(), why));
        eachLiving(
                run(job),
                part -> {
                    if (part.allocation().index() != index) {
                        orderResume(draft, job, part);
                    }
                });
    }

    /// Brings a part that the node has and the run to agree on whether it stands still.
    static void settle(Draft draft, RunId id, int index, HeldRun.Phase held, long now) {
        JobStatus job = draft.job(id.job());
        Part part = run(job).parts().get(index);
        Suspensions standstill = run(job).standstill();
        if (standstill.current() == null) {
            if (held == HeldRun.Phase.SUSPENDED) {
                orderResume(draft, job, part);
            }
        } else if (held == HeldRun.Phase.SUSPENDED) {
            over(draft, id, index, now);
        } else {
            order(draft, job, part, standstill.count(), 0);
        }
    }

    /// Gives a run that is to end its CPUs back, so that it may clear up. Whether it has them: if
    /// others got them, it can only be killed where it stands.
    static boolean wake(Draft draft, JobId id, long now) {
        JobStatus job = draft.job(id);
        Suspensions standstill = run(job).standstill();
        if (standstill.suspended() && !draft.cpusFree(job)) {
            return false;
        }
        if (standstill.current() != null) {
            over(draft, job, now);
        }
        return true;
    }

    /// Whether it was an operator who had the run suspended.
    static boolean byOperator(Run run) {
        Current current = run.standstill().current();
        return current != null && current.cause() == SuspendCause.OPERATOR;
    }

    private static void order(Draft draft, JobStatus job, Part part, int nth, long graceSeconds) {
        NodeName node = part.allocation().node();
        draft.order(
                node,
                (epoch, number) ->
                        new Order.Suspend(node, epoch, number, id(job), nth, graceSeconds));
    }

    private static void orderResume(Draft draft, JobStatus job, Part part) {
        NodeName node = part.allocation().node();
        draft.order(node, (epoch, number) -> new Order.Resume(node, epoch, number, id(job)));
    }

    private static void eachLiving(Run run, Consumer<Part> act) {
        run.parts().stream().filter(part -> part.phase() != Phase.ENDED).forEach(act);
    }

    private static RunId id(JobStatus job) {
        return new RunId(job.job(), run(job).lease());
    }

    private static Run run(JobStatus job) {
        Run run = job.run();
        if (run == null) {
            throw new IllegalStateException(
                    "suspend or resume job "
                            + job.job()
                            + ": it is "
                            + job.state()
                            + " and has no run");
        }
        return run;
    }
}
