package io.berth.contracts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.contracts.SampleEvents.Sample;
import io.berth.contracts.json.EventCodec;
import io.berth.contracts.json.EventCodec.CorruptEvent;
import io.berth.contracts.json.EventCodec.UnknownEventType;
import io.berth.contracts.json.Json;
import io.berth.contracts.topic.Topic;
import io.berth.contracts.topic.Topics;
import java.io.IOException;
import java.lang.reflect.RecordComponent;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// The JSON of every event type stands in `golden/<topic>/<Event>.json`. What was once written must
/// be readable for ever: goldens are only ever added to (`-Dberth.write-goldens=true` writes those
/// that are not there).
final class GoldenEventsTest {
    private static final Path GOLDEN = Path.of("src/test/resources/golden");
    private static final String CORRUPT = "corrupt";

    static List<Sample<?>> samples() {
        return SampleEvents.all();
    }

    static Stream<Path> goldens() throws IOException {
        try (Stream<Path> files = Files.walk(GOLDEN)) {
            return files.filter(Files::isRegularFile).sorted().toList().stream();
        }
    }

    @Test
    void every_event_type_of_every_topic_has_a_golden() {
        var missing =
                topics().flatMap(GoldenEventsTest::eventFiles).filter(Files::notExists).toList();

        assertThat(missing).isEmpty();
    }

    @Test
    void every_event_type_of_every_topic_has_a_sample() {
        var sampled = samples().stream().map(GoldenEventsTest::file).toList();

        assertThat(sampled).containsAll(topics().flatMap(GoldenEventsTest::eventFiles).toList());
    }

    @ParameterizedTest
    @MethodSource("samples")
    void an_event_is_written_as_its_golden(Sample<?> sample) throws IOException {
        String written = written(sample);

        if (Boolean.getBoolean("berth.write-goldens") && Files.notExists(file(sample))) {
            Files.createDirectories(file(sample).getParent());
            Files.writeString(file(sample), written);
        }

        assertThat(file(sample)).exists().hasContent(written);
    }

    @ParameterizedTest
    @MethodSource("samples")
    void a_golden_is_read_as_its_event(Sample<?> sample) throws Exception {
        String event = sample.event().getClass().getSimpleName();

        Object read =
                new EventCodec<>(sample.topic())
                        .event(
                                sample.topic().name() + "/" + event,
                                Files.readAllBytes(file(sample)));

        assertThat(read).isEqualTo(sample.event());
    }

    /// A `null` in the place of a field is corrupt or read as no field is; in a list it is corrupt.
    @ParameterizedTest
    @MethodSource("samples")
    void a_null_is_no_value(Sample<?> sample) throws IOException {
        var codec = new EventCodec<>(sample.topic());
        String type = sample.topic().name() + "/" + sample.event().getClass().getSimpleName();
        JsonNode event = Json.mapper().readTree(Files.readAllBytes(file(sample)));

        for (JsonNode holder : holders(event)) {
            if (holder instanceof ObjectNode object) {
                for (String name :
                        List.copyOf(object.propertyStream().map(Map.Entry::getKey).toList())) {
                    JsonNode value = object.get(name);
                    object.putNull(name);
                    Object withNull = readOrCorrupt(codec, type, event);
                    object.remove(name);
                    Object without = readOrCorrupt(codec, type, event);
                    object.set(name, value);
                    assertThat(withNull).as("%s of %s null", name, type).isIn(CORRUPT, without);
                }
            } else if (holder instanceof ArrayNode array) {
                for (int i = 0; i < array.size(); i++) {
                    JsonNode value = array.get(i);
                    array.setNull(i);
                    assertThat(readOrCorrupt(codec, type, event))
                            .as("%s with null in %s", type, array)
                            .isEqualTo(CORRUPT);
                    array.set(i, value);
                }
            }
        }
    }

    private static Object readOrCorrupt(EventCodec<?> codec, String type, JsonNode event)
            throws IOException {
        try {
            return codec.event(type, Json.mapper().writeValueAsBytes(event));
        } catch (CorruptEvent e) {
            return CORRUPT;
        } catch (UnknownEventType e) {
            throw new IllegalStateException(e);
        }
    }

    /// All objects and lists in a value.
    private static List<JsonNode> holders(JsonNode value) {
        return Stream.concat(
                        Stream.of(value), value.valueStream().flatMap(it -> holders(it).stream()))
                .filter(JsonNode::isContainerNode)
                .toList();
    }

