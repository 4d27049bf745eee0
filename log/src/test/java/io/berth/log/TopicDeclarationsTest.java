package io.berth.log;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.berth.contracts.topic.Topic;
import io.berth.contracts.topic.Topic.Cleanup;
import io.berth.contracts.topic.Topics;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.config.ConfigResource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

@ExtendWith(SharedBroker.class)
final class TopicDeclarationsTest {
    private static final TopicDeclarations TWO_CELLS = new TopicDeclarations(2, 8, (short) 1);

    @Test
    void every_declared_topic_is_one_that_the_broker_takes(KafkaConnection kafka) throws Exception {
        try (var admin = kafka.admin()) {
            TWO_CELLS.create(admin, Topics.all());

            var created = TopicDeclarations.await(admin, Topics.all());

            assertThat(created).hasSameSizeAs(Topics.all());
            assertThat(partitions(created, Topics.JOBS)).isEqualTo(2);
            assertThat(partitions(created, Topics.PLACEMENTS)).isEqualTo(8);
            assertThat(partitions(created, Topics.CONFIG)).isEqualTo(1);
        }
    }

    @Test
    void the_broker_stamps_what_it_appends_and_flushes_each_record(KafkaConnection kafka)
            throws Exception {
        try (var admin = kafka.admin()) {
            TWO_CELLS.create(admin, Topics.all());

            for (Topic<?> topic : Topics.all()) {
                assertThat(settings(admin, topic))
                        .as(topic.name())
                        .containsEntry("message.timestamp.type", "LogAppendTime")
                        .containsEntry("flush.messages", "1");
            }
        }
    }

    static List<Arguments> kept() {
        Map<String, String> aWeek = deletedAfter("604800000");
        Map<String, String> compacted =
                Map.of(
                        "cleanup.policy",
                        "compact",
                        "max.compaction.lag.ms",
                        "600000",
                        "min.cleanable.dirty.ratio",
                        "0.1",
                        "delete.retention.ms",
                        "86400000");
        return List.of(
                arguments(Topics.SUBMISSIONS, aWeek),
                arguments(Topics.PLACEMENTS, aWeek),
                arguments(Topics.RUNS, aWeek),
                arguments(Topics.ROUNDS, aWeek),
                arguments(Topics.JOBS, deletedAfter("2592000000")),
                arguments(Topics.HEARTBEATS, deletedAfter("3600000")),
                arguments(Topics.SPECS, compacted),
                arguments(Topics.SPECS, Map.of("max.message.bytes", "8388608")),
                arguments(Topics.CONFIG, compacted),
                arguments(Topics.NODES, compacted),
                arguments(Topics.RANKINGS, compacted),
                arguments(Topics.JOB_STATES, compacted),
                arguments(Topics.NODE_STATES, compacted),
                arguments(Topics.CELL_STATES, compacted));
    }

    private static Map<String, String> deletedAfter(String millis) {
        return Map.of("cleanup.policy", "delete", "retention.ms", millis);
    }

    @ParameterizedTest
    @MethodSource("kept")
    void what_a_topic_keeps_and_for_how_long(
            Topic<?> topic, Map<String, String> settings, KafkaConnection kafka) throws Exception {
        try (var admin = kafka.admin()) {
            TWO_CELLS.create(admin, Topics.all());

            assertThat(settings(admin, topic)).containsAllEntriesOf(settings);
        }
    }

    @Test
    void creating_twice_changes_nothing(KafkaConnection kafka) {
        var topic = SharedBroker.topic(Cleanup.COMPACT);
        try (var admin = kafka.admin()) {
            TWO_CELLS.create(admin, List.of(topic));

            TWO_CELLS.create(admin, List.of(topic));

            assertThat(TopicDeclarations.await(admin, List.of(topic))).containsKey(topic.name());
        }
    }

    @Test
    void another_partition_count_is_refused_by_name(KafkaConnection kafka) {
        var topic = SharedBroker.topic(Cleanup.DELETE);
        try (var admin = kafka.admin()) {
            TWO_CELLS.create(admin, List.of(topic));

            assertThatThrownBy(() ->
                            new TopicDeclarations(3, 8, (short) 1).create(admin, List.of(topic)))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining(topic.name())
                    .hasMessageContaining("2 partitions, not the configured 3");
        }
    }

    @Test
    void a_reader_waits_until_the_writer_has_created_its_topic(KafkaConnection kafka)
            throws Exception {
        var topic = SharedBroker.topic(Cleanup.DELETE);
        try (var admin = kafka.admin()) {
            var reader =
                    CompletableFuture.supplyAsync(
                            () -> TopicDeclarations.await(admin, List.of(topic)));
            assertThat(reader).isNotDone();

            TWO_CELLS.create(admin, List.of(topic));

            assertThat(reader.get(10, TimeUnit.SECONDS)).containsKey(topic.name());
        }
    }

    private static int partitions(Map<String, TopicDescription> created, Topic<?> topic) {
        return requireNonNull(created.get(topic.name())).partitions().size();
    }

    private static Map<String, String> settings(Admin admin, Topic<?> topic) throws Exception {
        var resource = new ConfigResource(ConfigResource.Type.TOPIC, topic.name());
        Config config =
                requireNonNull(admin.describeConfigs(List.of(resource)).all().get().get(resource));
        return config.entries().stream()
                .filter(entry -> entry.value() != null)
                .collect(Collectors.toMap(ConfigEntry::name, ConfigEntry::value));
    }
}
