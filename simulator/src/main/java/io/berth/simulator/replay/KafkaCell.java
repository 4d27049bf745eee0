package io.berth.simulator.replay;

import io.berth.contracts.event.RoundEvent;
import io.berth.contracts.event.SnapshotEvent;
import io.berth.contracts.json.EventCodec.CorruptEvent;
import io.berth.contracts.json.EventCodec.UnknownEventType;
import io.berth.contracts.topic.Topic;
import io.berth.contracts.topic.Topics;
import io.berth.log.Events;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;

/// A cell's topics at a broker.
///
/// @param consumers makes one, see [KafkaConnection#consumer]
/// @param cell also the partition of its topics
public record KafkaCell(
        Supplier<org.apache.kafka.clients.consumer.Consumer<byte[], byte[]>> consumers, int cell)
        implements RecordedCell {

    private static final Duration CALL_LIMIT = Duration.ofSeconds(10);
    private static final Duration POLL = Duration.ofMillis(100);

    @Override
    public void snapshots(Consumer<SnapshotEvent> reader) {
        read(
                Topics.SNAPSHOTS,
                event -> {
                    reader.accept(event);
                    return true;
                },
                () -> false);
    }

    @Override
    public void rounds(Predicate<RoundEvent> reader) {
        read(Topics.ROUNDS, reader, () -> false);
    }

    @Override
    public void follow(Predicate<RoundEvent> reader, BooleanSupplier pause) {
        read(Topics.ROUNDS, reader, pause);
    }

    /// @param pause asked after each poll, from where the topic ended when the reading began on
    /// @throws KafkaException if no broker answers, the topic is not there, or a record is not
    ///   understood
    private <E> void read(Topic<E> topic, Predicate<E> reader, BooleanSupplier pause) {
        var events = new Events<>(topic, "replay");
        var partition = new TopicPartition(topic.name(), cell);
        try (var consumer = consumers.get()) {
            if (!consumer.listTopics(CALL_LIMIT).containsKey(topic.name())) {
                throw new KafkaException("there is no topic " + topic.name());
            }
            consumer.assign(List.of(partition));
            consumer.seekToBeginning(List.of(partition));
            long end =
                    Objects.requireNonNull(
                            consumer.endOffsets(List.of(partition), CALL_LIMIT).get(partition));
            boolean more = true;
            while (more) {
                var records = consumer.poll(POLL);
                for (var record : records) {
                    if (!reader.test(understood(events, record))) {
                        return;
                    }
                }
                boolean before = consumer.position(partition, CALL_LIMIT) < end;
                more = before || pause.getAsBoolean();
            }
        }
    }

    /// @throws KafkaException if no version can read it, or only a newer one
    private static <E> E understood(Events<E> events, ConsumerRecord<byte[], byte[]> record) {
        try {
            return events.event(record);
        } catch (UnknownEventType | CorruptEvent e) {
            throw new KafkaException(
                    "%s/%d/%d: %s"
                            .formatted(
                                    record.topic(),
                                    record.partition(),
                                    record.offset(),
                                    e.getMessage()),
                    e);
        }
    }
}
