package io.berth.simulation;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.Set;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;

/// A reader of committed records, of partitions that are assigned by hand.
final class SimulatedConsumer {

    private final SimulatedClients machine;
    private final Map<TopicPartition, Long> positions = new LinkedHashMap<>();
    private final Set<TopicPartition> paused = new HashSet<>();

    SimulatedConsumer(SimulatedClients machine) {
        this.machine = machine;
    }

    public void assign(Collection<TopicPartition> partitions) {
        positions.keySet().retainAll(partitions);
        paused.retainAll(partitions);
        partitions.forEach(it -> positions.putIfAbsent(it, 0L));
    }

    public Set<TopicPartition> assignment() {
        return Set.copyOf(positions.keySet());
    }

    public void seek(TopicPartition partition, long offset) {
        positions.put(partition, offset);
    }

    public void seekToBeginning(Collection<TopicPartition> partitions) {
        partitions.forEach(it -> positions.put(it, 0L));
    }

    public long position(TopicPartition partition) {
        return offset(partition);
    }

    private long offset(TopicPartition partition) {
        return Objects.requireNonNull(positions.get(partition), partition.topic());
    }

    public OptionalLong currentLag(TopicPartition partition) {
        return OptionalLong.of(machine.log().end(partition.topic()) - offset(partition));
    }

    public void pause(Collection<TopicPartition> partitions) {
        paused.addAll(partitions);
    }

    public void resume(Collection<TopicPartition> partitions) {
        paused.removeAll(partitions);
    }

    public List<PartitionInfo> partitionsFor(String topic) {
        machine.call();
        return List.of(new PartitionInfo(topic, 0, Node.noNode(), new Node[0], new Node[0]));
    }

    public Map<TopicPartition, Long> beginningOffsets(Collection<TopicPartition> partitions) {
        machine.call();
        var begins = new HashMap<TopicPartition, Long>();
        partitions.forEach(it -> begins.put(it, 0L));
        return begins;
    }

    public Map<TopicPartition, Long> endOffsets(Collection<TopicPartition> partitions) {
        machine.call();
        return ends(partitions);
    }

    private Map<TopicPartition, Long> ends(Collection<TopicPartition> partitions) {
        var ends = new HashMap<TopicPartition, Long>();
        partitions.forEach(it -> ends.put(it, machine.log().end(it.topic())));
        return ends;
    }

    public Map<TopicPartition, Long> endOffsets(
            Collection<TopicPartition> partitions, Duration limit) {
        machine.callInTime();
        return ends(partitions);
    }

    /// Of topics that are not read by all nobody has any.
    public Map<String, List<PartitionInfo>> listTopics(Duration limit) {
        machine.callInTime();
        return Map.of();
    }

    /// Some of what there is, of some of the partitions.
    public ConsumerRecords<byte[], byte[]> poll(Duration timeout) {
        machine.call();
        machine.polled();
        var read = new LinkedHashMap<TopicPartition, List<ConsumerRecord<byte[], byte[]>>>();
        boolean partly = machine.random().nextInt(4) == 0;
        for (var entry : positions.entrySet()) {
            TopicPartition partition = entry.getKey();
            if (machine.cutOff()
                    || paused.contains(partition)
                    || (partly && machine.random().nextInt(3) == 0)) {
                continue;
            }
            List<Message> there = machine.log().read(partition.topic(), entry.getValue());
            int some = partly ? machine.random().nextInt(there.size() + 1) : there.size();
            if (some > 0) {
                read.put(partition, there.subList(0, some).stream().map(Message::record).toList());
                entry.setValue(there.get(some - 1).offset() + 1);
            }
            if (some == there.size() && !(partly && machine.random().nextBoolean())) {
                // The marks after the last record are read with it, or with the next ones.
                entry.setValue(machine.log().end(partition.topic()));
            }
        }
        return new ConsumerRecords<>(read, Map.of());
    }

    public void close() {}

    public void close(CloseOptions options) {}
}
