package io.berth.log;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.WakeupException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// A reader's own picture of some partitions, kept up to date by a thread that reads them from
/// their beginning on. All partitions are assigned by hand.
///
/// While nobody waits for it, the view gathers what comes for a moment: a record at a time costs
/// the broker and the reader several times as much as many at once.
///
/// The handler is called by that one thread. If the brokers are away it waits for them; if the
/// handler or the log fails for good, the view stops and says so through [#failure].
public final class LogView implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(LogView.class);

    /// As long as its fetch waits: who is closed is woken.
    private static final Duration POLL = KafkaConnection.FOLLOWING;

    private static final long GATHERING_NANOS = 20_000_000;

    /// How many records that wait already make gathering useless.
    private static final long ENOUGH = 500;

    private final Consumer<byte[], byte[]> consumer;
    private final LogReader.Handler handler;
    private final Thread thread;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition moved = lock.newCondition();
    private final Condition wanted = lock.newCondition();
    private final Map<TopicPartition, Long> positions = new HashMap<>();
    private final Map<TopicPartition, Long> firstEnds = new HashMap<>();
    private int waiting;
    private volatile long unread;
    private volatile boolean closed;
    private volatile @Nullable RuntimeException failure;

    /// Starts reading.
    ///
    /// @param consumer used by the view's thread alone from now on, and closed by it
    public LogView(
            String name,
            Consumer<byte[], byte[]> consumer,
            Collection<TopicPartition> partitions,
            LogReader.Handler handler) {
        this.consumer = consumer;
        this.handler = handler;
        this.thread =
                Thread.ofPlatform()
                        .name(name)
                        .daemon()
                        .unstarted(() -> run(List.copyOf(partitions)));
        thread.start();
    }

    /// Whether the view has reached the ends that its partitions had when it began.
    public boolean caughtUp() {
        lock.lock();
        try {
            return !firstEnds.isEmpty() && reached(firstEnds);
        } finally {
            lock.unlock();
        }
    }

    /// How many records wait to be read, as far as the brokers have told.
    public long unread() {
        return unread;
    }

    /// Why the view stopped, if it did.
    public @Nullable RuntimeException failure() {
        return failure;
    }

    /// Whether the view has read up to those offsets (next to read).
    public boolean reached(Map<TopicPartition, Long> ends) {
        lock.lock();
        try {
            return ends.entrySet().stream()
                    .allMatch(end -> positions.getOrDefault(end.getKey(), 0L) >= end.getValue());
        } finally {
            lock.unlock();
        }
    }

    /// Waits until the view has read up to those offsets (next to read), at most so long. Whether
    /// it has.
    public boolean await(Map<TopicPartition, Long> ends, Duration limit)
            throws InterruptedException {
        return await(() -> reached(ends), limit);
    }

    /// Waits until what the view has read makes that true, at most so long. Whether it has.
    ///
    /// @param shown asked after each reading, and not to wait itself
    public boolean await(BooleanSupplier shown, Duration limit) throws InterruptedException {
        long nanos = limit.toNanos();
        lock.lock();
        waiting++;
        try {
            wanted.signal();
            while (!shown.getAsBoolean()) {
                if (nanos <= 0 || failure != null || closed) {
                    return false;
                }
                nanos = moved.awaitNanos(nanos);
            }
            return true;
        } finally {
            waiting--;
            lock.unlock();
        }
    }

    @Override
    public void close() {
        closed = true;
        consumer.wakeup();
        signal();
        try {
            thread.join(TimeUnit.SECONDS.toMillis(10));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void run(List<TopicPartition> partitions) {
        try (consumer) {
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            while (!closed && !findFirstEnds(partitions)) {
                LOG.atWarn()
                        .addKeyValue("view", thread.getName())
                        .log("View waits for the brokers");
            }
            while (!closed) {
                var records = consumer.poll(POLL);
                records.forEach(handler::handle);
                publishPositions(partitions);
                unread = LogReader.unread(consumer);
                if (!records.isEmpty() && unread < ENOUGH) {
                    gather();
                }
            }
        } catch (WakeupException e) {
            if (!closed) {
                throw e;
            }
        } catch (RuntimeException e) {
            failure = e;
            LOG.atError().setCause(e).addKeyValue("view", thread.getName()).log("View stopped");
        } finally {
            signal();
        }
    }

    private void gather() {
        long nanos = GATHERING_NANOS;
        lock.lock();
        try {
            while (waiting == 0 && nanos > 0 && !closed) {
                nanos = wanted.awaitNanos(nanos);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            lock.unlock();
        }
    }

    private boolean findFirstEnds(List<TopicPartition> partitions) {
        Map<TopicPartition, Long> ends;
        try {
            ends = consumer.endOffsets(partitions);
        } catch (TimeoutException e) {
            return false;
        }
        lock.lock();
        try {
            firstEnds.putAll(ends);
        } finally {
            lock.unlock();
        }
        return true;
    }

    private void publishPositions(List<TopicPartition> partitions) {
        var now = new HashMap<TopicPartition, Long>();
        try {
            for (TopicPartition partition : partitions) {
                now.put(partition, consumer.position(partition));
            }
        } catch (TimeoutException e) {
            // The beginning is not found yet: the brokers are away. The next round asks again.
            return;
        }
        lock.lock();
        try {
            if (!now.equals(positions)) {
                positions.putAll(now);
                moved.signalAll();
            }
        } finally {
            lock.unlock();
        }
    }

    private void signal() {
        lock.lock();
        try {
            moved.signalAll();
            wanted.signal();
        } finally {
            lock.unlock();
        }
    }
}
