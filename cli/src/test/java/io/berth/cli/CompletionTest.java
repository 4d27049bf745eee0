package io.berth.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class CompletionTest {

    @TempDir private Path folder = Path.of("");

    private static String script(String shell) {
        return new CommandRun().run("completion", shell).out();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "squeue --acc           | --account=",
                "berth squeue --acc     | --account=",
                "sbatch --gpus-per-t    | --gpus-per-task=",
                "srun --pt              | --pty",
                "/opt/bin/sinfo --sum   | --summarize",
                "berth sb               | sbatch sbcast",
                "berth install          | install-links",
                "squeue x               | ''",
            })
    void bash_completes_a_word(String line, String completed) throws Exception {
        Path file = Files.writeString(folder.resolve("berth.bash"), script("bash"));
        String typed =
                "source %s; COMP_WORDS=(%s); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); COMPREPLY=(); _berth; echo \"${COMPREPLY[*]}\""
                        .formatted(file, line);

        Process bash = new ProcessBuilder("bash", "-c", typed).redirectErrorStream(true).start();
        String said =
                new String(bash.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();

        assertThat(bash.waitFor()).as(said).isZero();
        assertThat(said).isEqualTo(completed);
    }

    @ParameterizedTest
    @ValueSource(strings = {"zsh", "fish"})
    void a_shell_that_is_here_takes_its_script_for_one(String shell) throws Exception {
        assumeThat(
                        Stream.of(System.getenv("PATH").split(":"))
                                .anyMatch(it -> Files.isExecutable(Path.of(it, shell))))
                .as(shell + " on the PATH")
                .isTrue();
        Path file = Files.writeString(folder.resolve("berth." + shell), script(shell));

        Process check =
                new ProcessBuilder(shell, "-n", file.toString()).redirectErrorStream(true).start();
        String said = new String(check.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

        assertThat(check.waitFor()).as(said).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"bash", "zsh", "fish"})
    void every_option_of_every_command_is_there(String shell) {
        String script = script(shell);

        Completion.tables()
                .forEach((command, options) ->
                        assertThat(options)
                                .as(command)
                                .allSatisfy(option ->
                                        assertThat(script)
                                                .contains(
                                                        (shell.equals("fish") ? "-l " : "--")
                                                                + option.longName())));
        assertThat(Completion.tables().keySet())
                .containsAll(List.of("sbatch", "srun", "salloc", "squeue", "sacctmgr"));
    }

    @Test
    void another_shell_is_refused_in_one_line() {
        CommandRun.Outcome outcome = new CommandRun().run("completion", "csh");

        assertThat(outcome.exitCode()).isEqualTo(1);
        assertThat(outcome.err())
                .isEqualTo("completion: error: for which shell? bash, zsh or fish\n");
    }
}
