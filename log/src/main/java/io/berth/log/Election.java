package io.berth.log;

import io.berth.contracts.topic.Topics;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;

/// A standing election of one among several instances of a service. They are a consumer group on a
/// topic of one partition that holds nothing: who is assigned the partition is elected. The
/// assignment is sticky, so that one who lives stays elected when others come and go.
///
/// An election says who may try to lead. It cannot keep one who stood still from acting for a
/// moment when he wakes up; where that matters, a transactional id or a version must.
///
/// For use by one thread.
public final class Election implements AutoCloseable {

    private final Consumer<byte[], byte[]> consumer;
    private boolean elected;
    private boolean decided;

    /// Stands for election.
    ///
    /// @param wedgedAfter one who does not poll for so long is out
    public Election(LogClients log, String group, Duration wedgedAfter) {
        consumer = log.candidate(group, wedgedAfter);
        consumer.subscribe(List.of(Topics.ELECTIONS.name()), new Listener());
    }

    /// Takes part, and tells whether this instance is elected.
    public boolean poll() {
        return poll(Duration.ZERO);
    }

    /// Takes part for so long, and tells whether this instance is elected. An election takes
    /// several questions to the brokers: who waits for one takes part for some time.
    ///
    /// @throws org.apache.kafka.common.errors.InvalidSessionTimeoutException if the brokers do not
    ///   allow a session of [KafkaConnection#CANDIDATE_SESSION]
    public boolean poll(Duration time) {
        consumer.poll(time);
        return elected;
    }

    /// Whether somebody was elected, this instance or another, since this one takes part.
    public boolean decided() {
        return decided;
    }

    /// Whether the brokers answer within that time. For one who follows the log by a consumer whose
    /// fetch waits: over this connection none does.
    public boolean answered(Duration limit) {
        try {
            consumer.endOffsets(consumer.assignment(), limit);
            return true;
        } catch (TimeoutException e) {
            return false;
        }
    }

    /// Leaves the election; if this instance was elected, another is at once.
    @Override
    public void close() {
        consumer.close();
    }

    private final class Listener implements ConsumerRebalanceListener {

        @Override
        public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
            decided = true;
            if (!partitions.isEmpty()) {
                elected = true;
                consumer.pause(partitions);
            }
        }

        @Override
        public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
            elected = elected && partitions.isEmpty();
        }
    }
}
