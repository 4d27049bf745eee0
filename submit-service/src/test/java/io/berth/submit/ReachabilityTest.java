package io.berth.submit;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.berth.contracts.json.Json;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Modifier;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Properties;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// What a native image has to be told of this service, and what it does not take.
final class ReachabilityTest {

    private static final String FOLDER = "/META-INF/native-image/io.berth/submit-service/";
    private static final Path CLASSES = Path.of("target/classes");

    private static InputStream file(String name) {
        return Objects.requireNonNull(
                ReachabilityTest.class.getResourceAsStream(FOLDER + name), name);
    }

    private static List<Path> files(String suffix) throws IOException {
        try (Stream<Path> all = Files.walk(CLASSES.resolve("io/berth"))) {
            return all.filter(it -> it.toString().endsWith(suffix))
                    .map(CLASSES::relativize)
                    .toList();
        }
    }

    private static Class<?> load(Path file) {
        String path = file.toString();
        String name = path.substring(0, path.length() - ".class".length()).replace('/', '.');
        try {
            return Class.forName(name, false, ReachabilityTest.class.getClassLoader());
        } catch (ClassNotFoundException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void every_document_that_is_served_is_in_it() throws IOException {
        JsonNode metadata;
        try (InputStream in = file("reachability-metadata.json")) {
            metadata = Json.mapper().readTree(in);
        }
        var documents = new ArrayList<>(files(".json"));
        documents.addAll(files(".yaml"));

        assertThat(documents).hasSizeGreaterThan(2);
        assertThat(documents)
                .allMatch(document ->
                        metadata.path("resources").findValuesAsText("glob").stream()
                                .anyMatch(glob ->
                                        FileSystems.getDefault()
                                                .getPathMatcher("glob:" + glob)
                                                .matches(document)));
    }

    /// Static fields are what they were when the executable was built, but for classes that it is
    /// told of.
    @Test
    void nothing_that_belongs_to_a_process_is_in_a_static_field() throws IOException {
        var settings = new Properties();
        try (InputStream in = file("native-image.properties")) {
            settings.load(in);
        }
        String atRunTime = settings.getProperty("Args");

        assertThat(files(".class"))
                .map(ReachabilityTest::load)
                .flatExtracting(it -> Arrays.asList(it.getDeclaredFields()))
                .filteredOn(it -> Modifier.isStatic(it.getModifiers()))
                .filteredOn(it ->
                        Random.class.isAssignableFrom(it.getType())
                                || Buffer.class.isAssignableFrom(it.getType()))
                .allMatch(it -> atRunTime.endsWith("=" + it.getDeclaringClass().getName()));
    }
}
