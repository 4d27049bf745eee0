package io.berth.log;

import io.berth.contracts.json.EventCodec;
import io.berth.contracts.json.EventCodec.CorruptEvent;
import io.berth.contracts.json.EventCodec.UnknownEventType;
import io.berth.contracts.topic.Topic;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;

/// The events of one topic as Kafka records.
public final class Events<E> {

    private static final Header SPEC_VERSION = header("ce_specversion", "1.0");
    private static final Header CONTENT_TYPE = header("content-type", "application/json");

    private final Topic<E> topic;
    private final EventCodec<E> codec;
    private final Header source;
    private final Map<Class<?>, Header> types = new ConcurrentHashMap<>();

    /// @param service the service that writes or reads, named as the source of what it writes
    public Events(Topic<E> topic, String service) {
        this(topic, service, new EventCodec<>(topic));
    }

    private Events(Topic<E> topic, String service, EventCodec<E> codec) {
        this.topic = topic;
        this.codec = codec;
        this.source = header("ce_source", "/berth/" + service);
    }

    /// Events that are read by one for whom an unknown field is as an unknown type: who writes them
    /// again would write them without it.
    public static <E> Events<E> strict(Topic<E> topic, String service) {
        return new Events<>(topic, service, EventCodec.strict(topic));
    }

    public Topic<E> topic() {
        return topic;
    }

    /// The record that says this event. Its headers are the attributes of CloudEvents 1.0 in binary
    /// mode.
    ///
    /// @param id derived from the event's cause, the same if the same cause is handled twice
    public ProducerRecord<byte[], byte[]> record(int partition, E event, String id) {
        byte[] key = utf8(topic.key().apply(event));
        var record = new ProducerRecord<>(topic.name(), partition, key, codec.value(event));
        record.headers()
                .add(SPEC_VERSION)
                .add(header("ce_id", id))
                .add(source)
                .add(type(event))
                .add(new RecordHeader("ce_subject", key))
                .add(CONTENT_TYPE);
        return record;
    }

    /// The value of an event's record.
    public byte[] value(E event) {
        return codec.value(event);
    }

    private Header type(E event) {
        return types.computeIfAbsent(event.getClass(), _ -> header("ce_type", codec.type(event)));
    }

    private static Header header(String name, String value) {
        return new RecordHeader(name, utf8(value));
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /// Where a record stands, as lines of the log and dead letters name it.
    public static String position(ConsumerRecord<?, ?> record) {
        return record.topic() + "/" + record.partition() + "/" + record.offset();
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
