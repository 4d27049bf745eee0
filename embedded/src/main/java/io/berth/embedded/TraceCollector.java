package io.berth.embedded;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/// A collector of traces that keeps what it is sent: `POST` adds a body, `GET` tells them all, as
/// an array.
public final class TraceCollector implements AutoCloseable {

    private final List<String> bodies = new CopyOnWriteArrayList<>();
    private final HttpServer server;

    private TraceCollector(HttpServer server) {
        this.server = server;
    }

    public static TraceCollector start() throws IOException {
        var address = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        var collector = new TraceCollector(HttpServer.create(address, 0));
        collector.server.createContext("/v1/traces", collector::answer);
        collector.server.start();
        return collector;
    }

    /// Where traces are sent.
    public URI endpoint() {
        return URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/v1/traces");
    }

    /// The bodies that were sent.
    public List<String> bodies() {
        return List.copyOf(bodies);
    }

    @Override
    public void close() {
        server.stop(0);
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            byte[] body = exchange.getRequestBody().readAllBytes();
            if (exchange.getRequestMethod().equals("POST")) {
                bodies.add(new String(body, StandardCharsets.UTF_8));
                exchange.sendResponseHeaders(200, -1);
            } else {
                byte[] all = bodies.toString().getBytes(StandardCharsets.UTF_8);
                exchange.sendResponseHeaders(200, all.length);
                exchange.getResponseBody().write(all);
            }
        }
    }
}
