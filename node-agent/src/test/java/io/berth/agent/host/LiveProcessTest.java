package io.berth.agent.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/// What the kernel says of a process.
class LiveProcessTest {

    private static final int TERM = 15;

    @Test
    void a_process_is_known_whatever_bytes_it_has_for_a_name() throws Exception {
        Process process =
                new ProcessBuilder(
                                "sh",
                                "-c",
                                "trap : TERM; printf '\\377) Z' >/proc/$$/comm; echo; read -r word")
                        .start();
        try {
            assertThat(process.getInputStream().read()).isEqualTo('\n');
            LiveProcess.Stat stat = LiveProcess.stat(process.pid()).orElseThrow();
            byte[] name = Files.readAllBytes(Path.of("/proc/" + process.pid() + "/comm"));

            assertThat(name).startsWith((byte) 0xff);
            assertThat(new LiveProcess(stat.pid(), stat.startTime()).alive()).isTrue();
            assertThat(LiveProcess.handles(process.pid(), TERM)).isTrue();
            assertThat(LiveProcess.peakKib(process.pid())).isPositive();
            assertThat(LiveProcess.all())
                    .extracting(LiveProcess.Stat::pid, LiveProcess.Stat::startTime)
                    .contains(tuple(stat.pid(), stat.startTime()));
        } finally {
            process.destroyForcibly();
        }
    }
}
