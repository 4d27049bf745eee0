package io.berth.agent.kafka;

import io.berth.contracts.event.Order;
import io.berth.contracts.json.EventCodec.CorruptEvent;
import io.berth.contracts.json.EventCodec.UnknownEventType;
import io.berth.contracts.topic.Topics;
import io.berth.log.Events;
import io.berth.log.TrustedKeys;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/// Reads orders out of records, and tells which are placement's.
///
/// @param keys of placement; without any, whoever may write to the topic is believed
public record OrderReader(Optional<TrustedKeys> keys) {

    private static final Events<Order> EVENTS = new Events<>(Topics.PLACEMENTS, AgentLog.SERVICE);

    /// The node that a record is for.
    public static String node(ConsumerRecord<byte[], byte[]> record) {
        return new String(record.key(), StandardCharsets.UTF_8);
    }

    /// Why the record is not placement's word, in one line.
    public Optional<String> objection(ConsumerRecord<byte[], byte[]> record) {
        return keys.flatMap(trusted -> trusted.objection(record));
    }

    /// The order.
    public Order order(ConsumerRecord<byte[], byte[]> record)
            throws UnknownEventType, CorruptEvent {
        return EVENTS.event(record);
    }
}
