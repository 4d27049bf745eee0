package io.berth.placement.kafka;

import io.berth.contracts.NodeName;
import io.berth.contracts.event.Heartbeat;
import io.berth.contracts.json.EventCodec.CorruptEvent;
import io.berth.contracts.json.EventCodec.UnknownEventType;
import io.berth.contracts.topic.Topics;
import io.berth.log.Events;
import io.berth.log.KafkaConnection;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RetriableException;

/// Reads the heartbeats of a cell, from now on.
public final class HeartbeatReader implements AutoCloseable {

    /// How long a poll and a fetch wait. A broker answers what it is asked after the fetch.
    public static final Duration POLL = KafkaConnection.FOLLOWING;

    private static final Duration ANSWER = POLL.multipliedBy(2);

    private final Events<Heartbeat> events = new Events<>(Topics.HEARTBEATS, CellLog.SERVICE);
    private final Consumer<byte[], byte[]> consumer;
    private final TopicPartition partition;
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
    /// none.
    public Map<NodeName, Long> poll(Duration timeout) {
        var heard = new TreeMap<NodeName, Long>();
        for (var record : consumer.poll(timeout)) {
            try {
                Heartbeat it = events.event(record);
                heard.merge(it.node(), it.epoch(), Math::max);
            } catch (UnknownEventType | CorruptEvent e) {
                continue;
            }
        }
        return heard;
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
