package io.berth.placement.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.berth.contracts.NodeName;
import io.berth.contracts.event.Heartbeat;
import io.berth.contracts.topic.Topics;
import io.berth.log.Events;
import io.berth.log.SigningKey;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class HeartbeatReaderTest {

    private static final TopicPartition HEARTBEATS =
            new TopicPartition(Topics.HEARTBEATS.name(), 0);

    private final MockConsumer<byte[], byte[]> consumer = new MockConsumer<>("none");
    private long written;

    @Test
    void a_heartbeat_that_cannot_be_read_is_none_and_the_next_one_is_heard() {
        consumer.updateEndOffsets(Map.of(HEARTBEATS, 0L));
        var reader = new HeartbeatReader(consumer, new CellLog(0, 8));
        String known = Topics.HEARTBEATS.name() + "/Heartbeat";
        heard(known, "{".getBytes(UTF_8));
        heard(known, "null".getBytes(UTF_8));
        heard(Topics.HEARTBEATS.name() + "/Teleported", "{}".getBytes(UTF_8));
        heard("berth.runs.v2/Ended", "{}".getBytes(UTF_8));
        heard(known, beat("n1"));

        assertThat(reader.poll(Duration.ZERO, Map.of()))
                .containsExactly(Map.entry(new NodeName("n1"), 1L));
    }

    @Test
    void a_node_with_a_key_is_heard_only_by_what_that_has_signed(@TempDir Path folder)
            throws IOException {
        consumer.updateEndOffsets(Map.of(HEARTBEATS, 0L));
        var reader = new HeartbeatReader(consumer, new CellLog(0, 8));
        SigningKey own = SigningKey.of(folder.resolve("own"));
        SigningKey other = SigningKey.of(folder.resolve("other"));
        heard(record("n1"));
        heard(signed(record("n1"), other));
        heard(signed(record("n2"), own));
        heard(record("n3"));

        var heard =
                reader.poll(
                        Duration.ZERO,
                        Map.of(
                                new NodeName("n1"), own.open(),
                                new NodeName("n2"), own.open()));

        assertThat(heard).containsOnlyKeys(new NodeName("n2"), new NodeName("n3"));
    }

    private static ProducerRecord<byte[], byte[]> record(String node) {
        var beat = new Heartbeat(new NodeName(node), 1, 0, List.of(), 0, 0, List.of(), List.of());
        return new Events<>(Topics.HEARTBEATS, "test").record(0, beat, "test");
    }

    private static ProducerRecord<byte[], byte[]> signed(
            ProducerRecord<byte[], byte[]> record, SigningKey key) {
        key.sign(List.of(record));
        return record;
    }

    private void heard(ProducerRecord<byte[], byte[]> beat) {
        var record =
                new ConsumerRecord<>(HEARTBEATS.topic(), 0, written++, beat.key(), beat.value());
        beat.headers().forEach(record.headers()::add);
        consumer.addRecord(record);
    }

    private static byte[] beat(String node) {
        return record(node).value();
    }

    private void heard(String type, byte[] value) {
        var record =
                new ConsumerRecord<>(HEARTBEATS.topic(), 0, written++, new byte[] {'n'}, value);
        record.headers().add("ce_type", type.getBytes(UTF_8));
        consumer.addRecord(record);
    }
}
