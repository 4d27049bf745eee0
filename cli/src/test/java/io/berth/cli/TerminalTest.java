package io.berth.cli;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

final class TerminalTest {

    @Test
    void jobs_inherit_the_umask_of_the_shell() throws IOException {
        Process shell = new ProcessBuilder("sh", "-c", "umask").start();
        String umask = new String(shell.getInputStream().readAllBytes(), US_ASCII).strip();

        assertThat(Terminal.ofProcess().environment()).containsEntry("SLURM_UMASK", umask);
    }

    @Test
    void jobs_may_inherit_the_limits_of_the_shell() throws IOException {
        String parent = "/proc/" + ProcessHandle.current().parent().orElseThrow().pid();
        String files =
                Files.readAllLines(Path.of(parent, "limits")).stream()
                        .filter(it -> it.startsWith("Max open files"))
                        .map(it -> it.split(" {2,}")[1])
                        .findFirst()
                        .orElseThrow();

        assertThat(Terminal.ofProcess().environment())
                .containsEntry("SLURM_RLIMIT_NOFILE", files)
                .containsKeys("SLURM_RLIMIT_CORE", "SLURM_RLIMIT_MEMLOCK", "SLURM_RLIMIT_AS");
    }
}
