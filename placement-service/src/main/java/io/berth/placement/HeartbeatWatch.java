package io.berth.placement;

import io.berth.contracts.NodeName;
import io.berth.contracts.event.NodeStatus.Presence;
import io.berth.placement.Presences.Watched;
import io.berth.placement.kafka.HeartbeatReader;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Reads the heartbeats beside the loop, which sees only what comes of them: the presence of each
/// node.
final class HeartbeatWatch implements NodeWatch, AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(HeartbeatWatch.class);

    /// A reader that stood still for longer has not listened.
    private static final long STOOD_STILL_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final Supplier<HeartbeatReader> readers;
    private final Presences presences;
    private final LongSupplier nanoTime;
    private final Thread thread;
    private volatile List<Watched> nodes = List.of();
    private volatile Map<NodeName, Presence> latest = Map.of();
    private volatile boolean closed;
    private volatile @Nullable HeartbeatReader reading;

    HeartbeatWatch(Supplier<HeartbeatReader> readers, Duration silentAfter, Duration nodeTimeout) {
        this(readers, silentAfter, nodeTimeout, System::nanoTime);
    }

    HeartbeatWatch(
            Supplier<HeartbeatReader> readers,
            Duration silentAfter,
            Duration nodeTimeout,
            LongSupplier nanoTime) {
        this.readers = readers;
        this.nanoTime = nanoTime;
        this.presences = new Presences(silentAfter, nodeTimeout, nanoTime.getAsLong());
        this.thread = Thread.ofPlatform().name("heartbeats").daemon().start(this::watch);
    }

    @Override
    public void watch(List<Watched> watched) {
        nodes = watched;
    }

    @Override
    public void registered(NodeName node) {
        synchronized (presences) {
            presences.heard(node, nanoTime.getAsLong());
            latest = presences.at(nodes, nanoTime.getAsLong());
        }
    }

    /// As of two seconds ago.
    @Override
    public Map<NodeName, Presence> latest() {
        return latest;
    }

    @Override
    public void close() {
        closed = true;
        HeartbeatReader reader = reading;
        if (reader != null) {
            reader.wakeup();
        }
        try {
            thread.join(TimeUnit.SECONDS.toMillis(5));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void watch() {
        while (!closed) {
            try (HeartbeatReader reader = readers.get()) {
                reading = reader;
                read(reader);
            } catch (RuntimeException e) {
                if (!closed) {
                    LOG.atWarn().setCause(e).log("Heartbeats cannot be read, trying again");
                    pause();
                }
            }
        }
    }

    private void read(HeartbeatReader reader) {
        long before = nanoTime.getAsLong();
        synchronized (presences) {
            presences.paused(before);
        }
        while (!closed) {
            Map<NodeName, Long> heard = reader.poll(HeartbeatReader.POLL, keys());
            boolean atHead = reader.atHead();
            long now = nanoTime.getAsLong();
            synchronized (presences) {
                if (!atHead || now - before > STOOD_STILL_NANOS) {
                    presences.paused(now);
                }
                withoutFormerEpochs(heard);
                heard.keySet().forEach(node -> presences.heard(node, now));
                latest = presences.at(nodes, now);
            }
            before = now;
        }
    }

    private Map<NodeName, String> keys() {
        var keys = new HashMap<NodeName, String>();
        for (Watched node : nodes) {
            if (node.key() != null) {
                keys.put(node.name(), node.key());
            }
        }
        return keys;
    }

    /// A heartbeat of an epoch that is over is of a machine that has lost the name, or is about to
    /// register.
    private void withoutFormerEpochs(Map<NodeName, Long> heard) {
        for (Watched node : nodes) {
            heard.computeIfPresent(node.name(), (_, epoch) -> epoch < node.epoch() ? null : epoch);
        }
    }

    private static void pause() {
        try {
            Thread.sleep(500);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
