package io.berth.log;

import io.berth.contracts.json.EventCodec;
import io.berth.contracts.json.EventCodec.CorruptEvent;
import io.berth.contracts.json.EventCodec.UnknownEventType;
import io.berth.contracts.topic.Topic;
import java.nio.charset.StandardCharsets;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Header;

/// The events of one topic as Kafka records.
public final class Events<E> {

    private final Topic<E> topic;
    private final EventCodec<E> codec;
    private final String source;

    /// @param service the service that writes or reads, named as the source of what it writes
    public Events(Topic<E> topic, String service) {
        this.topic = topic;
        this.codec = new EventCodec<>(topic);
        this.source = "/berth/" + service;
    }

    public Topic<E> topic() {
        return topic;
    }

    /// The record that says this event.
    ///
    /// @param id derived from the event's cause
    public ProducerRecord<byte[], byte[]> record(int partition, E event, String id) {
        byte[] key = topic.key().apply(event).getBytes(StandardCharsets.UTF_8);
        var record = new ProducerRecord<>(topic.name(), partition, key, codec.value(event));
        codec.headers(event, id, source)
                .forEach((name, value) ->
                        record.headers().add(name, value.getBytes(StandardCharsets.UTF_8)));
        return record;
    }

    /// The event that this record says. A tombstone is none: test `record.value() == null` first
    /// where there may be some.
    public E event(ConsumerRecord<byte[], byte[]> record) throws UnknownEventType, CorruptEvent {
        Header type = record.headers().lastHeader("ce_type");
        return codec.event(
                type == null || type.value() == null
                        ? null
                        : new String(type.value(), StandardCharsets.UTF_8),
                record.value());
    }
}
