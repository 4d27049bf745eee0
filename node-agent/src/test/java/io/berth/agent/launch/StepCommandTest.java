package io.berth.agent.launch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
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

    private StepCommand told() throws IOException, LaunchRefused {
        begun.add(srun.start());
        return StepCommand.of(begun.getLast().pid(), null);
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

        assertThatThrownBy(() -> StepCommand.of(process.pid(), null))
                .isInstanceOf(LaunchRefused.class);
    }
}
