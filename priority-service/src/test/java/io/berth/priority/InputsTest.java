package io.berth.priority;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.contracts.DeadLetter;
import io.berth.contracts.topic.Topic;
import io.berth.contracts.topic.Topics;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Of every topic that ranks are made of, what no service wrote and what a newer one wrote.
final class InputsTest {

    private final Inputs inputs = new Inputs(new Rankings(), new Shares());

    static List<Topic<?>> read() {
        return List.of(
                Topics.SUBMISSIONS,
                Topics.CELL_STATES,
                Topics.JOB_STATES,
                Topics.NODE_STATES,
                Topics.CONFIG,
                Topics.SHARES,
                Topics.RANKINGS,
                Topics.FAIR_SHARES);
    }

    @ParameterizedTest
    @MethodSource("read")
    void what_no_version_can_read_is_kept_aside_once(Topic<?> topic) {
        String known = topic.name() + "/" + eventOf(topic).getSimpleName();

        inputs.handle(record(topic, 1, known, "{"));
        inputs.handle(record(topic, 2, known, "null"));
        inputs.handle(record(topic, 3, "berth.runs.v2/Ended", "{}"));
        inputs.handle(record(topic, 4, null, "{}"));

        assertThat(inputs.deadLetters())
                .extracting(DeadLetter::position)
                .containsExactly(
                        topic.name() + "/0/1",
                        topic.name() + "/0/2",
                        topic.name() + "/0/3",
                        topic.name() + "/0/4");
        assertThat(inputs.deadLetters()).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("read")
    void what_only_a_newer_version_knows_is_skipped(Topic<?> topic) {
        inputs.handle(record(topic, 1, topic.name() + "/Teleported", "{}"));

        assertThat(inputs.deadLetters()).isEmpty();
    }

    private static ConsumerRecord<byte[], byte[]> record(
            Topic<?> topic, long offset, @Nullable String type, String value) {
        var record =
                new ConsumerRecord<byte[], byte[]>(
                        topic.name(),
                        0,
                        offset,
                        "7".getBytes(StandardCharsets.UTF_8),
                        value.getBytes(StandardCharsets.UTF_8));
        if (type != null) {
            record.headers().add("ce_type", type.getBytes(StandardCharsets.UTF_8));
        }
        return record;
    }

    private static Class<?> eventOf(Topic<?> topic) {
        Class<?>[] events = topic.events().getPermittedSubclasses();
        return events == null ? topic.events() : events[0];
    }
}
