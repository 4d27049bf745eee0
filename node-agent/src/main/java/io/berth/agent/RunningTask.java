package io.berth.agent;

import io.berth.agent.RunOrders.Stopping;
import io.berth.agent.RunPart.TimeLimit;
import io.berth.agent.group.Group;
import io.berth.agent.group.Signals;
import io.berth.agent.host.LiveProcess;
import io.berth.agent.launch.JobFiles;
import io.berth.agent.launch.RunFiles;
import io.berth.contracts.ExitStatus;
import io.berth.contracts.SignalTarget;
import io.berth.contracts.WarningSignal;
import io.berth.contracts.event.Order.Launch;
import io.berth.contracts.event.RunReport.Cause;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// A part's task while it runs: watched until it ends, or ended.
///
/// @param begunAt when its code began, in milliseconds since boot
record RunningTask(
        Launch launch,
        RunFiles files,
        Group group,
        RunSteps steps,
        RunOrders orders,
        Standing standing,
        Checkpoints checkpoints,
        Duration killGrace,
        long begunAt) {

    private static final Logger LOG = LoggerFactory.getLogger(RunningTask.class);

    private static final String WARNED = "warned";
    private static final String NOTICED = "noticed";

    /// When the script had last saved its work before it was told, in epoch milliseconds.
    private static final String SAVED = "saved";

    private static final long TICK_MILLIS = 1000;
    private static final long ENDING_TICK_MILLIS = 25;

    /// How long a shim may take to write the exit status of a task that is gone.
    private static final long EXIT_MILLIS = 10_000;

    private static final String NO_STATUS = "the shim died and left no exit status";
    private static final String UNWRITTEN = "the shim has written no exit status";

    /// Waits for the end. Nothing is in the group any more when this returns.
    RunEnd untilEnd() throws IOException, InterruptedException {
        Optional<Stopping> begunStopping = files.kept(Stopping.NAME, Stopping.class);
        if (begunStopping.isPresent()) {
            orders.stop(begunStopping.get());
            return stopped(begunStopping.get());
        }
        while (true) {
            if (files.exit().isPresent()) {
                return exited();
            }
            Optional<Stopping> stopping = orders.stopping();
            if (stopping.isPresent()) {
                return stopped(stopping.get());
            }
            boolean still = standing.follow();
            checkpoints.look();
            long deadline = still ? Long.MAX_VALUE : deadline();
            long end = overTime(deadline);
            if (LiveProcess.uptimeMillis() >= end) {
                orders.stop(Cause.TIME_LIMIT, killGrace);
                continue;
            }
            warn(deadline);
            if (!shimLives() && files.exit().isEmpty()) {
                return lost(NO_STATUS);
            }
            orders.await(steps.look() ? untilDue(Math.min(end, standing.due())) : 0);
        }
    }

    /// Whether the shim that will write the exit status is there. One that somebody has stopped is
    /// told to go on.
    static boolean shimLives(RunFiles files) throws IOException {
        Optional<LiveProcess> shim = files.shim().filter(LiveProcess::alive);
        shim.map(LiveProcess::pid)
                .filter(LiveProcess::stopped)
                .ifPresent(pid -> Signals.send(pid, Signals.CONTINUE));
        return shim.isPresent();
    }

    private boolean shimLives() throws IOException {
        return shimLives(files);
    }

    /// When it is ended, in milliseconds since boot; `Long.MAX_VALUE` for never.
    private long deadline() throws IOException {
        long seconds =
                files.kept(TimeLimit.NAME, TimeLimit.class)
                        .map(TimeLimit::seconds)
                        .orElse(launch.timeLimitSeconds());
        return seconds == 0 ? Long.MAX_VALUE : begunAt + seconds * 1000 + standing.millis();
    }

    /// When a run that may go on beyond its limit is ended.
    private long overTime(long deadline) {
        Long seconds = launch.overTimeSeconds();
        return seconds == null || deadline == Long.MAX_VALUE ? deadline : deadline + seconds * 1000;
    }

    /// Sends the signal that the job asked for before its end, once its time has come.
    private void warn(long deadline) throws IOException {
        WarningSignal warning = warning();
        if (warning != null
                && deadline != Long.MAX_VALUE
                && LiveProcess.uptimeMillis() >= deadline - warning.secondsBefore() * 1000
                && !files.has(WARNED)
                && files.mark(WARNED)) {
            long left = Math.max(0, deadline - LiveProcess.uptimeMillis());
            tell("TIME_LIMIT", (System.currentTimeMillis() + left) / 1000);
            send(warning);
        }
    }

    private void send(WarningSignal warning) throws IOException {
        Signals.send(
                group,
                warning.number(),
                warning.batchOnly() ? SignalTarget.BATCH : SignalTarget.STEPS);
    }

    /// Tells the script of its end, if its job has left room for that.
    private void tell(String reason, long deadline) {
        try {
            files.job()
                    .tell(JobFiles.NOTICE, "reason=%s\ndeadline=%d\n".formatted(reason, deadline));
        } catch (IOException e) {
            LOG.atWarn().setCause(e).addKeyValue("run", launch.run()).log("Notice not written");
        }
    }

    private @Nullable WarningSignal warning() {
        return launch.job() == null ? null : launch.job().conditions().signal();
    }

    private static long untilDue(long deadline) {
        return Math.clamp(deadline - LiveProcess.uptimeMillis(), 1, TICK_MILLIS);
    }

    /// The script has ended; what it left behind ends with it.
    private RunEnd exited() throws IOException, InterruptedException {
        if (!launch.runsScript()) {
            return lost("what held the run's group open is gone");
        }
        if (files.has(RunFiles.FENCED)) {
            return lost("the node was cut off");
        }
        empty();
        ExitStatus exit = files.exit().orElseThrow();
        Cause cause = outOfMemory() ? Cause.OUT_OF_MEMORY : Cause.EXITED;
        return new RunEnd(cause, exit, group.usage(), null);
    }

    private RunEnd lost(String why) throws IOException, InterruptedException {
        empty();
        Cause cause = outOfMemory() ? Cause.OUT_OF_MEMORY : Cause.STATUS_LOST;
        return new RunEnd(cause, ExitStatus.SUCCESS, group.usage(), why);
    }

    private void empty() throws IOException, InterruptedException {
        Emptying.untilEmpty(group, launch.run());
        steps.over();
    }

    private boolean outOfMemory() throws IOException {
        return group.outOfMemory() || steps.outOfMemory();
    }

    private RunEnd stopped(Stopping first) throws IOException, InterruptedException {
        files.tryNote(Stopping.NAME, first);
        Stopping stopping = noticed(first);
        boolean over = files.exit().isPresent();
        if (!over && LiveProcess.uptimeMillis() < stopping.killAt()) {
            group.terminate();
            // What is suspended takes the signal when it goes on.
            group.resume();
        }
        while (!over && !group.isEmpty() && LiveProcess.uptimeMillis() < stopping.killAt()) {
            orders.await(ENDING_TICK_MILLIS);
            steps.look();
            stopping = latest(stopping);
        }
        empty();
        long limit = LiveProcess.uptimeMillis() + EXIT_MILLIS;
        while (files.exit().isEmpty() && shimLives() && LiveProcess.uptimeMillis() < limit) {
            orders.await(ENDING_TICK_MILLIS);
        }
        Optional<ExitStatus> exit =
                launch.runsScript() ? files.exit() : Optional.of(ExitStatus.SUCCESS);
        String untold = exit.isPresent() ? null : shimLives() ? UNWRITTEN : NO_STATUS;
        return new RunEnd(first.cause(), exit.orElse(ExitStatus.SUCCESS), group.usage(), untold);
    }

    /// Gives notice, once, and waits until TERM is due or the task has ended. What is asked then. A
    /// script that has saved its work since would only lose what it did then: it gets TERM at once.
    /// Without its shim it has ended when its group is empty.
    private Stopping noticed(Stopping first) throws IOException, InterruptedException {
        Stopping stopping = first;
        if (stopping.notice() != null && !files.has(NOTICED)) {
            files.tryNote(SAVED, files.job().checkpoint());
            tell(stopping.notice().reason(), stopping.notice().deadline());
            files.mark(NOTICED);
            Signals.resume(group);
            WarningSignal wanted = warning();
            if (wanted == null) {
                Signals.send(group, Signals.TERM, SignalTarget.STEPS);
            } else {
                send(wanted);
            }
        }
        while (stopping.notice() != null && files.exit().isEmpty() && !group.isEmpty()) {
            long left = stopping.notice().termAt() - LiveProcess.uptimeMillis();
            if (left <= 0) {
                break;
            }
            orders.await(steps.look() ? Math.min(left, TICK_MILLIS) : 0);
            if (savedSinceNotice()) {
                checkpoints.lookAgain();
                orders.stop(first.cause(), killGrace);
            }
            stopping = latest(stopping);
        }
        return stopping;
    }

    private boolean savedSinceNotice() throws IOException {
        Optional<Long> before = files.kept(SAVED, Long.class);
        return before.isPresent() && files.job().checkpoint() > before.get();
    }

    private Stopping latest(Stopping known) {
        Stopping now = orders.stopping().orElse(known);
        if (!now.equals(known)) {
            files.tryNote(Stopping.NAME, now);
        }
        return now;
    }
}
