package io.berth.slurm.session;

import io.berth.slurm.session.Frame.Channel;
import java.io.IOException;
import java.io.InputStream;
import java.util.concurrent.CompletableFuture;

/// One end of an interactive run. Frames are sent in the order of the calls; several threads may
/// send.
public abstract class FrameLink implements AutoCloseable {
    private final InputWindow window;

    FrameLink(InputWindow window) {
        this.window = window;
    }

    /// What an end does with what the other says.
    public interface Receiver {
        /// Takes a frame; the next comes when this returns.
        void take(Frame frame);
    }

    /// Sends a frame.
    ///
    /// @throws IOException if the connection is over
    public abstract void send(Frame frame) throws IOException;

    /// Done when the connection is over, by whichever end: with the reason if the gateway sent this
    /// one away for what it did, else with "".
    public abstract CompletableFuture<String> closed();

    /// Waits while the connection is away, until it is back or over.
    public void awaitThere() {}

    @Override
    public abstract void close();

    /// Sends what a stream gives until its end.
    public final void sendAll(Channel channel, InputStream stream) throws IOException {
        var buffer = new byte[Frame.MAX_BYTES];
        for (int read = stream.read(buffer); read >= 0; read = stream.read(buffer)) {
            if (read > 0) {
                send(Frame.of(channel, buffer, read));
            }
        }
    }

    /// Sends what a stream gives as input until its end, and says that it is over. It waits where
    /// the program at the other end does not read.
    public final void sendInput(InputStream stream) throws IOException {
        var buffer = new byte[Frame.MAX_BYTES];
        for (int read = stream.read(buffer); read >= 0; read = stream.read(buffer)) {
            sendInput(buffer, read);
        }
        send(Frame.control("eof"));
    }

    /// Sends the first bytes of a buffer as input. It waits where the program at the other end does
    /// not read.
    public final void sendInput(byte[] buffer, int length) throws IOException {
        if (length > 0) {
            window.await(length);
            send(Frame.of(Channel.INPUT, buffer, length));
        }
    }
}
