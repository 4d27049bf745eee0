package io.berth.cli;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// A gateway and an accounting service on the loopback that give canned answers and remember what
/// they were asked.
final class FakeMesh implements AutoCloseable {

    /// An answer; one without a status closes the connection instead.
    ///
    /// @param more bytes that are announced and do not come
    record Reply(int status, String body, int more) {

        Reply(int status, String body) {
            this(status, body, 0);
        }

        static Reply cutOff(String body) {
            return new Reply(200, body, 1);
        }

        static final Reply HANG_UP = new Reply(0, "");

        /// As much as is read.
        static final Reply ENDLESS = new Reply(200, "without end\n");

        static Reply problem(int status, String code, String detail) {
            return new Reply(
                    status,
                    "{\"title\":\"No\",\"status\":"
                            + status
                            + ",\"code\":\""
                            + code
                            + "\",\"detail\":\""
                            + detail
                            + "\"}");
        }
    }

    /// A request as it came.
    ///
    /// @param path with its query
    record Request(String method, String path, Map<String, String> headers, String body) {

        @Nullable String header(String name) {
            return headers.get(name.toLowerCase(Locale.ROOT));
        }
    }

    private static final Pattern OFFSET = Pattern.compile("offset=(\\d+)");

    private final HttpServer server;
    private final Map<String, Deque<Reply>> replies = new HashMap<>();
    private final List<Request> requests = new ArrayList<>();

    FakeMesh() {
        try {
            server =
                    HttpServer.create(
                            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        server.createContext("/", this::handle);
        server.start();
    }

    /// What a request gets, each time; several replies are given in turn and the last one for ever.
    FakeMesh on(String method, String path, Reply... inTurn) {
        replies.put(method + " " + path, new ArrayDeque<>(List.of(inTurn)));
        return this;
    }

    FakeMesh on(String method, String path, String body) {
        return on(method, path, new Reply(200, body));
    }

    String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    synchronized List<Request> requests() {
        return List.copyOf(requests);
    }

    private void handle(HttpExchange exchange) throws IOException {
        Reply reply = note(exchange);
        if (reply.status() == 0) {
            exchange.close();
            return;
        }
        byte[] body = reply.body().getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().add("Content-Type", "application/json");
        exchange.getResponseHeaders().add("Berth-Position", "p7");
        Matcher offset = OFFSET.matcher(exchange.getRequestURI().toString());
        if (offset.find()) {
            exchange.getResponseHeaders().add("Berth-Output-Offset", offset.group(1));
        }
        if (reply.status() == 401) {
            exchange.getResponseHeaders().add("WWW-Authenticate", "Bearer");
        }
        if (reply.equals(Reply.ENDLESS)) {
            writeFor(exchange, body);
        }
        exchange.sendResponseHeaders(
                reply.status(), body.length == 0 ? -1 : body.length + reply.more());
        exchange.getResponseBody().write(body);
        exchange.getResponseBody().flush();
        exchange.close();
    }

    /// Writes until the reader goes.
    private static void writeFor(HttpExchange exchange, byte[] body) throws IOException {
        exchange.sendResponseHeaders(200, 0);
        while (true) {
            exchange.getResponseBody().write(body);
        }
    }

    private synchronized Reply note(HttpExchange exchange) throws IOException {
        var headers = new HashMap<String, String>();
        exchange.getRequestHeaders()
                .forEach((name, values) ->
                        headers.put(name.toLowerCase(Locale.ROOT), values.getFirst()));
        String path = exchange.getRequestURI().toString();
        String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
        requests.add(new Request(exchange.getRequestMethod(), path, headers, body));
        int query = path.indexOf('?');
        String plain = query < 0 ? path : path.substring(0, query);
        Deque<Reply> inTurn = replies.get(exchange.getRequestMethod() + " " + plain);
        if (inTurn == null) {
            return Reply.problem(404, "job_not_found", "there is nothing at " + plain);
        }
        return inTurn.size() > 1 ? inTurn.removeFirst() : inTurn.getFirst();
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
