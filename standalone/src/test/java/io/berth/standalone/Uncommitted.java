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

/// A reader of `job-states` who, unlike all others, sees what is not committed and may never be.
final class Uncommitted implements AutoCloseable {

    private static final TopicPartition STATES = new TopicPartition(Topics.JOB_STATES.name(), 0);
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
        all.assign(List.of(STATES));
        committed.assign(List.of(STATES));
    }

    /// Passes what stands there.
    void pass() {
        all.seekToEnd(List.of(STATES));
        all.position(STATES);
    }

    /// Where the next state stands, as soon as it does.
    long next() {
        while (true) {
            for (var record : all.poll(POLL)) {
                return record.offset();
            }
        }
    }

    /// Whether the transaction of that state is not over.
    boolean isOpen(long offset) {
        return committed.endOffsets(List.of(STATES)).getOrDefault(STATES, 0L) <= offset;
    }

    /// Where the states stand, from that place on, that have been committed.
    Set<Long> committedFrom(long offset) {
        var offsets = new HashSet<Long>();
        committed.seek(STATES, offset);
        long end = committed.endOffsets(List.of(STATES)).getOrDefault(STATES, 0L);
        while (committed.position(STATES) < end) {
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