    @ParameterizedTest
    @MethodSource("goldens")
    void whatever_was_once_golden_can_be_read(Path golden) throws Exception {
        String topicName = golden.getName(golden.getNameCount() - 2).toString();
        Topic<?> topic =
                topics().filter(it -> it.name().equals(topicName)).findFirst().orElseThrow();
        String event = golden.getFileName().toString().replaceFirst("\\..*", "");

        byte[] value = Files.readAllBytes(golden);

        Object read = new EventCodec<>(topic).event(topicName + "/" + event, value);
        Object strictly = EventCodec.strict(topic).event(topicName + "/" + event, value);

        assertThat(read).isInstanceOf(topic.events()).isEqualTo(strictly);
    }

    /// In each object of an event; the keys of a map are no fields.
    @ParameterizedTest
    @MethodSource("samples")
    void a_field_that_others_ignore_is_unknown_to_a_strict_reader(Sample<?> sample)
            throws Exception {
        var lenient = new EventCodec<>(sample.topic());
        var strict = EventCodec.strict(sample.topic());
        String type = sample.topic().name() + "/" + sample.event().getClass().getSimpleName();
        JsonNode event = Json.mapper().readTree(Files.readAllBytes(file(sample)));

        for (JsonNode holder : holders(event)) {
            if (holder instanceof ObjectNode object) {
                object.put("tomorrow", 1);
                byte[] value = Json.mapper().writeValueAsBytes(event);
                if (sample.event().equals(readOrCorrupt(lenient, type, event))) {
                    assertThatThrownBy(() -> strict.event(type, value))
                            .isInstanceOf(UnknownEventType.class)
                            .hasMessageContaining("tomorrow");
                }
                object.remove("tomorrow");
            }
        }
        assertThat(strict.event(type, Json.mapper().writeValueAsBytes(event)))
                .isEqualTo(sample.event());
    }

    @Test
    void a_word_of_tomorrow_is_unknown_to_a_strict_reader() throws IOException {
        var strict = EventCodec.strict(Topics.JOB_STATES);
        String status =
                Files.readString(GOLDEN.resolve(Topics.JOB_STATES.name(), "JobStatus.json"));
        String tomorrow = status.replaceFirst("\"state\":\"\\w+\"", "\"state\":\"DREAMING\"");

        assertThatThrownBy(() ->
                        strict.event(
                                Topics.JOB_STATES.name() + "/JobStatus",
                                tomorrow.getBytes(StandardCharsets.UTF_8)))
                .isInstanceOf(UnknownEventType.class)
                .hasMessageContaining("with state");
    }

    @Test
    void some_sample_of_every_event_type_sets_each_of_its_fields() {
        var unset = new TreeSet<String>();
        for (Sample<?> sample : samples()) {
            for (RecordComponent component : sample.event().getClass().getRecordComponents()) {
                if (samples().stream().noneMatch(other -> sets(component, other.event()))) {
                    unset.add(sample.topic().name() + " " + component);
                }
            }
        }

        assertThat(unset).isEmpty();
    }

    private static boolean sets(RecordComponent component, Object event) {
        return component.getDeclaringRecord().isInstance(event)
                && valueOf(component, event) != null;
    }

    private static @Nullable Object valueOf(RecordComponent component, Object record) {
        try {
            return component.getAccessor().invoke(record);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("cannot read " + component, e);
        }
    }

    private static Stream<Topic<?>> topics() {
        return Stream.concat(Topics.all().stream(), Stream.of(SampleEvents.DEAD_LETTERS));
    }

    private static Stream<Path> eventFiles(Topic<?> topic) {
        Class<?>[] permitted = topic.events().getPermittedSubclasses();
        return Stream.of(permitted == null ? new Class<?>[] {topic.events()} : permitted)
                .map(event -> GOLDEN.resolve(topic.name(), event.getSimpleName() + ".json"));
    }

    private static <E> Path file(Sample<E> sample) {
        return GOLDEN.resolve(sample.topic().name(), sample.name() + ".json");
    }

    private static <E> String written(Sample<E> sample) {
        byte[] value = new EventCodec<>(sample.topic()).value(sample.event());
        return new String(value, StandardCharsets.UTF_8);
    }
}
