package io.berth.standalone.mesh;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class LeashTest {

    static Stream<Leash> leashes() {
        return Stream.of(Leash.here(), Leash.PIPE).distinct();
    }

    @ParameterizedTest
    @MethodSource("leashes")
    void a_child_ends_with_its_parent_even_if_that_is_killed(Leash leash) throws IOException {
        Process parent =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "-XX:TieredStopAtLevel=1",
                                "-cp",
                                System.getProperty("java.class.path"),
                                Parent.class.getName(),
                                leash.equals(Leash.PIPE) ? "pipe" : "here")
                        .redirectError(ProcessBuilder.Redirect.INHERIT)
                        .start();
        ProcessHandle child = ProcessHandle.of(Long.parseLong(firstLine(parent))).orElseThrow();
        assertThat(child.isAlive()).isTrue();

        parent.destroyForcibly();

        await().until(() -> !child.isAlive());
    }

    @ParameterizedTest
    @MethodSource("leashes")
    void the_child_has_the_process_id_that_the_parent_sees(Leash leash) throws IOException {
        Process child = leash.bind(List.of("sh", "-c", "echo $$")).start();

        assertThat(firstLine(child)).isEqualTo(Long.toString(child.pid()));
    }

    private static String firstLine(Process process) throws IOException {
        try (var lines =
                new BufferedReader(
                        new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            return lines.readLine();
        }
    }

    /// A process that binds a child, says its process id, and waits.
    static final class Parent {

        private Parent() {}

        public static void main(String[] arguments) throws Exception {
            Leash leash = arguments[0].equals("pipe") ? Leash.PIPE : Leash.here();
            Process child = leash.bind(List.of("sleep", "60")).start();
            System.out.println(child.pid());
            child.waitFor();
        }
    }
}
