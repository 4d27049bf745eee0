package io.berth.simulation;

import io.berth.contracts.topic.Topics;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/// A member of the group that elects one of the instances of a service.
final class Candidate {

    private static final List<TopicPartition> HELD =
            List.of(new TopicPartition(Topics.ELECTIONS.name(), 0));

    private final SimulatedClients machine;
    private @Nullable ConsumerRebalanceListener listener;
    private boolean elected;

    Candidate(SimulatedClients machine) {
        this.machine = machine;
    }

    public void subscribe(Collection<String> topics, ConsumerRebalanceListener told) {
        listener = told;
    }

    public ConsumerRecords<byte[], byte[]> poll(Duration timeout) {
        if (!timeout.isZero()) {
            machine.call();
            machine.polled();
        }
        boolean now = machine.elected();
        if (listener != null && !machine.cutOff() && now != elected) {
            elected = now;
            if (now) {
                listener.onPartitionsAssigned(HELD);
            } else {
                listener.onPartitionsRevoked(HELD);
            }
        }
        return ConsumerRecords.empty();
    }

    public Set<TopicPartition> assignment() {
        return elected ? Set.copyOf(HELD) : Set.of();
    }

    public void pause(Collection<TopicPartition> partitions) {}

    public Map<TopicPartition, Long> endOffsets(
            Collection<TopicPartition> partitions, Duration limit) {
        machine.callInTime();
        return Map.of();
    }

    public void close() {
        if (elected) {
            machine.leavesElection();
        }
    }
}
