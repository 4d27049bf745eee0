package io.berth.agent.launch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class StartScriptTest {

    private static final OutputFiles FILES =
            new OutputFiles(Path.of("/dev/null"), Path.of("/o ut"), Path.of("/o ut"), "027");

    @Test
    void secrets_are_exported_and_not_put_on_a_command_line() throws LaunchRefused {
        String script =
                StartScript.of(
                        Path.of("/w"),
                        Map.of("TOKEN", "it's secret", "BASH_FUNC_f%%", "() { :; }"),
                        FILES,
                        "",
                        List.of("/s", "-x"));

        assertThat(script)
                .startsWith("umask 027\n")
                .contains("export TOKEN='it'\\''s secret'\n")
                .contains(" >>'/o ut' 2>&1 ")
                .endsWith("/env 'BASH_FUNC_f%%=() { :; }' '/s' '-x'\n");
    }

    @Test
    void words_are_ended_by_a_nul_each_and_have_no_other() throws LaunchRefused {
        assertThat(
                        StartScript.words(
                                Path.of("/w"),
                                Map.of("A", "b", "SLURM_RLIMIT_X", "1"),
                                FILES,
                                List.of("/s", "")))
                .isEqualTo(
                        String.join(
                                "\0",
                                "",
                                "027",
                                "/w",
                                "/dev/null",
                                "/o ut",
                                "",
                                "A=b",
                                "",
                                "/s",
                                "",
                                ""));
        assertThatThrownBy(
                        () -> StartScript.words(Path.of("/w"), Map.of("A", "\0"), FILES, List.of()))
                .hasMessage("a NUL cannot be given to a program");
    }

    @ParameterizedTest
    @CsvSource({"0027, 0027", "77, 77", "8, 022", "'0; reboot', 022", "'', 022", ", 022"})
    void the_umask_is_that_of_the_shell_that_submitted(@Nullable String told, String umask) {
        Map<String, String> environment = told == null ? Map.of() : Map.of("SLURM_UMASK", told);

        assertThat(OutputFiles.umask(environment)).isEqualTo(umask);
    }

    @Test
    void limits_are_those_of_the_shell_that_submitted_as_far_as_the_hard_ones_allow(
            @TempDir Path folder) throws Exception {
        Path output = folder.resolve("out");
        var limits = new TreeMap<String, String>();
        limits.put("SLURM_RLIMIT_NOFILE", "65");
        limits.put("SLURM_RLIMIT_CORE", "0");
        limits.put("SLURM_RLIMIT_STACK", "4194304");
        limits.put("SLURM_RLIMIT_CPU", "77");
        limits.put("SLURM_RLIMIT_FSIZE", "$(reboot)");
        limits.put("SLURM_RLIMIT_DATA", "18446744073709551615");
        String script =
                StartScript.of(
                        Path.of("/"),
                        limits,
                        new OutputFiles(Path.of("/dev/null"), output, output, "022"),
                        "",
                        List.of(
                                "/bin/sh",
                                "-c",
                                "ulimit -S -n; ulimit -S -c; ulimit -S -s; ulimit -S -t; env"));

        Process shell = new ProcessBuilder("sh", "-c", "ulimit -t 60; " + script).start();

        assertThat(shell.waitFor()).isZero();
        assertThat(Files.readAllLines(output))
                .startsWith("65", "0", "4096", "60")
                .noneMatch(it -> it.startsWith("SLURM_RLIMIT"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "A=B", "NUL\u0000"})
    void a_name_that_no_program_can_be_given_is_refused(String name) {
        assertThatThrownBy(() ->
                        StartScript.of(Path.of("/w"), Map.of(name, ""), FILES, "", List.of("/s")))
                .isInstanceOf(LaunchRefused.class);
    }
}
