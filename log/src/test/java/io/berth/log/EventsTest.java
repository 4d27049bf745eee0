package io.berth.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.berth.contracts.event.JobEvent;
import io.berth.contracts.json.EventCodec.CorruptEvent;
import io.berth.contracts.json.EventCodec.UnknownEventType;
import io.berth.contracts.topic.Topics;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@ExtendWith(SharedBroker.class)
final class EventsTest {
    private static final byte[] EMPTY_OBJECT = "{}".getBytes(StandardCharsets.UTF_8);

    private final Events<JobEvent> jobs = new Events<>(Topics.JOBS, "placement-service");

    @Test
    void an_event_comes_back_from_the_broker_as_it_was_written(KafkaConnection kafka)
            throws Exception {
        var topic = SharedBroker.createdTopic(kafka);
        var events = new Events<>(topic, "test");
        var queued = SharedBroker.queued(17);
        try (var writer = new EventWriter(kafka::producer);
                var consumer = kafka.consumer()) {
            writer.write(events.record(0, queued, "queued/17")).get();
            var read = new ArrayList<ConsumerRecord<byte[], byte[]>>();

            LogReader.readAll(consumer, List.of(new TopicPartition(topic.name(), 0)), read::add);

            assertThat(events.event(read.getFirst())).isEqualTo(queued);
            assertThat(read.getFirst().key()).asString(StandardCharsets.UTF_8).isEqualTo("17");
        }
    }

    @Test
    void a_record_carries_the_attributes_of_a_cloud_event() {
        var record = jobs.record(0, SharedBroker.started(17), "round/900/17");

        var headers = new LinkedHashMap<String, String>();
        record.headers()
                .forEach(it ->
                        headers.put(it.key(), new String(it.value(), StandardCharsets.UTF_8)));
        assertThat(headers)
                .isEqualTo(
                        Map.of(
                                "ce_specversion", "1.0",
                                "ce_id", "round/900/17",
                                "ce_source", "/berth/placement-service",
                                "ce_type", "berth.jobs.v1/Started",
                                "ce_subject", "17",
                                "content-type", "application/json"));
    }

    @Test
    void a_type_of_a_newer_writer_is_told_apart_from_a_corrupt_value() {
        var record = record(EMPTY_OBJECT, "berth.jobs.v1/Vanished");

        assertThatThrownBy(() -> jobs.event(record))
                .isInstanceOf(UnknownEventType.class)
                .hasMessageContaining("Vanished");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "Started", "berth.runs.v1/Started", "berth.jobs.v2/Started"})
    void a_type_of_no_version_of_the_topic_is_corrupt(String type) {
        var record = record(EMPTY_OBJECT, type);

        assertThatThrownBy(() -> jobs.event(record))
                .isInstanceOf(CorruptEvent.class)
                .hasMessage(type + " is no event type of berth.jobs.v1");
    }

    @Test
    void a_record_without_a_type_is_corrupt() {
        var record = new ConsumerRecord<byte[], byte[]>("t", 0, 0, new byte[0], EMPTY_OBJECT);

        assertThatThrownBy(() -> jobs.event(record)).isInstanceOf(CorruptEvent.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "{", "{}", "null", "[]", "17", "\"\"", "\u0000\u0001"})
    void a_value_that_is_not_its_types_json_is_corrupt(String value) {
        var record = record(value.getBytes(StandardCharsets.UTF_8), "berth.jobs.v1/Started");

        assertThatThrownBy(() -> jobs.event(record)).isInstanceOf(CorruptEvent.class);
    }

    @Test
    void a_record_without_a_value_is_corrupt_where_an_event_must_be() {
        var record = record(null, "berth.jobs.v1/Started");

        assertThatThrownBy(() -> jobs.event(record)).isInstanceOf(CorruptEvent.class);
    }

    private static ConsumerRecord<byte[], byte[]> record(byte @Nullable [] value, String type) {
        var record = new ConsumerRecord<byte[], byte[]>("t", 0, 0, new byte[0], value);
        record.headers().add("ce_type", type.getBytes(StandardCharsets.UTF_8));
        return record;
    }
}
