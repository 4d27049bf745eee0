package io.berth.log;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.berth.contracts.json.Json;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.junit.jupiter.api.Test;

/// What a native image has to be told of Kafka's clients: the classes of which they make objects by
/// their names.
final class ReachabilityTest {

    private static Set<String> made() throws IOException {
        var made = new TreeSet<String>();
        try (InputStream in =
                ReachabilityTest.class.getResourceAsStream(
                        "/META-INF/native-image/io.berth/log/reachability-metadata.json")) {
            for (JsonNode type :
                    Json.mapper().readTree(Objects.requireNonNull(in)).path("reflection")) {
                if (type.path("allDeclaredConstructors").asBoolean()) {
                    made.add(type.path("type").asText());
                }
            }
        }
        return made;
    }

    @Test
    void every_class_that_assigns_partitions_is_in_it() throws IOException {
        Object unless =
                ConsumerConfig.configDef()
                        .defaultValues()
                        .get(ConsumerConfig.PARTITION_ASSIGNMENT_STRATEGY_CONFIG);
        List<?> assignors = (List<?>) Objects.requireNonNull(unless);

        assertThat(made())
                .containsAll(
                        Stream.concat(
                                        assignors.stream().map(it -> ((Class<?>) it).getName()),
                                        Stream.of(CooperativeStickyAssignor.class.getName()))
                                .toList());
    }
}
