package io.berth.submit.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// An accounting service that has the jobs that it is told, and cannot answer while it is away.
public final class FakeBooks implements Closeable {

    private static final Pattern JOB = Pattern.compile("(?:^|&)job=([^&]*)");

    private final HttpServer server;
    private final Map<String, String> jobs = new ConcurrentHashMap<>();
    private volatile boolean away;
    private volatile boolean behind;

    FakeBooks() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 8);
        server.createContext("/", this::answer);
        server.start();
    }

    URI at() {
        return URI.create("http://127.0.0.1:" + server.getAddress().getPort());
    }

    /// A job is in them from now on.
    void has(long id, String state) {
        jobs.put(
                Long.toString(id),
                """
                {"id":%d,"name":"train","user":"alice","account":"lab","partition":"batch","state":"%s","reason":"None",
                 "exitCode":0,"signal":0,"nodeList":"gpu-[01-02]","runs":[{"lease":1}]}
                """
                        .formatted(id, state));
    }

    void away(boolean now) {
        away = now;
    }

    void behind(boolean now) {
        behind = now;
    }

    private void answer(HttpExchange exchange) throws IOException {
        Matcher job = JOB.matcher(String.valueOf(exchange.getRequestURI().getQuery()));
        String told = job.find() ? jobs.getOrDefault(job.group(1), "") : "";
        boolean known = exchange.getRequestHeaders().getFirst("Authorization") != null;
        byte[] body =
                "{\"jobs\":[%s],\"more\":false%s}"
                        .formatted(told, behind ? ",\"behind\":true" : "")
                        .getBytes(UTF_8);
        exchange.sendResponseHeaders(away ? 503 : known ? 200 : 401, body.length);
        exchange.getResponseBody().write(body);
        exchange.close();
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
