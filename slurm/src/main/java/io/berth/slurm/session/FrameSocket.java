package io.berth.slurm.session;

import io.berth.slurm.session.Frame.Channel;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/// One end of an interactive run, connected to the gateway by a WebSocket. Frames are sent in the
/// order of the calls, each when the one before is on its way; several threads may send. The
/// gateway gives signs of life (a ping every 20 s): where it is silent for a minute it is gone,
/// whatever the connection says.
public final class FrameSocket implements AutoCloseable {
    private static final Duration CONNECT = Duration.ofSeconds(10);
    private static final Duration SILENCE = Duration.ofSeconds(60);

    /// No message is larger: a whole command line with its variables is the longest.
    private static final int MOST_BYTES = 4 << 20;

    /// So many bytes of input at most are on their way that the job's end has not said it took.
    static final int INPUT_WINDOW = 1 << 20;

    /// The status of a close with a reason that is this end's.
    private static final int POLICY_VIOLATION = 1008;

    private final HttpClient client;
    private final WebSocket socket;
    private final Listener listener;

    private FrameSocket(HttpClient client, WebSocket socket, Listener listener) {
        this.client = client;
        this.socket = socket;
        this.listener = listener;
    }

    /// What an end does with what the other says.
    public interface Receiver {
        /// Takes a frame; the next comes when this returns.
        void take(Frame frame);
    }

    /// Connects to the session at this address (`ws://…/v1/sessions/<id>`) by its secret.
    ///
    /// @throws IOException if it cannot be reached, or does not know the secret
    public static FrameSocket connect(URI session, String secret, Receiver receiver)
            throws IOException {
        return connect(session, secret, receiver, SILENCE);
    }

    /// @param silence after so long without a word the gateway is gone
    static FrameSocket connect(URI session, String secret, Receiver receiver, Duration silence)
            throws IOException {
        var listener = new Listener(receiver);
        HttpClient client = client(session);
        try {
            WebSocket socket =
                    client.newWebSocketBuilder()
                            .connectTimeout(CONNECT)
                            .header("Authorization", "Bearer " + secret)
                            .buildAsync(session, listener)
                            .join();
            Thread.ofVirtual().start(() -> listener.watch(socket, silence));
            return new FrameSocket(client, socket, listener);
        } catch (CompletionException e) {
            client.shutdownNow();
            throw new IOException("cannot reach " + session + ": " + e.getCause(), e);
        }
    }

    private static HttpClient client(URI session) {
        HttpClient.Builder builder = HttpClient.newBuilder().connectTimeout(CONNECT);
        if ("ws".equalsIgnoreCase(session.getScheme())) {
            builder.sslContext(new NoTls());
        }
        return builder.build();
    }

    /// Sends a frame.
    ///
    /// @throws IOException if the connection is over
    public synchronized void send(Frame frame) throws IOException {
        try {
            socket.sendBinary(frame.message(), true).join();
        } catch (CompletionException | IllegalStateException e) {
            throw new IOException("the connection to the other end is over", e);
        }
    }

    /// Sends what a stream gives until its end.
    public void sendAll(Channel channel, InputStream stream) throws IOException {
        var buffer = new byte[Frame.MAX_BYTES];
        for (int read = stream.read(buffer); read >= 0; read = stream.read(buffer)) {
            if (read > 0) {
                send(Frame.of(channel, buffer, read));
            }
        }
    }

    /// Sends what a stream gives as input until its end, and says that it is over. It waits where
    /// the program at the other end does not read.
    public void sendInput(InputStream stream) throws IOException {
        var buffer = new byte[Frame.MAX_BYTES];
        for (int read = stream.read(buffer); read >= 0; read = stream.read(buffer)) {
            if (read > 0) {
                listener.window.acquireUninterruptibly(read);
                send(Frame.of(Channel.INPUT, buffer, read));
            }
        }
        send(Frame.control("eof"));
    }

    /// Done when the connection is over, by whichever end: with the reason if the gateway sent this
    /// one away for what it did, else with "".
    public CompletableFuture<String> closed() {
        return listener.closed;
    }

    /// When the other end was last heard, of [System#nanoTime].
    long heard() {
        return listener.heard;
    }

    @Override
    public void close() {
        try {
            socket.sendClose(WebSocket.NORMAL_CLOSURE, "").join();
            listener.closed.get(1, TimeUnit.SECONDS);
        } catch (CompletionException
                | IllegalStateException
                | TimeoutException
                | ExecutionException e) {
            socket.abort();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            socket.abort();
        }
        client.shutdownNow();
    }

    /// Puts messages together of their parts.
    private static final class Listener implements WebSocket.Listener {
        private final Receiver receiver;
        private final ByteArrayOutputStream parts = new ByteArrayOutputStream();
        private final CompletableFuture<String> closed = new CompletableFuture<>();
        private final Semaphore window = new Semaphore(INPUT_WINDOW);

        /// When the last word was taken; while one is being taken, nothing can be heard.
        private volatile long heard = System.nanoTime();

        private volatile boolean taking;

        Listener(Receiver receiver) {
            this.receiver = receiver;
            // Who still waits then is told by the connection that it is over.
            var unused = closed.thenRun(() -> window.release(INPUT_WINDOW));
        }

        @Override
        public @Nullable CompletionStage<?> onBinary(
                WebSocket from, ByteBuffer data, boolean last) {
            var part = new byte[data.remaining()];
            data.get(part);
            if (parts.size() + part.length > MOST_BYTES) {
                from.abort();
                closed.complete("");
                return null;
            }
            parts.writeBytes(part);
            if (last) {
                Frame frame = Frame.read(ByteBuffer.wrap(parts.toByteArray()));
                parts.reset();
                taking = true;
                int took = frame.took();
                if (took > 0) {
                    // Others may give input beside this end, whose bytes are not told apart.
                    window.release(Math.min(took, INPUT_WINDOW - window.availablePermits()));
                } else {
                    receiver.take(frame);
                }
            }
            next(from);
            return null;
        }

        @Override
        public @Nullable CompletionStage<?> onPing(WebSocket from, ByteBuffer message) {
            next(from);
            return null;
        }

        private void next(WebSocket from) {
            heard = System.nanoTime();
            taking = false;
            from.request(1);
        }

        /// Ends the connection when nothing has been heard for so long.
        void watch(WebSocket socket, Duration silence) {
            long left = silence.toNanos();
            while (left > 0) {
                try {
                    closed.get(left, TimeUnit.NANOSECONDS);
                    return;
                } catch (TimeoutException e) {
                    left =
                            taking
                                    ? silence.toNanos()
                                    : silence.toNanos() - (System.nanoTime() - heard);
                } catch (ExecutionException e) {
                    return;
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    return;
                }
            }
            socket.abort();
            closed.complete("");
        }

        @Override
        public @Nullable CompletionStage<?> onClose(WebSocket from, int status, String reason) {
            closed.complete(status == POLICY_VIOLATION ? reason : "");
            return null;
        }

        @Override
        public void onError(WebSocket from, Throwable error) {
            closed.complete("");
        }
    }
}
