package io.berth.client;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;

/// A gateway that gives the answers it was made with in turn, the last one for ever, and remembers
/// what it was asked.
final class FakeGateway implements AutoCloseable {

    /// @param status 0 hangs up
    /// @param goesOn whether the connection stays open, in silence
    record Reply(int status, Map<String, String> headers, String body, boolean goesOn) {

        static final Reply HANG_UP = new Reply(0, Map.of(), "", false);

        Reply(int status, String body) {
            this(status, Map.of(), body, false);
        }

        static Reply problem(int status, String code, String detail) {
            return new Reply(status, "{\"code\":\"%s\",\"detail\":\"%s\"}".formatted(code, detail));
        }
    }

    record Request(String method, String path, Map<String, List<String>> headers, String body) {

        @Nullable String header(String name) {
            List<String> values = headers.get(name);
            return values == null ? null : values.getFirst();
        }
    }

    private final HttpServer server;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final CountDownLatch end = new CountDownLatch(1);
    private final List<Reply> replies;
    private final List<Request> requests = new ArrayList<>();

    FakeGateway(Reply... replies) throws IOException {
        this.replies = List.of(replies);
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 8);
        server.setExecutor(threads);
        server.createContext("/", this::answer);
        server.start();
    }

    String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    synchronized List<Request> requests() {
        return List.copyOf(requests);
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            Reply reply = note(exchange);
            if (reply.status() == 0) {
                return;
            }
            byte[] body = reply.body().getBytes(StandardCharsets.UTF_8);
            reply.headers().forEach(exchange.getResponseHeaders()::add);
            exchange.sendResponseHeaders(reply.status(), 0);
            exchange.getResponseBody().write(body);
            exchange.getResponseBody().flush();
            if (reply.goesOn()) {
                end.await();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private synchronized Reply note(HttpExchange exchange) throws IOException {
        requests.add(
                new Request(
                        exchange.getRequestMethod(),
                        exchange.getRequestURI().toString(),
                        Map.copyOf(exchange.getRequestHeaders()),
                        new String(
                                exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8)));
        return replies.get(Math.min(requests.size(), replies.size()) - 1);
    }

    @Override
    public void close() {
        end.countDown();
        server.stop(0);
        threads.shutdownNow();
    }
}
