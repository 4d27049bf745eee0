package io.berth.submit.kafka;

import io.berth.contracts.JobSpec;
import io.berth.contracts.json.EventCodec.CorruptEvent;
import io.berth.contracts.json.EventCodec.UnknownEventType;
import io.berth.contracts.topic.Topics;
import io.berth.log.Events;
import io.berth.log.KafkaConnection;
import io.berth.log.Sealed;
import io.berth.submit.Deadline;
import io.berth.submit.Job;
import io.berth.submit.Unavailable;
import jakarta.annotation.PreDestroy;
import jakarta.inject.Singleton;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/// Fetches one job's specification from the log.
@Singleton
public class SpecReader {
    private static final Duration POLL = Duration.ofMillis(100);

    private final Consumer<byte[], byte[]> consumer;
    private final Events<JobSpec> events = new Events<>(Topics.SPECS, PictureTopics.SERVICE);
    private final ReentrantLock lock = new ReentrantLock();

    public SpecReader(KafkaConnection kafka) {
        this.consumer = kafka.lookup();
    }

    @PreDestroy
    public void close() {
        lock.lock();
        try {
            consumer.close();
        } finally {
            lock.unlock();
        }
    }

    /// The job's specification; empty if the log has forgotten it.
    ///
    /// @throws Unavailable if the log does not answer in time
    public Optional<JobSpec> read(Job job, Deadline due) {
        due.lock(lock, "too many specifications are asked for");
        try {
            return fetch(job, due);
        } catch (OffsetOutOfRangeException e) {
            return Optional.empty();
        } finally {
            lock.unlock();
        }
    }

    /// The key by which a request about the job is proven to its nodes; empty if an older gateway
    /// took it in, or the log has forgotten it.
    ///
    /// @throws Unavailable if the log does not answer in time
    public Optional<String> key(Job job, Deadline due) {
        return read(job, due).flatMap(it -> Optional.ofNullable(it.key()));
    }

    private Optional<JobSpec> fetch(Job job, Deadline due) {
        var partition = new TopicPartition(Topics.SPECS.name(), job.specPartition());
        consumer.assign(List.of(partition));
        consumer.seek(partition, job.specOffset());
        while (!due.passed()) {
            for (var record : consumer.poll(POLL)) {
                return record.offset() == job.specOffset() && record.value() != null
                        ? spec(record, job.specKey())
                                .filter(spec -> spec.job().equals(job.specified()))
                        : Optional.empty();
            }
        }
        throw new Unavailable("the log does not answer");
    }

    private Optional<JobSpec> spec(ConsumerRecord<byte[], byte[]> record, @Nullable String key) {
        try {
            return Optional.of(events.event(key == null ? record : Sealed.open(record, key)));
        } catch (GeneralSecurityException | UnknownEventType | CorruptEvent e) {
            return Optional.empty();
        }
    }
}
