package io.berth.log;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.WakeupException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// A reader's own picture of some partitions, kept up to date by the one thread that [#run]s it and
/// reads them from their beginning on. All partitions are assigned by hand.
///
/// While nobody waits for it, the view gathers what comes for a moment: a record at a time costs
/// the broker and the reader several times as much as many at once.
///
/// The handler is called by that one thread. If the brokers are away it waits for them.
public final class LogView implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(LogView.class);

    /// As long as its fetch waits: who is closed is woken.
    private static final Duration POLL = KafkaConnection.FOLLOWING;

    private static final long GATHERING_NANOS = 20_000_000;

    /// How many records that wait already make gathering useless.
    private static final long ENOUGH = 500;

    private final Consumer<byte[], byte[]> consumer;
    private final List<TopicPartition> partitions;
    private final LogReader.Handler handler;
    private final Clocks clocks;
    private final AtomicInteger waiting = new AtomicInteger();
    private volatile Map<TopicPartition, Long> positions = Map.of();

    /// Empty before they are known.
    private volatile Map<TopicPartition, Long> firstEnds = Map.of();

    /// Done with the next change of the positions, and at the end.
    private volatile CompletableFuture<Void> moved = new CompletableFuture<>();

    /// Done when somebody waits, and at the end.
    private volatile CompletableFuture<Void> wanted = new CompletableFuture<>();

    private volatile long unread;
    private volatile boolean closed;

    /// @param consumer used by the view's thread alone from now on, and closed by it
    public LogView(
            Consumer<byte[], byte[]> consumer,
            Collection<TopicPartition> partitions,
            LogReader.Handler handler,
            Clocks clocks) {
        this.consumer = consumer;
        this.partitions = List.copyOf(partitions);
        this.handler = handler;
        this.clocks = clocks;
    }

    /// Whether the view has reached the ends that its partitions had when it began.
    public boolean caughtUp() {
        return !firstEnds.isEmpty() && reached(firstEnds);
    }

    /// How many records wait to be read, as far as the brokers have told.
    public long unread() {
        return unread;
    }

    /// Whether the view has read up to those offsets (next to read).
    public boolean reached(Map<TopicPartition, Long> ends) {
        Map<TopicPartition, Long> now = positions;
        return ends.entrySet().stream()
                .allMatch(end -> now.getOrDefault(end.getKey(), 0L) >= end.getValue());
    }

    /// Waits until the view has read up to those offsets (next to read), at most so long. Whether
    /// it has.
    public boolean await(Map<TopicPartition, Long> ends, Duration limit)
            throws InterruptedException {
        return await(() -> reached(ends), limit);
    }

    /// Waits until what the view has read makes that true, at most so long, and not after its end.
    /// Whether it has.
    ///
    /// @param shown asked after each reading, and not to wait itself
    public boolean await(BooleanSupplier shown, Duration limit) throws InterruptedException {
        long until = clocks.nanos() + limit.toNanos();
        waiting.incrementAndGet();
        try {
            wanted.complete(null);
            while (true) {
                var next = moved;
                if (shown.getAsBoolean()) {
                    return true;
                }
                if (closed || !clocks.await(next, until - clocks.nanos())) {
                    return false;
                }
            }
        } finally {
            waiting.decrementAndGet();
        }
    }

    /// Ends the view.
    @Override
    public void close() {
        closed = true;
        consumer.wakeup();
        signal();
    }

    /// Reads until the view is closed.
    ///
    /// @throws RuntimeException if the handler or the log fails for good: the view has ended then
    public void run() {
        try (consumer) {
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            while (!closed && !findFirstEnds()) {
                LOG.warn("View waits for the brokers");
            }
            boolean announced = false;
            while (!closed) {
                var records = consumer.poll(POLL);
                records.forEach(handler::handle);
                records.partitions().stream()
                        .filter(it -> consumer.currentLag(it).orElse(1) == 0)
                        .forEach(handler::atEnd);
                publishPositions();
                if (!announced && caughtUp()) {
                    announced = true;
                    LOG.info("Caught up with the log");
                }
                unread = LogReader.unread(consumer);
                if (!records.isEmpty() && unread < ENOUGH) {
                    gather();
                }
            }
        } catch (WakeupException e) {
            if (!closed) {
                throw e;
            }
        } finally {
            closed = true;
            signal();
        }
    }

    private void gather() {
        var next = new CompletableFuture<Void>();
        wanted = next;
        if (waiting.get() == 0 && !closed) {
            try {
                clocks.await(next, GATHERING_NANOS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private boolean findFirstEnds() {
        try {
            firstEnds = consumer.endOffsets(partitions);
            return true;
        } catch (TimeoutException e) {
            return false;
        }
    }

    private void publishPositions() {
        var now = new HashMap<TopicPartition, Long>();
        try {
            for (TopicPartition partition : partitions) {
                now.put(partition, consumer.position(partition));
            }
        } catch (TimeoutException e) {
            // The beginning is not found yet: the brokers are away. The next round asks again.
            return;
        }
        if (!now.equals(positions)) {
            positions = now;
            var before = moved;
            moved = new CompletableFuture<>();
            before.complete(null);
        }
    }

    private void signal() {
        moved.complete(null);
        wanted.complete(null);
    }
}
