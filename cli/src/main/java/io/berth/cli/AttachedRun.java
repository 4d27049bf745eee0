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
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/// A place beside the two ends of an interactive run: it is shown what the job's end says, and
/// gives it input. A signal ends this command, and not the run. One who lost the connection may
/// come again: what is shown and given meanwhile may be lost.
final class AttachedRun implements AutoCloseable {

    private final Terminal terminal;
    private final LocalTerminal local;
    private final Stream out;
    private final Stream err;
    private final CompletableFuture<End> end = new CompletableFuture<>();

    /// Guarded by this; another when this command has come again.
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

    /// Comes to its place, for the first time or again.
    ///
    /// @param place as the gateway gave it
    void connect(MeshClient client, JsonObject place) throws IOException {
        FrameSocket connected =
                FrameSocket.connect(
                        client.socket(place.text("path")), place.text("secret"), this::take);
        synchronized (this) {
            socket = connected;
            notifyAll();
        }
    }

    /// Whether nothing is to come any more.
    boolean isOver() {
        return end.isDone();
    }

    /// Takes what the job's end says.
    void take(Frame frame) {
        switch (frame.channel()) {
            case OUTPUT -> print(out, frame);
            case ERROR -> print(err, frame);
            case CONTROL -> {
                if (frame.words().getFirst().equals("exit")) {
                    end.complete(new End(Integer.parseInt(frame.words().getLast()), ""));
                }
            }
            // That is this end's to send.
            case INPUT, BESIDE -> {}
        }
    }

    /// Ends, as by SIGPIPE, when nobody reads it any more.
    private void print(Stream stream, Frame frame) {
        if (!stream.print(frame.payload())) {
            end.complete(new End(InteractiveRun.BROKEN_PIPE, ""));
        }
    }

    /// How it comes again when it lost its connection.
    interface Again {
        /// @throws CommandFailure if it is not to be tried any more
        void come() throws CommandFailure;
    }

    End untilEnd(Again again) throws CommandFailure {
        UnixSignal.handle("INT", () -> end.complete(new End(130, "")));
        UnixSignal.handle("TERM", () -> end.complete(new End(143, "")));
        UnixSignal.handle("HUP", () -> end.complete(new End(129, "")));
        local.enter();
        Thread.ofPlatform().daemon().start(this::sendInput);
        while (true) {
            CompletableFuture<String> closed = socket().closed();
            CompletableFuture.anyOf(end, closed).join();
            if (!isOver() && !closed.join().isEmpty()) {
                end.complete(new End(null, closed.join()));
            }
            if (isOver()) {
                return end.join();
            }
            again.come();
        }
    }

    private synchronized FrameSocket socket() {
        return Objects.requireNonNull(socket);
    }

    private void sendInput() {
        var buffer = new byte[Frame.MAX_BYTES];
        try {
            int read;
            while ((read = terminal.in().read(buffer)) >= 0) {
                int length = read;
                send(to -> to.sendInput(buffer, length));
            }
            send(to -> to.send(Frame.control("eof")));
        } catch (IOException e) {
            // There is no more to give.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private interface Sending {
        void by(FrameSocket to) throws IOException;
    }

    /// Sends something: by the next connection if this one is lost.
    private void send(Sending it) throws InterruptedException {
        while (true) {
            FrameSocket to = socket();
            try {
                it.by(to);
                return;
            } catch (IOException e) {
                synchronized (this) {
                    while (socket == to) {
                        wait();
                    }
                }
            }
        }
    }

    @Override
    public void close() {
        local.close();
        Terminal.closeQuietly(terminal.in());
        FrameSocket last;
        synchronized (this) {
            last = socket;
        }
        if (last != null) {
            last.close();
        }
    }

    /// Where a stream of the step is shown.
    private static final class Stream {
        private static final byte[] LABEL = "0: ".getBytes(StandardCharsets.US_ASCII);

        private final PrintStream stream;
        private final OutputStream to;
        private final boolean label;
        private boolean begins = true;

        Stream(PrintStream to, boolean printable, boolean label) {
            this.stream = to;
            this.to = printable ? new Printable(to) : to;
            this.label = label;
        }

        /// @return whether it could be written
        boolean print(byte[] bytes) {
            try {
                to.write(label ? labelled(bytes) : bytes);
                to.flush();
                return !stream.checkError();
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
