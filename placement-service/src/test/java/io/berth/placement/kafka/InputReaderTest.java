package io.berth.placement.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.berth.contracts.config.ConfigurationAssembler;
import io.berth.contracts.topic.Topic;
import io.berth.placement.kafka.InputReader.Read;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Of every topic that decisions are made from, what no service wrote and what a newer one wrote.
final class InputReaderTest {

    private static final CellLog LOG = new CellLog(0, 2);

    private final MockConsumer<byte[], byte[]> consumer = new MockConsumer<>("none");
    private final InputReader reader =
            new InputReader(LOG, consumer, Map.of(), new ConfigurationAssembler());

    private long written;

    @BeforeEach
    void assign() {
        consumer.assign(LOG.inputs());
        LOG.inputs().forEach(it -> consumer.seek(it, 0));
    }

    static List<Topic<?>> inputs() {
        return CellLog.INPUTS;
    }

    @ParameterizedTest
    @MethodSource("inputs")
    void what_no_version_can_read_is_poisonous_and_names_its_place(Topic<?> topic) {
        String known = topic.name() + "/" + eventOf(topic).getSimpleName();
        wait(topic, known, "{");
        wait(topic, known, "null");
        wait(topic, "berth.dead-letters.v1/DeadLetter", "{}");
        wait(topic, null, "{}");
        wait(topic, known, null);

        reader.fetch(Duration.ZERO);

        for (int offset = 0; offset < 4; offset++) {
            Read read = reader.next().orElseThrow();
            assertThat(read).isInstanceOf(Read.Poisonous.class);
            assertThat(((Read.Poisonous) read).letter().position())
                    .isEqualTo(topic.name() + "/0/" + offset);
        }
        assertThat(reader.next()).isEmpty();
        assertThat(reader.positions())
                .filteredOn(it -> it.topic().equals(topic.name()))
                .allMatch(it -> it.offset() == 5);
    }

    @ParameterizedTest
    @MethodSource("inputs")
    void an_event_that_only_a_newer_version_knows_is_not_passed(Topic<?> topic) {
        wait(topic, topic.name() + "/Teleported", "{}");

        reader.fetch(Duration.ZERO);

        assertThatThrownBy(reader::next)
                .isInstanceOf(Fatal.class)
                .hasMessageContaining("Teleported")
                .hasMessageContaining("a newer service wrote it");
    }

    private void wait(Topic<?> topic, @Nullable String type, @Nullable String value) {
        var record =
                new ConsumerRecord<byte[], byte[]>(
                        topic.name(), 0, written++, bytes("1"), bytes(value));
        if (type != null) {
            record.headers().add("ce_type", bytes(type));
        }
        consumer.addRecord(record);
    }

    private static byte @Nullable [] bytes(@Nullable String text) {
        return text == null ? null : text.getBytes(StandardCharsets.UTF_8);
    }

    private static Class<?> eventOf(Topic<?> topic) {
        Class<?>[] events = topic.events().getPermittedSubclasses();
        return events == null ? topic.events() : events[0];
    }
}
