package io.berth.log;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.config.ConfigResource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

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
            for (Topic<?> topic : Topics.all()) {
                assertThat(settings(admin, topic)).containsAllEntriesOf(topic.settings());
            }
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
        return topic.settings().keySet().stream()
                .collect(Collectors.toMap(name -> name, name -> config.get(name).value()));
    }
}
