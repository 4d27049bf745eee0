package io.berth.simulator.replay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.berth.contracts.topic.Topic;
import io.berth.contracts.topic.Topics;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/// Of both topics that are read, what placement wrote, what nobody can read and what a newer
/// version wrote.
final class KafkaCellTest {

    private static final Map<Topic<?>, String> GOOD =
            Map.of(
                    Topics.ROUNDS,
                    "{\"cell\":3,\"round\":1,\"at\":1,\"inputs\":0,\"backfill\":\"OFF\",\"depth\":0,\"version\":\"1\",\"digest\":\"0\"}",
                    Topics.SNAPSHOTS,
                    "{\"cell\":3,\"round\":1,\"at\":1,\"parts\":0,\"highestJob\":0}");

    private final MockConsumer<byte[], byte[]> consumer = new MockConsumer<>("none");
    private final KafkaCell cell = new KafkaCell(() -> consumer, 3);
    private final List<Object> seen = new ArrayList<>();

    static Stream<Topic<?>> topics() {
        return Stream.of(Topics.ROUNDS, Topics.SNAPSHOTS);
    }

    static Stream<Arguments> whatNobodyCanRead() {
        return topics().flatMap(topic ->
                Stream.of(
                        Arguments.of(topic, end(topic), "{"),
                        Arguments.of(topic, end(topic), "{\"cell\":\n\"many\"}"),
                        Arguments.of(topic, end(topic), "{}"),
                        Arguments.of(topic, part(topic), "{}"),
                        Arguments.of(topic, end(topic), "null"),
                        Arguments.of(topic, end(topic), null),
                        Arguments.of(topic, "berth.runs.v1/Ended", "{}"),
                        Arguments.of(topic, null, "{}")));
    }

    @ParameterizedTest
    @MethodSource("whatNobodyCanRead")
    void what_nobody_can_read_ends_the_reading_in_a_line_that_names_its_place(
            Topic<?> topic, @Nullable String type, @Nullable String value) {
        wait(
                topic,
                List.of(
                        record(topic, 0, end(topic), GOOD.get(topic)),
                        record(topic, 1, type, value)));

        assertThatThrownBy(() -> read(topic))
                .isInstanceOf(KafkaException.class)
                .hasMessageStartingWith(topic.name() + "/3/1: ")
                .message()
                .doesNotContain("\n");
        assertThat(seen).hasSize(1);
    }

    @ParameterizedTest
    @MethodSource("topics")
    void what_only_a_newer_version_knows_ends_the_reading_in_a_line_that_names_its_place(
            Topic<?> topic) {
        wait(topic, List.of(record(topic, 0, topic.name() + "/Teleported", "{}")));

        assertThatThrownBy(() -> read(topic))
                .isInstanceOf(KafkaException.class)
                .hasMessage("%s/3/0: %1$s has no event type '%1$s/Teleported'", topic.name());
    }

    private static String end(Topic<?> topic) {
        return topic.name() + (topic.equals(Topics.ROUNDS) ? "/Decided" : "/Complete");
    }

    private static String part(Topic<?> topic) {
        return topic.name() + (topic.equals(Topics.ROUNDS) ? "/Took" : "/Held");
    }

    private void read(Topic<?> topic) {
        if (topic.equals(Topics.ROUNDS)) {
            cell.rounds(seen::add);
        } else {
            cell.snapshots(seen::add);
        }
    }

    private void wait(Topic<?> topic, List<ConsumerRecord<byte[], byte[]>> records) {
        var partition = new TopicPartition(topic.name(), 3);
        consumer.updatePartitions(
                topic.name(),
                List.of(
                        new PartitionInfo(
                                topic.name(), 3, Node.noNode(), new Node[0], new Node[0])));
        consumer.updateBeginningOffsets(Map.of(partition, 0L));
        consumer.updateEndOffsets(Map.of(partition, (long) records.size()));
        consumer.schedulePollTask(() -> records.forEach(consumer::addRecord));
    }

    private static ConsumerRecord<byte[], byte[]> record(
            Topic<?> topic, long offset, @Nullable String type, @Nullable String value) {
        var record =
                new ConsumerRecord<byte[], byte[]>(
                        topic.name(), 3, offset, bytes("3"), bytes(value));
        if (type != null) {
            record.headers().add("ce_type", bytes(type));
        }
        return record;
    }

    private static byte @Nullable [] bytes(@Nullable String text) {
        return text == null ? null : text.getBytes(StandardCharsets.UTF_8);
    }
}
