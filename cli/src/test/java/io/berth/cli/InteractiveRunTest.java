package io.berth.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.cli.FakeMesh.Reply;
import io.berth.slurm.session.Frame;
import io.berth.slurm.session.Frame.Channel;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.time.ZoneOffset;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// The user's end of a run without the connection to the other end, which is tried with a mesh.
@Timeout(value = 30, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class InteractiveRunTest {
    private final FakeMesh mesh = new FakeMesh();

    @AfterEach
    void close() {
        mesh.close();
    }

    @ParameterizedTest
    @CsvSource({"OUTPUT, true", "ERROR, true", "OUTPUT, false"})
    void a_run_that_nobody_listens_to_ends_as_by_a_broken_pipe_and_its_own_job_with_it(
            Channel channel, boolean own) throws CommandFailure {
        mesh.on("DELETE", "/v1/jobs/17", new Reply(202, "{}"));
        mesh.on("GET", "/v1/jobs/17", "{\"id\":17,\"state\":\"RUNNING\"}");
        var other = new PrintStream(new ByteArrayOutputStream(), false, StandardCharsets.UTF_8);
        var terminal =
                new Terminal(
                        InputStream.nullInputStream(),
                        channel == Channel.OUTPUT ? Unread.stream() : other,
                        channel == Channel.ERROR ? Unread.stream() : other,
                        Map.of("BERTH_URL", mesh.url(), "BERTH_TOKEN", "x"),
                        Path.of("/"),
                        "root",
                        Clock.systemUTC(),
                        () -> ZoneOffset.UTC,
                        _ -> {});
        try (var run =
                new InteractiveRun(
                        terminal,
                        MeshClient.of(terminal, "srun"),
                        LocalTerminal.of(terminal, "srun", false),
                        true)) {
            run.take(Frame.control("started gpu-01"));
            run.take(new Frame(channel, new byte[] {'y', '\n'}));

            assertThat(run.untilEnd(17, own)).isEqualTo(141);
        }
        assertThat(mesh.requests().stream().filter(it -> it.method().equals("DELETE")).count())
                .isEqualTo(own ? 1 : 0);
    }
}
