package io.berth.slurm.session;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// One end against a gateway of bare bytes, which never closes a connection by itself.
class FrameSocketTest {
    private static final byte[] PING = {(byte) 0x89, 0};

    private final ServerSocket gateway;

    FrameSocketTest() throws IOException {
        gateway = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
    }

    @AfterEach
    void close() throws IOException {
        gateway.close();
    }

    private CompletableFuture<Socket> accepted() {
        var connection = new CompletableFuture<Socket>();
        Thread.ofVirtual()
                .start(() -> {
                    try {
                        Socket socket = gateway.accept();
                        InputStream in = socket.getInputStream();
                        var unused =
                                new TrainingGateway(
                                        TrainingGateway.head(in), in, socket.getOutputStream());
                        connection.complete(socket);
                    } catch (Exception e) {
                        connection.completeExceptionally(e);
                    }
                });
        return connection;
    }

    private FrameSocket connect(Duration silence) throws IOException {
        return FrameSocket.connect(
                URI.create("ws://127.0.0.1:" + gateway.getLocalPort()), "x", _ -> {}, silence);
    }

    @Test
    void a_gateway_that_is_silent_for_too_long_is_gone() throws Exception {
        CompletableFuture<Socket> connection = accepted();

        try (FrameSocket end = connect(Duration.ofMillis(300));
                Socket _ = connection.join()) {
            assertThatCode(() -> end.closed().get(20, TimeUnit.SECONDS)).doesNotThrowAnyException();
        }
    }

    @Test
    void a_sign_of_life_is_heard() throws Exception {
        CompletableFuture<Socket> connection = accepted();

        try (FrameSocket end = connect(Duration.ofMinutes(1));
                Socket there = connection.join()) {
            long before = end.heard();
            there.getOutputStream().write(PING);
            await().until(() -> end.heard() > before);
        }
    }

    @Test
    void input_waits_where_the_program_does_not_read_it() throws Exception {
        CompletableFuture<Socket> connection = accepted();
        var zeros = new Zeros();

        try (FrameSocket end = connect(Duration.ofMinutes(1));
                Socket there = connection.join()) {
            Thread.ofVirtual().start(() -> drain(there));
            var sent = CompletableFuture.runAsync(() -> sendInput(end, zeros));
            int held = InputWindow.BYTES + Frame.MAX_BYTES;
            await().during(Duration.ofMillis(200)).until(() -> zeros.read.get() == held);

            there.getOutputStream().write(message("took 65536"));
            await().during(Duration.ofMillis(200)).until(() -> zeros.read.get() == held + 65536);

            there.shutdownOutput();
            assertThatThrownBy(() -> sent.get(20, TimeUnit.SECONDS))
                    .hasRootCauseInstanceOf(IOException.class);
        }
    }

    private static final class Zeros extends InputStream {
        private final AtomicInteger read = new AtomicInteger();

        @Override
        public int read() {
            read.incrementAndGet();
            return 0;
        }

        @Override
        public int read(byte[] into, int from, int length) {
            read.addAndGet(length);
            return length;
        }
    }

    private static void sendInput(FrameSocket end, InputStream from) {
        try {
            end.sendInput(from);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void drain(Socket socket) {
        try {
            socket.getInputStream().transferTo(OutputStream.nullOutputStream());
        } catch (IOException e) {
            // The test is over.
        }
    }

    /// A control frame in one binary message.
    private static byte[] message(String words) {
        ByteBuffer frame = Frame.control(words).message();
        return ByteBuffer.allocate(frame.remaining() + 2)
                .put((byte) 0x82)
                .put((byte) frame.remaining())
                .put(frame)
                .array();
    }
}
