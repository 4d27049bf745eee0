package io.berth.agent;

import io.berth.agent.launch.HostCheck;
import java.io.Closeable;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Runs the operator's health program now and then: while it fails the nodes of the machine tell
/// what is wrong with their registrations, and placement drains them. It never ends a run.
final class NodeHealth implements Closeable {

    private static final Logger LOG = LoggerFactory.getLogger(NodeHealth.class);

    private final HostCheck program;
    private final boolean onlyIdle;
    private final List<NodeAgent> agents;
    private final ScheduledExecutorService timer =
            Executors.newSingleThreadScheduledExecutor(
                    Thread.ofPlatform().name("health").daemon().factory());

    private NodeHealth(HostCheck program, boolean onlyIdle, List<NodeAgent> agents) {
        this.program = program;
        this.onlyIdle = onlyIdle;
        this.agents = List.copyOf(agents);
    }

    /// Looks once, before the nodes register, and from then on at every interval. The second look
    /// is at a random moment, so that a fleet that starts as one does not look as one.
    ///
    /// @param onlyIdle whether it does not look again while a run is on the machine
    static NodeHealth watch(
            HostCheck program, Duration interval, boolean onlyIdle, List<NodeAgent> agents)
            throws InterruptedException {
        var health = new NodeHealth(program, onlyIdle, agents);
        health.look();
        long period = Math.max(1, interval.toMillis());
        var unused =
                health.timer.scheduleWithFixedDelay(
                        health::lookAgain,
                        ThreadLocalRandom.current().nextLong(period),
                        period,
                        TimeUnit.MILLISECONDS);
        return health;
    }

    private void lookAgain() {
        try {
            if (!onlyIdle || agents.stream().allMatch(agent -> agent.runCount() == 0)) {
                look();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException e) {
            LOG.atError().setCause(e).log("Health program not run");
        }
    }

    private void look() throws InterruptedException {
        String names = String.join(",", agents.stream().map(it -> it.name().value()).toList());
        String why = program.failure(List.of(), Map.of("SLURMD_NODENAME", names)).orElse(null);
        agents.forEach(agent -> agent.unhealthy(why));
    }

    @Override
    public void close() {
        timer.shutdownNow();
    }
}
