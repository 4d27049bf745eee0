package io.berth.agent.kafka;

import io.berth.contracts.SpecReference;
import io.berth.contracts.event.Order;
import io.berth.contracts.json.EventCodec.CorruptEvent;
import io.berth.contracts.json.EventCodec.UnknownEventType;
import io.berth.contracts.topic.Topics;
import io.berth.log.Events;
import io.berth.log.KeyExchange;
import io.berth.log.TrustedKeys;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/// Reads orders out of records, and tells which are placement's.
///
/// @param keys of placement; without any, whoever may write to the topic is believed
/// @param exchange for which the keys in orders are sealed
public record OrderReader(Optional<TrustedKeys> keys, KeyExchange exchange) {

    private static final Events<Order> EVENTS = new Events<>(Topics.PLACEMENTS, AgentLog.SERVICE);

    /// The node that a record is for.
    public static String node(ConsumerRecord<byte[], byte[]> record) {
        return new String(record.key(), StandardCharsets.UTF_8);
    }

    /// Why the record is not placement's word, in one line.
    public Optional<String> objection(ConsumerRecord<byte[], byte[]> record) {
        return keys.flatMap(trusted -> trusted.objection(record));
    }

    /// The order, with the key of its specification opened.
    public Order order(ConsumerRecord<byte[], byte[]> record)
            throws UnknownEventType, CorruptEvent {
        Order order = EVENTS.event(record);
        return order instanceof Order.Launch launch ? launch.of(opened(launch.spec())) : order;
    }

    /// What this agent cannot open was sealed for another life of it, whose orders count no more.
    private SpecReference opened(SpecReference spec) {
        String key = spec.key();
        if (key == null || !KeyExchange.sealed(key)) {
            return spec;
        }
        try {
            return spec.by(exchange.open(key));
        } catch (GeneralSecurityException e) {
            return spec;
        }
    }
}
