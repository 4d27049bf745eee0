package io.berth.slurm.session;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.berth.contracts.json.Json;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

final class UnixSignalTest {

    private static final Pattern NAME = Pattern.compile("sun\\.misc\\.\\w+");

    private static byte[] resource(String name) throws IOException {
        try (InputStream in = UnixSignal.class.getResourceAsStream(name)) {
            return Objects.requireNonNull(in, name).readAllBytes();
        }
    }

    @Test
    void a_signal_does_what_it_is_told_to() throws Exception {
        var came = new CountDownLatch(1);
        UnixSignal.handle("WINCH", came::countDown);

        new ProcessBuilder("kill", "-WINCH", Long.toString(ProcessHandle.current().pid()))
                .start()
                .waitFor();

        assertThat(came.await(20, TimeUnit.SECONDS)).isTrue();
    }

    /// What it looks up by name, and implements while it runs: a native image has to be told.
    @Test
    void a_native_image_is_told_of_all_that_it_looks_up() throws Exception {
        JsonNode told =
                Json.mapper()
                        .readTree(
                                resource(
                                        "/META-INF/native-image/io.berth/slurm/reachability-metadata.json"))
                        .path("reflection");
        Set<String> types = new TreeSet<>();
        Set<String> proxies = new TreeSet<>();
        for (JsonNode each : told) {
            JsonNode type = each.path("type");
            if (type.isTextual()) {
                types.add(type.asText());
            }
            type.path("proxy").forEach(it -> proxies.add(it.asText()));
            for (JsonNode method : each.path("methods")) {
                assertThat(has(Class.forName(type.asText()), method)).as("%s", method).isTrue();
            }
        }
        String compiled = new String(resource("UnixSignal.class"), StandardCharsets.ISO_8859_1);

        assertThat(types)
                .isEqualTo(
                        NAME.matcher(compiled)
                                .results()
                                .map(it -> it.group())
                                .collect(Collectors.toCollection(TreeSet::new)));
        assertThat(proxies).containsExactly("sun.misc.SignalHandler");
        assertThat(told.findValues("methods").getFirst().findValuesAsText("name"))
                .containsExactlyInAnyOrder("<init>", "handle");
    }

    private static boolean has(Class<?> type, JsonNode method) throws ReflectiveOperationException {
        Class<?>[] parameters = new Class<?>[method.path("parameterTypes").size()];
        for (int i = 0; i < parameters.length; i++) {
            parameters[i] = Class.forName(method.path("parameterTypes").path(i).asText());
        }
        return method.path("name").asText().equals("<init>")
                ? type.getConstructor(parameters) != null
                : type.getMethod(method.path("name").asText(), parameters) != null;
    }
}
