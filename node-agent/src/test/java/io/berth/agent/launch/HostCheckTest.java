package io.berth.agent.launch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.berth.agent.host.LiveProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/// Programs by which operators try machines and GPUs, as processes.
class HostCheckTest {

    @TempDir Path folder;

    private Optional<String> failure(String body, Duration limit) throws Exception {
        Path program = Files.writeString(folder.resolve("check"), "#!/bin/sh\n" + body + "\n");
        Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwx------"));
        return new HostCheck(program, limit, new Commands())
                .failure(List.of("an argument"), Map.of("A", "a variable"));
    }

    private static boolean lives(Path pid) throws IOException {
        return LiveProcess.stat(Long.parseLong(Files.readString(pid).strip()))
                .filter(stat -> stat.state() != 'Z')
                .isPresent();
    }

    static List<Arguments> bodies() {
        return List.of(
                arguments("echo all is well", null),
                arguments("exit 3", "CHECK ended with 3"),
                arguments("echo; echo ' disk  full'; echo more; exit 1", "disk  full"),
                arguments("echo \"$1, $A\" >&2; exit 1", "an argument, a variable"),
                arguments("printf '\\033[31mred\\n'; exit 1", "[31mred"),
                arguments("kill -9 $$", "CHECK ended with 137"));
    }

    @ParameterizedTest
    @MethodSource("bodies")
    void what_is_wrong_is_the_first_line_that_it_says(String body, @Nullable String expected)
            throws Exception {
        assertThat(failure(body, Duration.ofSeconds(20)).orElse(null))
                .isEqualTo(
                        expected == null
                                ? null
                                : expected.replace("CHECK", folder.resolve("check").toString()));
    }

    @Test
    void one_that_takes_too_long_has_failed_and_nothing_of_it_is_left() throws Exception {
        Path pid = folder.resolve("pid");

        Optional<String> failure =
                failure("sleep 60 & echo $! >" + pid + "; wait", Duration.ofSeconds(1));

        assertThat(failure.orElse("")).endsWith(folder.resolve("check") + " took longer than 1 s");
        await().until(() -> !lives(pid));
    }

    @Test
    void nothing_is_left_of_one_that_passes_either() throws Exception {
        Path pid = folder.resolve("pid");

        Optional<String> failure =
                failure("(sleep 60 & echo $! >" + pid + ")", Duration.ofSeconds(20));

        assertThat(failure).isEmpty();
        await().until(() -> !lives(pid));
    }

    @Test
    void what_it_puts_into_a_process_group_of_its_own_is_not_left_either() throws Exception {
        Path pid = folder.resolve("pid");

        Optional<String> failure =
                failure(
                        "timeout 60 sh -c 'echo $$ >"
                                + pid
                                + "; exec sleep 50' &\n"
                                + "until [ -s "
                                + pid
                                + " ]; do sleep 0.01; done",
                        Duration.ofSeconds(20));

        assertThat(failure).isEmpty();
        await().until(() -> !lives(pid));
    }

    @Test
    void of_one_that_writes_without_end_the_beginning_is_read() throws Exception {
        Path program = Files.writeString(folder.resolve("flood"), "yes | head -c 5000000\n");

        Commands.Ran ran =
                new Commands()
                        .runAlone(
                                List.of("sh", program.toString()),
                                Map.of(),
                                Duration.ofSeconds(20));

        assertThat(ran.status()).isZero();
        assertThat(ran.output()).hasSize(Commands.MOST_OUTPUT);
    }

    @Test
    void one_that_fills_the_disk_is_ended_long_before_its_time_is_over() throws Exception {
        Path pid = folder.resolve("pid");

        Optional<String> failure =
                failure("echo $$ >" + pid + "; yes; sleep 60", Duration.ofMinutes(5));

        assertThat(failure.orElse(""))
                .endsWith(folder.resolve("check") + " wrote more than 64 MiB");
        await().until(() -> !lives(pid));
    }

    @Test
    void one_that_is_not_there_has_failed() throws Exception {
        var check = new HostCheck(folder.resolve("none"), Duration.ofSeconds(20), new Commands());

        assertThat(check.failure(List.of(), Map.of()).orElse("")).contains("none");
    }
}
