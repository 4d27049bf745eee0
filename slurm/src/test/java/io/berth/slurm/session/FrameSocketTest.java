package io.berth.slurm.session;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.Base64;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// One end against a gateway of bare bytes, which never closes a connection by itself.
class FrameSocketTest {
    private static final String WEBSOCKET = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
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
                        upgrade(socket);
                        connection.complete(socket);
                    } catch (Exception e) {
                        connection.completeExceptionally(e);
                    }
                });
        return connection;
    }

    private static void upgrade(Socket socket) throws Exception {
        var lines = new BufferedReader(new InputStreamReader(socket.getInputStream(), ISO_8859_1));
        String key = "";
        for (String line = lines.readLine(); !line.isEmpty(); line = lines.readLine()) {
            if (line.toLowerCase(Locale.ROOT).startsWith("sec-websocket-key: ")) {
                key = line.substring(line.indexOf(' ') + 1);
            }
        }
        byte[] digest =
                MessageDigest.getInstance("SHA-1").digest((key + WEBSOCKET).getBytes(ISO_8859_1));
        String answer =
                "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                        + "Sec-WebSocket-Accept: "
                        + Base64.getEncoder().encodeToString(digest)
                        + "\r\n\r\n";
        socket.getOutputStream().write(answer.getBytes(ISO_8859_1));
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
            int held = FrameSocket.INPUT_WINDOW + Frame.MAX_BYTES;
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
