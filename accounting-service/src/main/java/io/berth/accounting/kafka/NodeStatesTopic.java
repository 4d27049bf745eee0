package io.berth.accounting.kafka;

import io.berth.contracts.event.NodeStatus;
import io.berth.contracts.json.EventCodec.CorruptEvent;
import io.berth.contracts.json.EventCodec.UnknownEventType;
import io.berth.contracts.topic.Topics;
import io.berth.log.Events;
import io.berth.log.KafkaConnection;
import io.berth.log.TopicDeclarations;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The `node-states` topic, from its beginning.
public final class NodeStatesTopic implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(NodeStatesTopic.class);
    private static final String NAME = Topics.NODE_STATES.name();
    private static final Duration POLL = Duration.ofSeconds(1);

    /// A node from a time on.
    ///
    /// @param at when that was written, in epoch milliseconds
    /// @param status null if it is gone
    public record Change(String node, long at, @Nullable NodeStatus status) {}

    private final Events<NodeStatus> events =
            new Events<>(Topics.NODE_STATES, "accounting-service");
    private final Consumer<byte[], byte[]> consumer;

    /// Waits for the topic.
    public NodeStatesTopic(KafkaConnection kafka) {
        List<TopicPartition> partitions;
        try (Admin admin = kafka.admin()) {
            partitions =
                    TopicDeclarations.await(admin, List.of(Topics.NODE_STATES)).values().stream()
                            .flatMap(topic -> topic.partitions().stream())
                            .map(it -> new TopicPartition(NAME, it.partition()))
                            .toList();
        }
        consumer = kafka.follower();
        consumer.assign(partitions);
        consumer.seekToBeginning(partitions);
    }

    /// The next changes, after a short wait for them. What cannot be read is left out.
    public List<Change> poll() {
        var changes = new ArrayList<Change>();
        for (var record : consumer.poll(POLL)) {
            String node = new String(record.key(), StandardCharsets.UTF_8);
            try {
                NodeStatus status = record.value() == null ? null : events.event(record);
                changes.add(new Change(node, record.timestamp(), status));
            } catch (CorruptEvent | UnknownEventType e) {
                LOG.atWarn()
                        .addKeyValue("node", node)
                        .addKeyValue("record", Events.position(record))
                        .addKeyValue("cause", e.getMessage())
                        .log("A node's state cannot be read");
            }
        }
        return changes;
    }

    @Override
    public void close() {
        consumer.close();
    }
}
