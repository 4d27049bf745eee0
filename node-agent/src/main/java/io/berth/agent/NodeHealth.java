package io.berth.agent;

import io.berth.agent.host.StartRefused;
import io.berth.agent.launch.HostCheck;
import java.io.Closeable;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Runs the operator's health program now and then: while it fails the nodes of the machine tell
/// what is wrong with their registrations, and placement drains them. It never ends a run.
final class NodeHealth implements Closeable {

    private static final Logger LOG = LoggerFactory.getLogger(NodeHealth.class);

    /// How long the first look may hold up an agent whose runs go on.
    private static final Duration LONGEST_FIRST = Duration.ofSeconds(10);

    private final HostCheck program;
    private final List<NodeAgent> agents;
    private final ScheduledExecutorService timer =
            Executors.newSingleThreadScheduledExecutor(
                    Thread.ofPlatform().name("health").daemon().factory());

    private NodeHealth(HostCheck program, List<NodeAgent> agents) {
        this.program = program;
        this.agents = List.copyOf(agents);
    }

    /// Refuses a program that may take half of the time in which the lease must be renewed.
    ///
    /// @throws StartRefused if it may
    static void check(AgentConfig config) {
        Duration fenceAfter = config.fenceAfter().orElse(null);
        if (config.healthProgram().isPresent()
                && fenceAfter != null
                && config.healthLimit().multipliedBy(2).compareTo(fenceAfter) >= 0) {
            throw new StartRefused(
                    "berth.agent.health-limit is %d ms: with berth.agent.fence-after of %d ms it must be less than half of that"
                            .formatted(config.healthLimit().toMillis(), fenceAfter.toMillis()));
        }
    }

    /// Looks once, before the nodes register, and from then on at every interval. The second look
    /// is at a random moment, so that a fleet that starts as one does not look as one; but at once
    /// where the first failed and had less than the program's time.
    static NodeHealth watch(HostCheck program, AgentConfig config, List<NodeAgent> agents)
            throws InterruptedException {
        var health = new NodeHealth(program, agents);
        HostCheck first =
                program.within(firstLimit(program.limit(), config.fenceAfter().orElse(null)));
        if (!health.look(first) && !first.equals(program)) {
            health.timer.execute(health::lookAgain);
        }
        boolean onlyIdle = config.healthWhen() == AgentConfig.HealthWhen.IDLE;
        long period = Math.max(1, config.healthInterval().toMillis());
        var unused =
                health.timer.scheduleWithFixedDelay(
                        () -> {
                            if (!onlyIdle || health.idle()) {
                                health.lookAgain();
                            }
                        },
                        ThreadLocalRandom.current().nextLong(period),
                        period,
                        TimeUnit.MILLISECONDS);
        return health;
    }

    /// How long the first look may take: heartbeats and orders wait for it.
    static Duration firstLimit(Duration limit, @Nullable Duration fenceAfter) {
        Duration longest =
                fenceAfter == null
                        ? LONGEST_FIRST
                        : Collections.min(List.of(LONGEST_FIRST, fenceAfter.dividedBy(4)));
        return Collections.min(List.of(limit, longest));
    }

    private boolean idle() {
        return agents.stream().allMatch(agent -> agent.runCount() == 0);
    }

    /// The schedule goes on whatever becomes of one look.
    private void lookAgain() {
        try {
            look(program);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException | Error e) {
            LOG.atError().setCause(e).log("Health program not run");
        }
    }

    /// Whether all is well.
    private boolean look(HostCheck check) throws InterruptedException {
        String names = String.join(",", agents.stream().map(it -> it.name().value()).toList());
        String why = check.failure(List.of(), Map.of("SLURMD_NODENAME", names)).orElse(null);
        agents.forEach(agent -> agent.unhealthy(why));
        return why == null;
    }

    @Override
    public void close() {
        timer.shutdownNow();
    }
}
