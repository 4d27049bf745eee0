package io.berth.agent;

import io.berth.agent.group.Group;
import io.berth.contracts.RunId;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The last of a group: killed until nothing is in it, then removed. It does not give up: a process
/// that hangs in the kernel still holds what the run holds.
final class Emptying {

    private static final Logger LOG = LoggerFactory.getLogger(Emptying.class);
    private static final long MAX_PAUSE_MILLIS = 500;
    private static final int TRIES_BEFORE_WARNING = 20;

    private Emptying() {}

    @FunctionalInterface
    private interface Step {
        /// Whether it is done.
        boolean tried() throws IOException;
    }

    static void untilEmpty(Group group, RunId run) throws InterruptedException {
        repeat(
                run,
                () -> {
                    if (group.isEmpty()) {
                        return true;
                    }
                    group.kill();
                    return false;
                });
    }

    /// What enters it yet, as a step that was just being started, is killed.
    static void untilRemoved(Group group, RunId run) throws InterruptedException {
        repeat(
                run,
                () -> {
                    if (!group.isEmpty()) {
                        group.kill();
                    }
                    group.remove();
                    return true;
                });
    }

    private static void repeat(RunId run, Step step) throws InterruptedException {
        long pause = 1;
        for (int tries = 1; ; tries++) {
            String why = "processes remain";
            try {
                if (step.tried()) {
                    return;
                }
            } catch (IOException e) {
                why = String.valueOf(e.getMessage());
            }
            if (tries == TRIES_BEFORE_WARNING) {
                LOG.atWarn()
                        .addKeyValue("run", run)
                        .addKeyValue("why", why)
                        .log("Group does not empty");
            }
            TimeUnit.MILLISECONDS.sleep(pause);
            pause = Math.min(MAX_PAUSE_MILLIS, pause * 2);
        }
    }
}
