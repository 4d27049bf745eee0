package io.berth.placement.kafka;

import io.berth.contracts.NodeName;
import io.berth.contracts.event.Heartbeat;
import io.berth.contracts.json.EventCodec.CorruptEvent;
import io.berth.contracts.json.EventCodec.UnknownEventType;
import io.berth.contracts.topic.Topics;
import io.berth.log.Events;
import io.berth.log.KafkaConnection;
import io.berth.log.Signatures;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RetriableException;
import org.jspecify.annotations.Nullable;

/// Reads the heartbeats of a cell, from now on.
public final class HeartbeatReader implements AutoCloseable {

    /// How long a poll and a fetch wait. A broker answers what it is asked after the fetch.
    public static final Duration POLL = KafkaConnection.FOLLOWING;

    private static final Duration ANSWER = POLL.multipliedBy(2);

    private final Events<Heartbeat> events = new Events<>(Topics.HEARTBEATS, CellLog.SERVICE);
    private final Consumer<byte[], byte[]> consumer;
    private final TopicPartition partition;
    private final Signatures signatures = new Signatures();
    private long end;

    public HeartbeatReader(KafkaConnection kafka, CellLog log) {
        this(kafka.follower(), log);
    }

    public HeartbeatReader(Consumer<byte[], byte[]> consumer, CellLog log) {
        this.consumer = consumer;
        this.partition = log.partition(Topics.HEARTBEATS);
        consumer.assign(List.of(partition));
        consumer.seekToEnd(List.of(partition));
    }

    /// The nodes heard within that time, with their last epochs. A heartbeat that cannot be read is
    /// none, and so is one that the node's key has not signed.
    ///
    /// @param keys of the nodes that have one, see [io.berth.contracts.event.NodeSeen]
    public Map<NodeName, Long> poll(Duration timeout, Map<NodeName, String> keys) {
        var heard = new TreeMap<NodeName, Long>();
        for (var record : consumer.poll(timeout)) {
            try {
                Heartbeat it = events.event(record);
                Long known = heard.get(it.node());
                if ((known == null || known < it.epoch())
                        && believed(record, keys.get(it.node()))) {
                    heard.put(it.node(), it.epoch());
                }
            } catch (UnknownEventType | CorruptEvent e) {
                continue;
            }
        }
        return heard;
    }

    private boolean believed(ConsumerRecord<byte[], byte[]> record, @Nullable String key) {
        return key == null || signatures.objection(record, key).isEmpty();
    }

    /// Whether the broker answers and everything was polled that it had when it was last asked:
    /// only then is silence silence. What it has now it may have got since the poll, of a large
    /// fleet always.
    public boolean atHead() {
        try {
            long before = end;
            Long now = consumer.endOffsets(List.of(partition), ANSWER).get(partition);
            if (now == null) {
                return false;
            }
            end = now;
            return consumer.position(partition, ANSWER) >= before;
        } catch (RetriableException e) {
            return false;
        }
    }

    /// Breaks off what another thread waits for here.
    public void wakeup() {
        consumer.wakeup();
    }

    /// Waits for no answer: after a time of standing still one may not come, and a new leader
    /// waits.
    @Override
    public void close() {
        consumer.close(CloseOptions.timeout(Duration.ZERO));
    }
}
