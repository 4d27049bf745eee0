package io.berth.cli;

import io.berth.slurm.session.Frame;
import io.berth.slurm.session.Frame.Channel;
import io.berth.slurm.session.FrameSocket;
import java.io.IOException;
import java.io.PrintStream;
import java.net.URI;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// A place beside the two ends of an interactive run: it is shown what the job's end says, and
/// gives it input. A signal ends this command, and not the run.
final class AttachedRun implements AutoCloseable {

    private final Terminal terminal;
    private final LocalTerminal local;
    private final CompletableFuture<End> end = new CompletableFuture<>();
    private @Nullable FrameSocket socket;

    AttachedRun(Terminal terminal, LocalTerminal local) {
        this.terminal = terminal;
        this.local = local;
    }

    /// How it ended.
    ///
    /// @param exitCode the program's, or that of the signal; null if the connection ended first
    /// @param why the gateway sent this command away; else empty
    record End(@Nullable Integer exitCode, String why) {}

    /// @param place as the gateway gave it
    /// @param label whether each line begins with the task's number
    void connect(MeshClient client, JsonObject place, boolean label) throws CommandFailure {
        var out = new Stream(terminal.out(), label);
        var err = new Stream(terminal.err(), label);
        try {
            FrameSocket connected =
                    FrameSocket.connect(
                            URI.create(
                                    client.mesh().gateway().replaceFirst("^http", "ws")
                                            + place.text("path")),
                            place.text("secret"),
                            frame -> take(frame, out, err));
            socket = connected;
            var unused = connected.closed().thenAccept(why -> end.complete(new End(null, why)));
        } catch (IOException e) {
            throw CommandFailure.error("sattach", String.valueOf(e.getMessage()));
        }
    }

    private void take(Frame frame, Stream out, Stream err) {
        switch (frame.channel()) {
            case OUTPUT -> out.print(frame.payload());
            case ERROR -> err.print(frame.payload());
            case CONTROL -> {
                if (frame.words().getFirst().equals("exit")) {
                    end.complete(new End(Integer.parseInt(frame.words().getLast()), ""));
                }
            }
            // That is this end's to send.
            case INPUT -> {}
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
            to.sendAll(Channel.INPUT, terminal.in());
            to.send(Frame.control("eof"));
        } catch (IOException e) {
            // Told by the end of the connection.
        }
    }

    @Override
    public void close() {
        local.close();
        if (socket != null) {
            socket.close();
        }
    }

    /// Where a stream of the step is shown.
    private static final class Stream {
        private final PrintStream to;
        private final boolean label;
        private boolean begins = true;

        Stream(PrintStream to, boolean label) {
            this.to = to;
            this.label = label;
        }

        void print(byte[] bytes) {
            if (!label) {
                to.write(bytes, 0, bytes.length);
            } else {
                for (byte each : bytes) {
                    if (begins) {
                        to.print("0: ");
                    }
                    begins = each == '\n';
                    to.write(each);
                }
            }
            to.flush();
        }
    }
}
