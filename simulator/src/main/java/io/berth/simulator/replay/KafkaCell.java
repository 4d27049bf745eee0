package io.berth.simulator.replay;

import io.berth.contracts.event.RoundEvent;
import io.berth.contracts.event.SnapshotEvent;
import io.berth.contracts.json.EventCodec.CorruptEvent;
import io.berth.contracts.json.EventCodec.UnknownEventType;
import io.berth.contracts.topic.Topic;
import io.berth.contracts.topic.Topics;
import io.berth.log.Events;
import io.berth.log.KafkaConnection;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;

/// A cell's topics at a broker.
///
/// @param cell also the partition of its topics
public record KafkaCell(KafkaConnection kafka, int cell) implements RecordedCell {

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
    /// @throws KafkaException if no broker answers, or the topic is not there
    private <E> void read(Topic<E> topic, Predicate<E> reader, BooleanSupplier pause) {
        var events = new Events<>(topic, "replay");
        var partition = new TopicPartition(topic.name(), cell);
        try (var consumer = kafka.consumer()) {
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
                    if (!reader.test(events.event(record))) {
                        return;
                    }
                }
                boolean before = consumer.position(partition, CALL_LIMIT) < end;
                more = before || pause.getAsBoolean();
            }
        } catch (UnknownEventType | CorruptEvent e) {
            throw new KafkaException(topic.name() + ": " + e.getMessage(), e);
        }
    }
}
