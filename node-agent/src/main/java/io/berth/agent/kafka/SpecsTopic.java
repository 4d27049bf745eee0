package io.berth.agent.kafka;

import io.berth.agent.launch.LaunchRefused;
import io.berth.agent.launch.Specs;
import io.berth.contracts.JobSpec;
import io.berth.contracts.SpecReference;
import io.berth.contracts.json.EventCodec.CorruptEvent;
import io.berth.contracts.json.EventCodec.UnknownEventType;
import io.berth.contracts.topic.Topics;
import io.berth.log.Events;
import io.berth.log.KafkaConnection;
import io.berth.log.Sealed;
import java.io.Closeable;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.TimeoutException;
import org.jspecify.annotations.Nullable;

/// The `specs` topic, read record by record at the offsets that orders name. One reader for all
/// runs of a process: a reader costs a connection. The last small ones are remembered, since the
/// tasks of an array have one together.
public final class SpecsTopic implements Specs, Closeable {

    /// An outage of the brokers that a launch outlasts.
    private static final Duration LIMIT = Duration.ofMinutes(5);

    private static final Duration CALL_LIMIT = Duration.ofSeconds(2);
    private static final Duration POLL = Duration.ofMillis(500);

    private static final int REMEMBERED = 16;
    private static final int SMALL_BYTES = 64 * 1024;

    private final KafkaConnection connection;
    private final Events<JobSpec> events = new Events<>(Topics.SPECS, "node-agent");
    private final ReentrantLock lock = new ReentrantLock();
    private @Nullable Consumer<byte[], byte[]> consumer;

    /// The least recently used first.
    private final Map<SpecReference, JobSpec> known =
            new LinkedHashMap<>(REMEMBERED, 0.75f, true) {
                @Override
                protected boolean removeEldestEntry(Map.Entry<SpecReference, JobSpec> eldest) {
                    return size() > REMEMBERED;
                }
            };

    public SpecsTopic(KafkaConnection connection) {
        this.connection = connection;
    }

    @Override
    public JobSpec read(SpecReference reference) throws LaunchRefused, InterruptedException {
        lock.lockInterruptibly();
        try {
            JobSpec spec = known.get(reference);
            return spec == null ? look(reference) : spec;
        } catch (InterruptException e) {
            throw new InterruptedException();
        } catch (KafkaException e) {
            close(consumer);
            throw new LaunchRefused("cannot read the job's specification: " + e.getMessage(), e);
        } finally {
            lock.unlock();
        }
    }

    private JobSpec look(SpecReference reference) throws LaunchRefused {
        ConsumerRecord<byte[], byte[]> record = fetch(reference);
        if (!sha256(record.value()).equals(reference.sha256())) {
            throw new LaunchRefused(
                    "the job's specification does not have the SHA-256 that was ordered");
        }
        String key = reference.key();
        try {
            JobSpec spec = events.event(key == null ? record : Sealed.open(record, key));
            if (record.value().length <= SMALL_BYTES) {
                known.put(reference, spec);
            }
            return spec;
        } catch (GeneralSecurityException e) {
            throw new LaunchRefused("the job's specification cannot be opened", e);
        } catch (UnknownEventType | CorruptEvent e) {
            throw new LaunchRefused("the job's specification is not readable", e);
        }
    }

    @Override
    public void close() {
        lock.lock();
        try {
            close(consumer);
        } finally {
            lock.unlock();
        }
    }

    private void close(@Nullable Consumer<byte[], byte[]> open) {
        consumer = null;
        if (open != null) {
            open.close();
        }
    }

    private ConsumerRecord<byte[], byte[]> fetch(SpecReference reference) throws LaunchRefused {
        Consumer<byte[], byte[]> reader = consumer;
        if (reader == null) {
            reader = connection.lookup();
            consumer = reader;
        }
        var partition = new TopicPartition(Topics.SPECS.name(), reference.partition());
        reader.assign(List.of(partition));
        reader.seek(partition, reference.offset());
        long deadline = System.nanoTime() + LIMIT.toNanos();
        while (System.nanoTime() - deadline < 0) {
            for (var record : reader.poll(POLL)) {
                if (record.offset() == reference.offset() && record.value() != null) {
                    return record;
                }
                throw gone();
            }
            if (ended(reader, partition, reference.offset())) {
                throw gone();
            }
        }
        throw new LaunchRefused("the job's specification could not be read in time");
    }

    /// Whether the partition ends before that offset; not, while the brokers do not answer.
    private static boolean ended(
            Consumer<byte[], byte[]> reader, TopicPartition partition, long offset) {
        try {
            return reader.endOffsets(List.of(partition), CALL_LIMIT).values().stream()
                    .anyMatch(end -> end <= offset);
        } catch (TimeoutException e) {
            return false;
        }
    }

    private static LaunchRefused gone() {
        return new LaunchRefused("the job's specification is gone");
    }

    private static String sha256(byte[] bytes) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }
}
