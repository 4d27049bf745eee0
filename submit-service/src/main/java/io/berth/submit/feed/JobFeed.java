package io.berth.submit.feed;

import io.berth.contracts.topic.Topics;
import io.berth.log.KafkaConnection;
import io.berth.log.TopicDeclarations;
import io.berth.submit.SubmitConfig;
import io.berth.submit.Unavailable;
import io.quarkus.runtime.Startup;
import jakarta.annotation.PostConstruct;
import jakarta.annotation.PreDestroy;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.WakeupException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The events of the topic `jobs` as they come. One thread reads them from now on and keeps the
/// last few thousand for all clients; older ones are read from the log again for the client that
/// asks.
@Singleton
@Startup
public class JobFeed {
    private static final Logger LOG = LoggerFactory.getLogger(JobFeed.class);

    /// As long as its fetch waits: who stops is woken.
    private static final Duration POLL = KafkaConnection.FOLLOWING;

    private static final Duration PAUSE = Duration.ofSeconds(1);
    private static final int KEPT = 4096;

    /// What a client has not been told.
    ///
    /// @param sequence of the newest event among those that are kept
    /// @param readTo offsets up to which there is no more, by cell
    record News(List<FeedEvent> events, long sequence, Map<Integer, Long> readTo) {}

    private final KafkaConnection kafka;
    private final OldEvents old;
    private final Semaphore places;
    private final Thread thread =
            Thread.ofPlatform().name("job-feed").daemon().unstarted(this::run);
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition more = lock.newCondition();

    private final ArrayDeque<KeptEvent> kept = new ArrayDeque<>();
    private final TreeMap<Integer, Long> keptFrom = new TreeMap<>();
    private final TreeMap<Integer, Long> readTo = new TreeMap<>();
    private long newest;
    private volatile boolean stopped;
    private volatile @Nullable Consumer<byte[], byte[]> reading;

    JobFeed(KafkaConnection kafka, SubmitConfig config) {
        this.kafka = kafka;
        this.old = new OldEvents(kafka);
        this.places = new Semaphore(config.followers());
    }

    @PostConstruct
    void start() {
        thread.start();
    }

    @PreDestroy
    void stop() throws InterruptedException {
        stopped = true;
        Consumer<byte[], byte[]> consumer = reading;
        if (consumer == null) {
            thread.interrupt();
        } else {
            consumer.wakeup();
        }
        signal();
        thread.join(TimeUnit.SECONDS.toMillis(5));
    }

    /// Begins to follow the events.
    ///
    /// @param from the first position of interest; null is now
    /// @throws Unavailable if too many follow already, or the log has not been read yet
    public Following follow(@Nullable FeedPosition from) {
        lock.lock();
        try {
            if (readTo.isEmpty()) {
                throw new Unavailable("the gateway has not read the log yet");
            }
            if (!places.tryAcquire()) {
                throw new Unavailable("too many clients follow the events");
            }
            return new Following(this, from == null ? new FeedPosition(readTo) : from);
        } finally {
            lock.unlock();
        }
    }

    void left() {
        places.release();
    }

    public boolean stopped() {
        return stopped;
    }

    /// @param sequence up to which the caller has seen what is kept; 0 before the first call
    News after(FeedPosition position, long sequence, Duration patience)
            throws InterruptedException {
        Map<Integer, Long> from;
        lock.lockInterruptibly();
        try {
            from = new TreeMap<>(keptFrom);
            if (!position.isBelow(from)) {
                return kept(position, sequence, patience);
            }
        } finally {
            lock.unlock();
        }
        return old.read(position, from);
    }

    private News kept(FeedPosition position, long sequence, Duration patience)
            throws InterruptedException {
        long nanos = patience.toNanos();
        while (newest <= sequence && nanos > 0 && !stopped) {
            nanos = more.awaitNanos(nanos);
        }
        if (position.isBelow(keptFrom)) {
            return new News(List.of(), sequence, Map.of());
        }
        var events = new ArrayList<FeedEvent>();
        Iterator<KeptEvent> latest = kept.descendingIterator();
        for (long fresh = newest - sequence; fresh > 0 && latest.hasNext(); fresh--) {
            KeptEvent one = latest.next();
            FeedEvent event = one.offset() >= position.at(one.cell()) ? one.event() : null;
            if (event != null) {
                events.add(event);
            }
        }
        return new News(events.reversed(), newest, Map.of());
    }

    private void run() {
        while (!stopped) {
            try (var admin = kafka.admin();
                    var consumer = kafka.follower()) {
                reading = consumer;
                TopicDeclarations.await(admin, List.of(Topics.JOBS));
                read(
                        consumer,
                        consumer.partitionsFor(Topics.JOBS.name()).stream()
                                .map(it -> new TopicPartition(it.topic(), it.partition()))
                                .toList());
            } catch (WakeupException e) {
                return;
            } catch (RuntimeException e) {
                if (!stopped) {
                    LOG.atWarn().setCause(e).log("Job events cannot be read; beginning anew");
                    pause();
                }
            }
        }
    }

    private void read(Consumer<byte[], byte[]> consumer, List<TopicPartition> partitions) {
        consumer.assign(partitions);
        consumer.seekToEnd(partitions);
        begin(partitions, consumer);
        while (!stopped) {
            for (var record : consumer.poll(POLL)) {
                keep(new KeptEvent(old, record));
            }
        }
    }

    /// What came while nobody read is not kept: whoever lacks it reads it from the log.
    private void begin(List<TopicPartition> partitions, Consumer<byte[], byte[]> consumer) {
        var ends = new TreeMap<Integer, Long>();
        partitions.forEach(it -> ends.put(it.partition(), consumer.position(it)));
        lock.lock();
        try {
            kept.clear();
            keptFrom.putAll(ends);
            readTo.putAll(ends);
        } finally {
            lock.unlock();
        }
    }

    private void keep(KeptEvent event) {
        lock.lock();
        try {
            readTo.put(event.cell(), event.offset() + 1);
            kept.addLast(event);
            newest++;
            if (kept.size() > KEPT) {
                KeptEvent dropped = kept.removeFirst();
                keptFrom.put(dropped.cell(), dropped.offset() + 1);
            }
            more.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private void signal() {
        lock.lock();
        try {
            more.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private static void pause() {
        try {
            Thread.sleep(PAUSE);
        } catch (InterruptedException e) {
            LOG.debug("Woken from a pause");
        }
    }
}
