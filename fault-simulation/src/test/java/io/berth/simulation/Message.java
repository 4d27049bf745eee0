package io.berth.simulation;

import io.berth.contracts.json.EventCodec.CorruptEvent;
import io.berth.contracts.json.EventCodec.UnknownEventType;
import io.berth.contracts.topic.Topic;
import io.berth.contracts.topic.Topics;
import io.berth.log.Events;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.record.TimestampType;
import org.jspecify.annotations.Nullable;

/// A record of the simulated log: of a model as the event that it wrote, of a service as the bytes
/// that its client wrote. Either is made of the other when it is asked for.
final class Message {

    private static final Map<String, Events<?>> EVENTS =
            Topics.all().stream()
                    .collect(
                            Collectors.toMap(
                                    Topic::name, topic -> new Events<>(topic, "simulation")));

    private final String topic;
    private final long offset;
    private final String key;
    private final long timestamp;
    private @Nullable Object value;
    private @Nullable ConsumerRecord<byte[], byte[]> record;

    private Message(String topic, long offset, long timestamp, String key) {
        this.topic = topic;
        this.offset = offset;
        this.timestamp = timestamp;
        this.key = key;
    }

    /// @param value null is a tombstone
    static Message of(
            String topic, long offset, long timestamp, String key, @Nullable Object value) {
        var message = new Message(topic, offset, timestamp, key);
        message.value = value;
        return message;
    }

    static Message of(long offset, long timestamp, ProducerRecord<byte[], byte[]> written) {
        var message =
                new Message(
                        written.topic(),
                        offset,
                        timestamp,
                        new String(written.key(), StandardCharsets.UTF_8));
        message.record = message.record(written);
        return message;
    }

    String topic() {
        return topic;
    }

    long offset() {
        return offset;
    }

    long timestamp() {
        return timestamp;
    }

    String key() {
        return key;
    }

    /// The event; null is a tombstone.
    @Nullable Object value() {
        if (value == null && record != null && record.value() != null) {
            try {
                value = events().event(record);
            } catch (UnknownEventType | CorruptEvent e) {
                throw new AssertionError(this + " cannot be understood", e);
            }
        }
        return value;
    }

    /// What a client reads.
    ConsumerRecord<byte[], byte[]> record() {
        if (record == null) {
            record =
                    record(
                            value == null
                                    ? new ProducerRecord<>(
                                            topic, 0, key.getBytes(StandardCharsets.UTF_8), null)
                                    : written(events(), value));
        }
        return record;
    }

    /// What its writer is told.
    RecordMetadata metadata() {
        return new RecordMetadata(new TopicPartition(topic, 0), offset, 0, timestamp, 0, 0);
    }

    private Events<?> events() {
        return Objects.requireNonNull(EVENTS.get(topic), topic);
    }

    private static <E> ProducerRecord<byte[], byte[]> written(Events<E> events, Object value) {
        return events.record(0, events.topic().events().cast(value), "simulated");
    }

    private ConsumerRecord<byte[], byte[]> record(ProducerRecord<byte[], byte[]> written) {
        return new ConsumerRecord<>(
                topic,
                0,
                offset,
                timestamp,
                TimestampType.LOG_APPEND_TIME,
                written.key().length,
                written.value() == null ? 0 : written.value().length,
                written.key(),
                written.value(),
                written.headers(),
                Optional.empty());
    }

    @Override
    public String toString() {
        return topic + "/" + offset + " " + key;
    }
}
