package io.berth.agent;

import io.berth.agent.RunOrders.Stopping;
import io.berth.agent.group.Group;
import io.berth.agent.host.LiveProcess;
import io.berth.agent.launch.RunFiles;
import io.berth.contracts.ExitStatus;
import io.berth.contracts.event.Order.Launch;
import io.berth.contracts.event.RunReport.Cause;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;

/// A part's task while it runs: watched until it ends, or ended.
///
/// @param begunAt when its code began, in milliseconds since boot
record RunningTask(
        Launch launch,
        RunFiles files,
        Group group,
        RunOrders orders,
        Duration killGrace,
        long begunAt) {

    private static final long TICK_MILLIS = 1000;
    private static final long ENDING_TICK_MILLIS = 25;

    /// How long a shim may take to write the exit status of a task that is gone.
    private static final long EXIT_MILLIS = 10_000;

    /// The signal that ends what TERM does not.
    private static final ExitStatus KILLED = new ExitStatus(0, 9);

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
            if (overdue()) {
                orders.stop(Cause.TIME_LIMIT, killGrace);
                continue;
            }
            if (!shimLives() && files.exit().isEmpty()) {
                return lost("the shim died and left no exit status");
            }
            orders.await(untilOverdue());
        }
    }

    /// Whether the shim that will write the exit status is there.
    static boolean shimLives(RunFiles files) throws IOException {
        return files.shim().filter(LiveProcess::alive).isPresent();
    }

    private boolean shimLives() throws IOException {
        return shimLives(files);
    }

    private boolean overdue() {
        return launch.timeLimitSeconds() > 0 && LiveProcess.uptimeMillis() >= deadline();
    }

    private long deadline() {
        return begunAt + launch.timeLimitSeconds() * 1000;
    }

    private long untilOverdue() {
        return launch.timeLimitSeconds() > 0
                ? Math.clamp(deadline() - LiveProcess.uptimeMillis(), 1, TICK_MILLIS)
                : TICK_MILLIS;
    }

    /// The script has ended; what it left behind ends with it.
    private RunEnd exited() throws IOException, InterruptedException {
        if (!launch.runsScript()) {
            return lost("what held the run's group open is gone");
        }
        Emptying.untilEmpty(group, launch.run());
        ExitStatus exit = files.exit().orElseThrow();
        Cause cause = group.outOfMemory() ? Cause.OUT_OF_MEMORY : Cause.EXITED;
        return new RunEnd(cause, exit, group.usage(), null);
    }

    private RunEnd lost(String why) throws IOException, InterruptedException {
        Emptying.untilEmpty(group, launch.run());
        Cause cause = group.outOfMemory() ? Cause.OUT_OF_MEMORY : Cause.STATUS_LOST;
        return new RunEnd(cause, ExitStatus.SUCCESS, group.usage(), why);
    }

    private RunEnd stopped(Stopping first) throws IOException, InterruptedException {
        files.note(Stopping.NAME, first);
        group.terminate();
        // What is suspended takes the signal when it goes on.
        group.resume();
        Stopping stopping = first;
        while (!group.members().isEmpty() && LiveProcess.uptimeMillis() < stopping.killAt()) {
            orders.await(ENDING_TICK_MILLIS);
            stopping = orders.stopping().orElse(stopping);
        }
        Emptying.untilEmpty(group, launch.run());
        long limit = LiveProcess.uptimeMillis() + EXIT_MILLIS;
        while (files.exit().isEmpty() && shimLives() && LiveProcess.uptimeMillis() < limit) {
            orders.await(ENDING_TICK_MILLIS);
        }
        ExitStatus exit = launch.runsScript() ? files.exit().orElse(KILLED) : ExitStatus.SUCCESS;
        return new RunEnd(first.cause(), exit, group.usage(), null);
    }
}
