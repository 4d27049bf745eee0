package io.berth.agent;

import io.berth.agent.kafka.AgentLog;
import io.berth.contracts.event.Heartbeat;
import java.io.Closeable;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.errors.RetriableException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Says at every interval that the nodes are alive. Of a node only one heartbeat is on its way at a
/// time: while the brokers are away none pile up.
final class Heartbeats implements Closeable {

    private static final Logger LOG = LoggerFactory.getLogger(Heartbeats.class);

    private final AgentLog log;
    private final ScheduledExecutorService timer =
            Executors.newSingleThreadScheduledExecutor(
                    Thread.ofPlatform().name("heartbeats").daemon().factory());
    private final Map<String, CompletableFuture<?>> underway = new TreeMap<>();
    private long number;

    Heartbeats(AgentLog log) {
        this.log = log;
    }

    /// The first comes at a random moment, so that a fleet that starts as one does not beat as one.
    void start(List<NodeOrders> nodes, Duration interval) {
        long period = interval.toMillis();
        long first = ThreadLocalRandom.current().nextLong(Math.max(1, period));
        var unused =
                timer.scheduleAtFixedRate(
                        () -> nodes.forEach(this::beat), first, period, TimeUnit.MILLISECONDS);
    }

    @Override
    public void close() {
        timer.shutdownNow();
    }

    /// Says if the log will never take what it was given; that it is away is said by others.
    private static void told(NodeOrders node, @Nullable Throwable error) {
        if (error instanceof ApiException && !(error instanceof RetriableException)) {
            LOG.atError().setCause(error).addKeyValue("node", node.name()).log("Heartbeat refused");
        }
    }

    /// The node is alive, if it is in an epoch, and what was said of it before stands in the log.
    void beat(NodeOrders node) {
        CompletableFuture<?> last = underway.get(node.name().value());
        if (last != null && !last.isDone()) {
            return;
        }
        try {
            Optional<Heartbeat> heartbeat = node.heartbeat();
            if (heartbeat.isPresent()) {
                long written = node.now();
                underway.put(
                        node.name().value(),
                        log.write(heartbeat.get(), number++)
                                .whenComplete((_, error) -> told(node, error))
                                .thenRun(() -> node.heard(written)));
            }
        } catch (IOException | RuntimeException e) {
            LOG.atWarn().setCause(e).addKeyValue("node", node.name()).log("Heartbeat not written");
        }
    }
}
