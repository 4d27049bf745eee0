package io.berth.standalone;

import io.berth.contracts.topic.Topics;
import io.berth.log.KafkaConnection;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/// A reader of `jobs` who, unlike all others, sees what is not committed and may never be.
final class Uncommitted implements AutoCloseable {

    private static final TopicPartition JOBS = new TopicPartition(Topics.JOBS.name(), 0);
    private static final Duration POLL = Duration.ofMillis(100);

    private final Consumer<byte[], byte[]> all;
    private final Consumer<byte[], byte[]> committed;

    Uncommitted(KafkaConnection kafka) {
        committed = kafka.consumer();
        all =
                new KafkaConsumer<>(
                        Map.of(
                                ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG,
                                kafka.bootstrapServers(),
                                ConsumerConfig.ISOLATION_LEVEL_CONFIG,
                                "read_uncommitted"),
                        new ByteArrayDeserializer(),
                        new ByteArrayDeserializer());
        all.assign(List.of(JOBS));
        committed.assign(List.of(JOBS));
    }

    /// Passes what stands there.
    void pass() {
        all.seekToEnd(List.of(JOBS));
        all.position(JOBS);
    }

    /// Where the next word stands, as soon as it does.
    long next() {
        while (true) {
            for (var record : all.poll(POLL)) {
                return record.offset();
            }
        }
    }

    /// Whether the transaction of that word is not over.
    boolean isOpen(long offset) {
        return committed.endOffsets(List.of(JOBS)).getOrDefault(JOBS, 0L) <= offset;
    }

    /// Where the words stand, from that place on, that have been committed.
    Set<Long> committedFrom(long offset) {
        var offsets = new HashSet<Long>();
        committed.seek(JOBS, offset);
        long end = committed.endOffsets(List.of(JOBS)).getOrDefault(JOBS, 0L);
        while (committed.position(JOBS) < end) {
            committed.poll(POLL).forEach(record -> offsets.add(record.offset()));
        }
        return offsets;
    }

    @Override
    public void close() {
        all.close();
        committed.close();
    }
}
