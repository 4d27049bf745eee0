package io.berth.simulation;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.admin.CreateTopicsResult;
import org.apache.kafka.clients.admin.DescribeTopicsResult;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.ListOffsetsResult;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.TopicPartitionInfo;
import org.apache.kafka.common.Uuid;

/// A client that asks the simulated brokers.
final class SimulatedAdmin {

    private final SimulatedClients machine;

    SimulatedAdmin(SimulatedClients machine) {
        this.machine = machine;
    }

    public ListOffsetsResult listOffsets(
            Map<TopicPartition, OffsetSpec> asked, ListOffsetsOptions options) {
        machine.call();
        var found = new HashMap<TopicPartition, KafkaFuture<ListOffsetsResultInfo>>();
        asked.forEach((partition, spec) ->
                found.put(
                        partition,
                        answer(
                                new ListOffsetsResultInfo(
                                        spec instanceof OffsetSpec.EarliestSpec
                                                ? 0
                                                : machine.log().end(partition.topic()),
                                        -1,
                                        Optional.empty()))));
        return new ListOffsetsResult(found);
    }

    /// All are there.
    public CreateTopicsResult createTopics(Collection<NewTopic> topics) {
        machine.call();
        return new Created();
    }

    public DescribeTopicsResult describeTopics(Collection<String> names) {
        machine.call();
        var found = new HashMap<String, KafkaFuture<TopicDescription>>();
        for (String name : names) {
            var one = new TopicPartitionInfo(0, null, List.of(), List.of());
            found.put(
                    name,
                    answer(new TopicDescription(name, false, List.of(one), null, Uuid.ONE_UUID)));
        }
        return new Descriptions(found);
    }

    private static <T> KafkaFuture<T> answer(T it) {
        return KafkaFuture.completedFuture(it);
    }

    public void close() {}

    public void close(Duration limit) {}

    private static final class Created extends CreateTopicsResult {
        Created() {
            super(Map.of());
        }
    }

    private static final class Descriptions extends DescribeTopicsResult {
        Descriptions(Map<String, KafkaFuture<TopicDescription>> found) {
            super(null, found);
        }
    }
}
