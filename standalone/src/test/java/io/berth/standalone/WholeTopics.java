package io.berth.standalone;

import io.berth.contracts.json.EventCodec.CorruptEvent;
import io.berth.contracts.json.EventCodec.UnknownEventType;
import io.berth.contracts.topic.Topic;
import io.berth.log.Events;
import io.berth.log.KafkaConnection;
import io.berth.log.LogReader;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/// The topics of a mesh, each read from its beginning to the end that it has then.
final class WholeTopics implements AutoCloseable {

    private final Consumer<byte[], byte[]> consumer;

    WholeTopics(KafkaConnection kafka) {
        consumer = kafka.consumer();
    }

    /// @param <E> of what a record says
    interface Reader<E> {

        /// @param event null of a record that says that its key is no more
        void read(ConsumerRecord<byte[], byte[]> record, @Nullable E event);
    }

    /// Where that topic's first partition ends now.
    long end(Topic<?> topic) {
        var partition = new TopicPartition(topic.name(), 0);
        return consumer.endOffsets(List.of(partition)).getOrDefault(partition, 0L);
    }

    /// What nobody can read is passed, but for what placement itself has written.
    <E> void read(Topic<E> topic, Reader<E> reader) {
        var events = new Events<>(topic, "audit");
        List<TopicPartition> partitions =
                consumer.partitionsFor(topic.name()).stream()
                        .map(it -> new TopicPartition(it.topic(), it.partition()))
                        .toList();
        LogReader.readAll(
                consumer,
                partitions,
                record -> {
                    E event = null;
                    try {
                        event = record.value() == null ? null : events.event(record);
                    } catch (UnknownEventType | CorruptEvent e) {
                        if (topic.writer().equals("placement-service")) {
                            throw new AssertionError(record.toString(), e);
                        }
                        return;
                    }
                    reader.read(record, event);
                });
    }

    static String key(ConsumerRecord<byte[], byte[]> record) {
        return new String(record.key(), StandardCharsets.UTF_8);
    }

    @Override
    public void close() {
        consumer.close();
    }
}
