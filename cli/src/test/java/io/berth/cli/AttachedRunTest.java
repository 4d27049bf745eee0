package io.berth.cli;

import static org.assertj.core.api.Assertions.assertThat;

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
import org.junit.jupiter.api.Test;

class AttachedRunTest {
    private static final String STEERS = "\033]0;title\007é\nlast";

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();
    private final Terminal terminal =
            new Terminal(
                    InputStream.nullInputStream(),
                    new PrintStream(out, false, StandardCharsets.UTF_8),
                    new PrintStream(err, false, StandardCharsets.UTF_8),
                    Map.of(),
                    Path.of("/"),
                    "root",
                    Clock.systemUTC(),
                    () -> ZoneOffset.UTC,
                    _ -> {});

    /// Shows a step's output and errors where this descriptor alone is a terminal.
    private void shown(boolean pty, boolean label, int descriptor) throws CommandFailure {
        try (var run =
                new AttachedRun(
                        terminal,
                        LocalTerminal.of(terminal, "sattach", pty),
                        label,
                        it -> it == descriptor)) {
            err.reset();
            byte[] bytes = STEERS.getBytes(StandardCharsets.UTF_8);
            run.take(new Frame(Channel.OUTPUT, bytes));
            run.take(new Frame(Channel.ERROR, bytes));
        }
    }

    private static String said(ByteArrayOutputStream stream) {
        return stream.toString(StandardCharsets.UTF_8);
    }

    @Test
    void a_terminal_is_not_steered_and_a_file_has_the_very_bytes() throws CommandFailure {
        shown(false, false, 2);

        assertThat(said(out)).isEqualTo(STEERS);
        assertThat(said(err)).isEqualTo("␛]0;title␇é\nlast");
    }

    @Test
    void labelled_lines_do_not_steer_it_either() throws CommandFailure {
        shown(false, true, 1);

        assertThat(said(out)).isEqualTo("0: ␛]0;title␇é\n0: last");
        assertThat(said(err)).isEqualTo("0: \033]0;title\007é\n0: last");
    }

    @Test
    void the_terminal_of_a_program_that_has_one_is_its_own() throws CommandFailure {
        shown(true, false, 1);

        assertThat(said(out)).isEqualTo(STEERS);
    }

    @Test
    void it_ends_when_nobody_reads_what_it_shows() throws CommandFailure {
        var closed =
                new Terminal(
                        InputStream.nullInputStream(),
                        Unread.stream(),
                        terminal.err(),
                        Map.of(),
                        Path.of("/"),
                        "root",
                        Clock.systemUTC(),
                        () -> ZoneOffset.UTC,
                        _ -> {});
        try (var run =
                new AttachedRun(
                        closed, LocalTerminal.of(closed, "sattach", false), false, _ -> false)) {
            run.take(new Frame(Channel.ERROR, new byte[] {'e'}));
            assertThat(run.isOver()).isFalse();

            run.take(new Frame(Channel.OUTPUT, new byte[] {'o'}));
            assertThat(run.isOver()).isTrue();
        }
    }
}
