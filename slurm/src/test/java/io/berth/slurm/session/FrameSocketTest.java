package io.berth.slurm.session;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.awaitility.Awaitility.await;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.Base64;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
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
}
