package io.berth.cli;

import io.berth.client.JsonObject;
import io.berth.slurm.session.Frame;
import io.berth.slurm.session.FrameSocket;
import io.berth.slurm.session.UnixSignal;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/// A place beside the two ends of an interactive run: it is shown what the job's end says, and
/// gives it input. A signal ends this command, and not the run.
final class AttachedRun implements AutoCloseable {

    private final Terminal terminal;
    private final LocalTerminal local;
    private final Stream out;
    private final Stream err;
    private final CompletableFuture<End> end = new CompletableFuture<>();
    private @Nullable FrameSocket socket;

    /// @param label whether each line begins with the task's number
    /// @param isTerminal whether this descriptor is one, which a program without one must not
    ///   steer: it may be another user's
    AttachedRun(Terminal terminal, LocalTerminal local, boolean label, IntPredicate isTerminal) {
        this.terminal = terminal;
        this.local = local;
        this.out = new Stream(terminal.out(), !local.raw() && isTerminal.test(1), label);
        this.err = new Stream(terminal.err(), !local.raw() && isTerminal.test(2), label);
    }

    /// How it ended.
    ///
    /// @param exitCode the program's, or that of the signal; null if the connection ended first
    /// @param why the gateway sent this command away; else empty
    record End(@Nullable Integer exitCode, String why) {}

    /// @param place as the gateway gave it
    void connect(MeshClient client, JsonObject place) throws CommandFailure {
        try {
            FrameSocket connected =
                    FrameSocket.connect(
                            URI.create(
                                    client.mesh().gateway().replaceFirst("^http", "ws")
                                            + place.text("path")),
                            place.text("secret"),
                            this::take);
            socket = connected;
            var unused = connected.closed().thenAccept(why -> end.complete(new End(null, why)));
        } catch (IOException e) {
            throw CommandFailure.error("sattach", String.valueOf(e.getMessage()));
        }
    }

    /// Takes what the job's end says.
    void take(Frame frame) {
        switch (frame.channel()) {
            case OUTPUT -> out.print(frame.payload());
            case ERROR -> err.print(frame.payload());
            case CONTROL -> {
                if (frame.words().getFirst().equals("exit")) {
                    end.complete(new End(Integer.parseInt(frame.words().getLast()), ""));
                }
            }
            // That is this end's to send.
            case INPUT, BESIDE -> {}
        }
    }

    End untilEnd() {
        UnixSignal.handle("INT", () -> end.complete(new End(130, "")));
        UnixSignal.handle("TERM", () -> end.complete(new End(143, "")));
        UnixSignal.handle("HUP", () -> end.complete(new End(129, "")));
        local.enter();
        Thread.ofPlatform().daemon().start(this::sendInput);
        return end.join();
    }

    private void sendInput() {
        FrameSocket to = socket;
        if (to == null) {
            return;
        }
        try {
            to.sendInput(terminal.in());
        } catch (IOException e) {
            // Told by the end of the connection.
        }
    }

    @Override
    public void close() {
        local.close();
        Terminal.closeQuietly(terminal.in());
        if (socket != null) {
            socket.close();
        }
    }

    /// Where a stream of the step is shown.
    private static final class Stream {
        private static final byte[] LABEL = "0: ".getBytes(StandardCharsets.US_ASCII);

        private final OutputStream to;
        private final boolean label;
        private boolean begins = true;

        Stream(PrintStream to, boolean printable, boolean label) {
            this.to = printable ? new Printable(to) : to;
            this.label = label;
        }

        void print(byte[] bytes) {
            try {
                to.write(label ? labelled(bytes) : bytes);
                to.flush();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        private byte[] labelled(byte[] bytes) {
            var lines = new ByteArrayOutputStream();
            for (byte each : bytes) {
                if (begins) {
                    lines.writeBytes(LABEL);
                }
                begins = each == '\n';
                lines.write(each);
            }
            return lines.toByteArray();
        }
    }
}
