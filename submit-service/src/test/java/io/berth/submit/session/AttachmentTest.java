package io.berth.submit.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.berth.submit.TooBusy;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.ServerWebSocket;
import io.vertx.core.http.impl.WebSocketInternal;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class AttachmentTest {
    private static final int BUFFERS = 8 << 10;

    private final Vertx vertx = Vertx.vertx();
    private final CompletableFuture<ServerWebSocket> came = new CompletableFuture<>();
    private final Socket neverReads = new Socket();

    @BeforeEach
    void comes() throws Exception {
        System.clearProperty("vertx.disableWebsockets");
        HttpServer server =
                vertx.createHttpServer(new HttpServerOptions().setSendBufferSize(BUFFERS))
                        .webSocketHandler(came::complete)
                        .listen(0, "127.0.0.1")
                        .toCompletionStage()
                        .toCompletableFuture()
                        .get(10, TimeUnit.SECONDS);
        neverReads.setReceiveBufferSize(BUFFERS);
        neverReads.connect(new InetSocketAddress("127.0.0.1", server.actualPort()));
        neverReads
                .getOutputStream()
                .write(
                        """
                        GET / HTTP/1.1\r
                        Host: gateway\r
                        Upgrade: websocket\r
                        Connection: Upgrade\r
                        Sec-WebSocket-Version: 13\r
                        Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r
                        \r
                        """
                                .getBytes(StandardCharsets.US_ASCII));
    }

    @AfterEach
    void close() throws Exception {
        neverReads.close();
        vertx.close().toCompletionStage().toCompletableFuture().get(10, TimeUnit.SECONDS);
    }

    @Test
    void who_never_reads_is_gone_soon_be_the_messages_empty() throws Exception {
        ServerWebSocket socket = came.get(10, TimeUnit.SECONDS);
        var gone = new CompletableFuture<Void>();
        socket.closeHandler(gone::complete);
        var attachment =
                new Attachment(
                        socket,
                        ((WebSocketInternal) socket).channelHandlerContext(),
                        Duration.ofMillis(100));

        for (int i = 0; i < 100_000 && !socket.isClosed(); i++) {
            attachment.show(Buffer.buffer());
        }

        assertThat(socket.isClosed()).isTrue();
        assertThat(gone).succeedsWithin(Duration.ofSeconds(10));
    }

    @Test
    void a_job_that_never_reads_is_told_no_more_than_its_connection_takes() throws Exception {
        var session = new Session(false, () -> {}, null);
        session.join(Session.End.JOB, came.get(10, TimeUnit.SECONDS), false);

        assertThat(session.tellJob(Buffer.buffer("a"))).isTrue();
        assertThatThrownBy(
                        () -> {
                            for (int i = 0; i < 1000; i++) {
                                session.tellJob(Buffer.buffer(new byte[64 << 10]));
                            }
                        })
                .isInstanceOf(TooBusy.class);
    }
}
