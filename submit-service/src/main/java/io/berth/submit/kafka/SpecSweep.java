package io.berth.submit.kafka;

import io.berth.contracts.topic.Topics;
import io.berth.log.EventWriter;
import io.berth.log.KafkaConnection;
import io.berth.log.LogReader;
import io.berth.submit.Deadline;
import io.berth.submit.Picture;
import io.berth.submit.SubmitConfig;
import io.quarkus.runtime.Startup;
import jakarta.annotation.PostConstruct;
import jakarta.annotation.PreDestroy;
import jakarta.inject.Singleton;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Deletes the specifications of jobs that nobody knows any more: their scripts and environments
/// may hold secrets, and the log would only grow.
///
/// A job that placement has forgotten can neither run again nor be asked for; one that never came,
/// since its gateway died before or its key stood for another job, never was known. So a
/// specification goes when it is old enough, placement knows of later jobs, and no job refers to
/// it: tasks of an array and components of a heterogeneous job have one in common. All of that
/// stands in the log: any gateway may do it at any time, and again.
@Singleton
@Startup
public final class SpecSweep {
    private static final Logger LOG = LoggerFactory.getLogger(SpecSweep.class);
    private static final Duration EVERY = Duration.ofHours(1);
    private static final Duration FIRST = Duration.ofMinutes(1);
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    /// Where a specification stands.
    private record Place(int partition, long offset) {}

    private final KafkaConnection kafka;
    private final EventWriter writer;
    private final GatewayLog log;
    private final Clock clock;
    private final Duration retention;

    /// Deleted before, and not yet compacted away.
    private Set<Place> deleted = Set.of();

    private final CountDownLatch stopping = new CountDownLatch(1);
    private final Thread thread =
            Thread.ofPlatform().name("spec-sweep").daemon().unstarted(this::run);

    public SpecSweep(
            KafkaConnection kafka,
            EventWriter writer,
            GatewayLog log,
            Clock clock,
            SubmitConfig config) {
        this.kafka = kafka;
        this.writer = writer;
        this.log = log;
        this.clock = clock;
        this.retention = config.specRetention();
    }

    @PostConstruct
    void start() {
        if (!retention.isZero()) {
            thread.start();
        }
    }

    @PreDestroy
    void stop() throws InterruptedException {
        stopping.countDown();
        thread.join(TimeUnit.SECONDS.toMillis(5));
    }

    private void run() {
        Duration pause = FIRST;
        while (!stopped(pause)) {
            pause = EVERY;
            try {
                int count = sweep();
                if (count > 0) {
                    LOG.atInfo().addKeyValue("specs", count).log("Specifications deleted");
                }
            } catch (RuntimeException e) {
                LOG.atWarn().setCause(e).log("Specifications are not deleted; trying again later");
            }
        }
    }

    private boolean stopped(Duration pause) {
        try {
            return stopping.await(pause.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return true;
        }
    }

    /// Deletes what is to go now; how many that are.
    ///
    /// @throws io.berth.submit.Unavailable if the log does not answer: some may be deleted
    public int sweep() {
        log.catchUp(Deadline.in(PATIENCE));
        Picture picture = log.picture();
        if (!picture.whole()) {
            LOG.warn("Specifications are kept: there are jobs that this gateway cannot read");
            return 0;
        }
        long now = clock.millis();
        var unknown = new HashMap<Place, byte[]>();
        try (var consumer = kafka.consumer()) {
            readOld(
                    consumer,
                    now - retention.toMillis(),
                    record -> {
                        if (record.value() != null && job(record) <= picture.highestJob()) {
                            unknown.put(
                                    new Place(record.partition(), record.offset()), record.key());
                        }
                    });
        }
        picture.jobs(now)
                .forEach(job -> unknown.remove(new Place(job.specPartition(), job.specOffset())));
        var written = new ArrayList<CompletableFuture<RecordMetadata>>();
        unknown.forEach((place, key) -> {
            if (!deleted.contains(place)) {
                written.add(writer.write(tombstone(place, key)));
            }
        });
        Deadline due = Deadline.in(PATIENCE);
        for (var one : written) {
            var unused = Acknowledgement.of(one, due);
        }
        deleted = Set.copyOf(unknown.keySet());
        return written.size();
    }

    private static long job(ConsumerRecord<byte[], byte[]> record) {
        return Long.parseLong(new String(record.key(), StandardCharsets.UTF_8));
    }

    private static ProducerRecord<byte[], byte[]> tombstone(Place place, byte[] key) {
        return new ProducerRecord<>(Topics.SPECS.name(), place.partition(), key, null);
    }

    /// Reads what was written before that time: the beginning of each partition.
    private static void readOld(
            Consumer<byte[], byte[]> consumer, long before, LogReader.Handler handler) {
        List<TopicPartition> all =
                consumer.partitionsFor(Topics.SPECS.name()).stream()
                        .map(it -> new TopicPartition(it.topic(), it.partition()))
                        .toList();
        var times = new HashMap<TopicPartition, Long>();
        all.forEach(it -> times.put(it, before));
        Map<TopicPartition, Long> ends = new HashMap<>(consumer.endOffsets(all));
        consumer.offsetsForTimes(times)
                .forEach((partition, first) -> {
                    if (first != null) {
                        ends.put(partition, first.offset());
                    }
                });
        consumer.assign(all);
        consumer.seekToBeginning(all);
        LogReader.readTo(consumer, ends, handler);
    }
}
