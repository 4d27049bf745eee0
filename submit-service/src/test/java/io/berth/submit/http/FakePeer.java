package io.berth.submit.http;

import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.ServerWebSocket;
import io.vertx.core.http.ServerWebSocketHandshake;
import java.io.Closeable;
import java.net.URI;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;

/// Another gateway, which knows what it is told. It answers what another passes on to it alone.
public final class FakePeer implements Closeable {
    private final Vertx vertx = Vertx.vertx();
    private final HttpServer server;
    private final Map<String, String> answers = new ConcurrentHashMap<>();
    private final Queue<String> asked = new ConcurrentLinkedQueue<>();
    private final BlockingQueue<ServerWebSocket> came = new LinkedBlockingQueue<>();

    FakePeer() {
        server =
                vertx.createHttpServer()
                        .webSocketHandshakeHandler(this::shake)
                        .webSocketHandler(came::add)
                        .requestHandler(this::answer)
                        .listen(0, "127.0.0.1")
                        .toCompletionStage()
                        .toCompletableFuture()
                        .join();
    }

    URI at() {
        return URI.create("http://localhost:" + server.actualPort());
    }

    /// @param what method and path; `WS` for a WebSocket
    void knows(String what, String body) {
        answers.put(what, body);
    }

    /// Those who came to a WebSocket.
    BlockingQueue<ServerWebSocket> came() {
        return came;
    }

    /// What was asked and by whom, with the body.
    Queue<String> asked() {
        return asked;
    }

    private void shake(ServerWebSocketHandshake end) {
        boolean known =
                answers.containsKey("WS " + end.path())
                        && end.headers().contains("Berth-Passed-On");
        var unused = known ? end.accept() : end.reject(404);
    }

    private void answer(HttpServerRequest request) {
        String what = request.method() + " " + request.path();
        String body = answers.get(what);
        var unused =
                request.body()
                        .onSuccess(it -> {
                            asked.add(what + " " + request.getHeader("Authorization") + " " + it);
                            boolean known =
                                    body != null && request.headers().contains("Berth-Passed-On");
                            var unusedEnd =
                                    request.response()
                                            .setStatusCode(known ? 201 : 404)
                                            .end(known ? body : "");
                        });
    }

    @Override
    public void close() {
        vertx.close().toCompletionStage().toCompletableFuture().join();
    }
}
