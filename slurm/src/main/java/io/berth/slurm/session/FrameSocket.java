package io.berth.slurm.session;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.net.http.WebSocketHandshakeException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/// One end of an interactive run, connected to the gateway by a WebSocket. Frames are sent in the
/// order of the calls, each when the one before is on its way; several threads may send. The
/// gateway gives signs of life (a ping every 20 s): where it is silent for a minute it is gone,
/// whatever the connection says.
public final class FrameSocket extends FrameLink {
    /// The header of a connection whose end counts what the other one says: what is said
    /// [beside][Frame#beside] the two it must know as such.
    public static final String COUNTS = "Berth-Counts";

    private static final Duration CONNECT = Duration.ofSeconds(10);
    private static final Duration SILENCE = Duration.ofSeconds(60);

    /// No message is larger: a whole command line with its variables is the longest.
    private static final int MOST_BYTES = 4 << 20;

    /// The status of a close with a reason that is this end's.
    private static final int POLICY_VIOLATION = 1008;

    private static final int NOT_FOUND = 404;

    private final HttpClient client;
    private final WebSocket socket;
    private final Listener listener;

    /// The gateway knows no such session, or not that secret of it.
    static final class Unknown extends IOException {
        private static final long serialVersionUID = 1;

        Unknown(URI session) {
            super("there is no session " + session);
        }
    }

    private FrameSocket(
            HttpClient client, WebSocket socket, Listener listener, InputWindow window) {
        super(window);
        this.client = client;
        this.socket = socket;
        this.listener = listener;
    }

    /// Connects to the session at this address (`ws://…/v1/sessions/<id>`) by its secret.
    ///
    /// @throws IOException if it cannot be reached, or does not know the secret
    public static FrameSocket connect(URI session, String secret, Receiver receiver)
            throws IOException {
        return connect(session, secret, receiver, SILENCE);
    }

    /// The same of an end that counts what it is told: by a header the gateway knows that. Of input
    /// that was taken the receiver is told.
    static FrameSocket counting(URI session, String secret, Receiver receiver) throws IOException {
        return connect(session, secret, receiver, SILENCE, new InputWindow(), true);
    }

    /// @param silence after so long without a word the gateway is gone
    static FrameSocket connect(URI session, String secret, Receiver receiver, Duration silence)
            throws IOException {
        var window = new InputWindow();
        Receiver rest =
                frame -> {
                    if (!window.took(frame)) {
                        receiver.take(frame);
                    }
                };
        return connect(session, secret, rest, silence, window, false);
    }

    private static FrameSocket connect(
            URI session,
            String secret,
            Receiver receiver,
            Duration silence,
            InputWindow window,
            boolean counts)
            throws IOException {
        var listener = new Listener(receiver);
        var unused = listener.closed.thenRun(window::over);
        HttpClient client = client(session);
        try {
            WebSocket.Builder builder =
                    client.newWebSocketBuilder()
                            .connectTimeout(CONNECT)
                            .header("Authorization", "Bearer " + secret);
            if (counts) {
                builder.header(COUNTS, "yes");
            }
            WebSocket socket =
                    builder.buildAsync(session, listener)
                            .orTimeout(2 * CONNECT.toSeconds(), TimeUnit.SECONDS)
                            .join();
            Thread.ofVirtual().start(() -> listener.watch(socket, silence));
            return new FrameSocket(client, socket, listener, window);
        } catch (CompletionException e) {
            client.shutdownNow();
            if (e.getCause() instanceof WebSocketHandshakeException it
                    && it.getResponse().statusCode() == NOT_FOUND) {
                throw new Unknown(session);
            }
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

    @Override
    public synchronized void send(Frame frame) throws IOException {
        try {
            socket.sendBinary(frame.message(), true).join();
        } catch (CompletionException | IllegalStateException e) {
            throw new IOException("the connection to the other end is over", e);
        }
    }

    @Override
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

        /// When the last word was taken; while one is being taken, nothing can be heard.
        private volatile long heard = System.nanoTime();

        private volatile boolean taking;

        Listener(Receiver receiver) {
            this.receiver = receiver;
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
                receiver.take(frame);
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
