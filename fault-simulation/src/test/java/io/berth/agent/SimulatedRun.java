package io.berth.agent;

import io.berth.agent.SimulatedMachine.Folder;
import io.berth.agent.SimulatedMachine.Step;
import io.berth.contracts.Consumption;
import io.berth.contracts.ExitStatus;
import io.berth.contracts.HeldRun;
import io.berth.contracts.RunId;
import io.berth.contracts.SignalTarget;
import io.berth.contracts.event.RunReport.Cause;
import java.time.Duration;
import java.util.Objects;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/// A run's part as a model: what [RunPart] does with processes and files, step by step.
final class SimulatedRun implements OrderedRun {

    private final SimulatedMachine machine;
    private final Folder folder;
    private final RunReports reports;
    private final Runnable gone;
    private final BooleanSupplier cannotSuspend;
    private boolean released;
    private boolean saidReady;
    private boolean saidStarted;
    private boolean saidEnded;
    private boolean leaves;
    private @Nullable Cause stopping;

    /// The last wish that it stand still; null if it shall go on.
    private @Nullable Integer suspending;

    private @Nullable Integer answered;

    /// @param gone called when its end stands in the log
    /// @param cannotSuspend asked at each wish
    SimulatedRun(
            SimulatedMachine machine,
            Folder folder,
            Outbox outbox,
            Runnable gone,
            BooleanSupplier cannotSuspend) {
        this.machine = machine;
        this.folder = folder;
        this.reports = new RunReports(folder.launch.run(), machine.node(), outbox);
        this.gone = gone;
        this.cannotSuspend = cannotSuspend;
        this.suspending = folder.frozen;
        this.answered = folder.frozen;
    }

    @Override
    public RunId run() {
        return folder.launch.run();
    }

    @Override
    public void start() {}

    @Override
    public HeldRun held() {
        if (folder.step != Step.BEGUN && !saidEnded) {
            return new HeldRun(run(), HeldRun.Phase.PREPARED);
        }
        return new HeldRun(
                run(), folder.frozen == null ? HeldRun.Phase.RUNNING : HeldRun.Phase.SUSPENDED);
    }

    @Override
    public void go() {
        released = true;
    }

    @Override
    public void stop(Cause cause, Duration grace) {
        if (cause == Cause.AGENT_SHUTDOWN) {
            leaves = true;
        }
        stopping = stopping == null ? cause : stopping;
    }

    @Override
    public void stopWithNotice(Duration grace, String reason) {
        stop(Cause.STOPPED, grace);
    }

    @Override
    public void signal(int signal, SignalTarget target, @Nullable Integer step) {}

    @Override
    public void suspend(int nth, Duration grace) {
        suspending = nth;
        answered = null;
    }

    @Override
    public void resume() {
        suspending = null;
    }

    @Override
    public void limit(long seconds) {}

    @Override
    public void confirm() {
        if (!folder.launch.awaitGo()) {
            released = true;
        }
        if (folder.step == Step.BEGUN && saidStarted && !saidEnded) {
            reports.started(Set.of(), null);
        } else if (folder.step == Step.PREPARED && saidReady) {
            reports.ready();
        }
    }

    /// Goes on by one step; whether there was one to take.
    boolean goOn() {
        if (saidEnded) {
            return false;
        }
        if (folder.end != null) {
            saidEnded = true;
            reports.ended(folder.end, leaves, this::remove);
            return true;
        }
        RunEnd end = end();
        if (end != null) {
            folder.end = end;
            return true;
        }
        return switch (folder.step) {
            case ORDERED -> {
                machine.prepared(folder);
                released = released || !folder.launch.awaitGo();
                yield true;
            }
            case PREPARED -> prepared();
            case BEGUN -> begun();
        };
    }

    private void remove() {
        machine.told(run());
        gone.run();
    }

    private @Nullable RunEnd end() {
        if (folder.tasks != null) {
            return folder.tasks;
        }
        if (stopping == null || folder.step == Step.ORDERED) {
            return null;
        }
        return folder.step == Step.PREPARED
                ? RunEnd.unstarted(stopping, null)
                : new RunEnd(stopping, new ExitStatus(0, 15), Consumption.NONE, null);
    }

    private boolean prepared() {
        if (folder.launch.awaitGo() && !saidReady) {
            saidReady = true;
            reports.ready();
            return true;
        }
        if (suspending != null) {
            return answer();
        }
        if (released) {
            machine.begin(folder);
            return true;
        }
        return false;
    }

    private boolean begun() {
        if (!saidStarted) {
            saidStarted = true;
            reports.started(Set.of(), null);
            return true;
        }
        if (suspending == null) {
            boolean stood = folder.frozen != null;
            folder.frozen = null;
            return stood;
        }
        if (folder.frozen == null && cannotSuspend.getAsBoolean()) {
            reports.notSuspended(suspending, "no freezer");
            suspending = null;
            return true;
        }
        folder.frozen = suspending;
        return answer();
    }

    /// What stands still says so, once for each wish.
    private boolean answer() {
        if (Objects.equals(answered, suspending)) {
            return false;
        }
        answered = suspending;
        reports.suspended(Objects.requireNonNull(suspending));
        return true;
    }
}
