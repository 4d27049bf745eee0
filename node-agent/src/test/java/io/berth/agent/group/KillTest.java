package io.berth.agent.group;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class KillTest {

    private interface Way {
        boolean send(long pid, int signal);
    }

    static Stream<Way> ways() {
        return Stream.of(Kill::send, Kill::sendByCommand);
    }

    @ParameterizedTest
    @MethodSource("ways")
    void a_signal_ends_who_does_not_handle_it(Way way) throws Exception {
        Process process = new ProcessBuilder("sleep", "60").start();

        boolean sent = way.send(process.pid(), Kill.TERM);

        assertThat(sent).isTrue();
        assertThat(process.waitFor()).isEqualTo(128 + Kill.TERM);
    }

    @ParameterizedTest
    @MethodSource("ways")
    void a_process_that_is_gone_has_no_signal(Way way) throws Exception {
        Process process = new ProcessBuilder("true").start();
        process.waitFor();

        assertThat(way.send(process.pid(), Kill.TERM)).isFalse();
    }
}
