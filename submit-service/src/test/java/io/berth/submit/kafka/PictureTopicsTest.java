package io.berth.submit.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.berth.contracts.DeadLetter;
import io.berth.contracts.event.NodeStatus;
import io.berth.contracts.topic.Topic;
import io.berth.contracts.topic.Topics;
import io.berth.log.EventWriter;
import io.berth.log.Events;
import io.berth.submit.Picture;
import io.berth.submit.Samples;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Of every topic that the gateway reads, what no service wrote and what a newer one wrote.
final class PictureTopicsTest {

    private static final Topic<DeadLetter> LETTERS = Topics.deadLetters(PictureTopics.SERVICE);

    private final MockProducer<byte[], byte[]> letters =
            new MockProducer<>(true, null, new ByteArraySerializer(), new ByteArraySerializer());
    private final Picture picture = new Picture(List.of());
    private final PictureTopics topics =
            new PictureTopics(picture, new DeadLetters(new EventWriter(() -> letters)));

    static Stream<Topic<?>> read() {
        return Stream.concat(
                Stream.of(Topics.SUBMISSIONS, Topics.TRIGGERS), PictureTopics.OF_OTHERS.stream());
    }

    @ParameterizedTest
    @MethodSource("read")
    void what_no_version_can_read_is_left_in_the_dead_letters(Topic<?> topic) {
        String known = topic.name() + "/" + eventOf(topic).getSimpleName();

        topics.handle(record(topic, 1, "7", known, "{"));
        topics.handle(record(topic, 2, "7", known, "null"));
        topics.handle(record(topic, 3, "7", "berth.runs.v2/Ended", "{}"));
        topics.handle(record(topic, 4, null, null, "{}"));

        assertThat(letters.history())
                .extracting(it -> new String(it.key(), StandardCharsets.UTF_8))
                .containsExactly(
                        topic.name() + "/0/1",
                        topic.name() + "/0/2",
                        topic.name() + "/0/3",
                        topic.name() + "/0/4");
        assertThat(letters.history()).allMatch(it -> it.topic().equals(LETTERS.name()));
        assertThat(picture.whole()).isEqualTo(!topic.equals(Topics.JOB_STATES));
    }

    @ParameterizedTest
    @MethodSource("read")
    void what_only_a_newer_version_knows_and_what_says_nothing_are_passed(Topic<?> topic) {
        assertThatCode(
                        () -> {
                            topics.handle(
                                    record(topic, 1, "7", topic.name() + "/Teleported", "{}"));
                            topics.handle(record(topic, 2, null, null, null));
                            topics.handle(record(topic, 3, "7", null, null));
                        })
                .doesNotThrowAnyException();

        assertThat(letters.history()).isEmpty();
    }

    @Test
    void a_tombstone_of_no_job_is_left_in_the_dead_letters() {
        topics.handle(record(Topics.JOB_STATES, 9, "nobody", null, null));

        assertThat(letters.history()).hasSize(1);
    }

    @Test
    void the_record_after_a_corrupt_one_shows() {
        NodeStatus status = Samples.nodeStatus(Samples.DGX, NodeStatus.Presence.UP);
        byte[] value = new Events<>(Topics.NODE_STATES, "test").record(0, status, "test").value();
        String type = Topics.NODE_STATES.name() + "/NodeStatus";

        topics.handle(record(Topics.NODE_STATES, 1, "dgx-01", type, "{"));
        topics.handle(
                record(
                        Topics.NODE_STATES,
                        2,
                        "dgx-01",
                        type,
                        new String(value, StandardCharsets.UTF_8)));

        assertThat(picture.nodeStatus(Samples.DGX.node())).isEqualTo(status);
    }

    private static ConsumerRecord<byte[], byte[]> record(
            Topic<?> topic,
            long offset,
            @Nullable String key,
            @Nullable String type,
            @Nullable String value) {
        var record =
                new ConsumerRecord<byte[], byte[]>(
                        topic.name(), 0, offset, bytes(key), bytes(value));
        if (type != null) {
            record.headers().add("ce_type", bytes(type));
        }
        return record;
    }

    private static byte @Nullable [] bytes(@Nullable String text) {
        return text == null ? null : text.getBytes(StandardCharsets.UTF_8);
    }

    private static Class<?> eventOf(Topic<?> topic) {
        Class<?>[] events = topic.events().getPermittedSubclasses();
        return events == null ? topic.events() : events[0];
    }
}
