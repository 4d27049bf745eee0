package io.berth.cli;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.junit.jupiter.api.Test;

final class TerminalTest {

    @Test
    void jobs_inherit_the_umask_of_the_shell() throws IOException {
        Process shell = new ProcessBuilder("sh", "-c", "umask").start();
        String umask = new String(shell.getInputStream().readAllBytes(), US_ASCII).strip();

        assertThat(Terminal.ofProcess().environment()).containsEntry("SLURM_UMASK", umask);
    }
}
