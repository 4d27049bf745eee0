package io.berth.agent.launch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// What the kernel tells of a process that asks for a container.
class StepCommandTest {

    /// As long as Linux lets one argument or variable be; six of them are more than is read.
    private static final String LONG = "x".repeat(120_000);

    private static final int TIMES = 6;

    @TempDir Path folder;
    private ProcessBuilder srun;
    private final List<Process> begun = new ArrayList<>();

    @BeforeEach
    void program() throws IOException {
        Path program = Files.writeString(folder.resolve("srun"), "read -r word\n");
        srun =
                new ProcessBuilder("sh", program.toString(), "-n2", "", "a b")
                        .directory(folder.toFile());
    }

    private StepCommand told() throws Exception {
        begun.add(srun.start());
        return new StepCommands().read(begun.getLast().pid(), null);
    }

    @AfterEach
    void end() {
        begun.forEach(Process::destroyForcibly);
    }

    @Test
    void it_is_told_as_it_was_called() throws Exception {
        srun.environment().put("A", "1=2\n");

        StepCommand told = told();

        assertThat(told.arguments()).isEqualTo(List.of("-n2", "", "a b"));
        assertThat(told.directory()).isEqualTo(folder.toRealPath());
        assertThat(told.variables()).containsEntry("A", "1=2\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"cmdline", "environ"})
    void one_that_says_too_much_is_refused(String what) {
        for (int time = 0; time < TIMES; time++) {
            if (what.equals("cmdline")) {
                srun.command().add(LONG);
            } else {
                srun.environment().put("LONG" + time, LONG);
            }
        }

        assertThatThrownBy(this::told)
                .isInstanceOf(LaunchRefused.class)
                .hasMessageContaining(what + " is longer than 524288 bytes");
    }

    @Test
    void one_that_is_gone_is_refused() throws Exception {
        Process process = srun.start();
        process.destroyForcibly().waitFor();

        assertThatThrownBy(() -> new StepCommands().read(process.pid(), null))
                .isInstanceOf(LaunchRefused.class);
    }

    /// A pipe that nobody writes to stands for memory that does not answer.
    @Test
    @Timeout(value = 20, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void one_that_does_not_let_itself_be_read_is_refused_and_so_is_every_other_one_meanwhile()
            throws Exception {
        Path silent = Files.createDirectories(folder.resolve("1")).resolve("cmdline");
        assertThat(new ProcessBuilder("mkfifo", silent.toString()).start().waitFor()).isZero();
        Path other = Files.createDirectories(folder.resolve("2"));
        Files.writeString(other.resolve("cmdline"), "sh\0srun\0-n2\0");
        Files.writeString(other.resolve("environ"), "A=1\0");
        Files.createSymbolicLink(other.resolve("cwd"), folder);
        var commands = new StepCommands(folder, Duration.ofMillis(200));

        for (long process : List.of(1L, 2L)) {
            assertThatThrownBy(() -> commands.read(process, null))
                    .isInstanceOf(LaunchRefused.class)
                    .hasMessage("srun %d does not let itself be read", process);
        }
        Files.writeString(silent, "");

        await().untilAsserted(() ->
                assertThat(commands.read(2, null).arguments()).containsExactly("-n2"));
    }
}
