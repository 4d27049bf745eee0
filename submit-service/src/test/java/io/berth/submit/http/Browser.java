package io.berth.submit.http;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.contracts.json.Json;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

/// A page in a headless Chromium of this system, driven by the DevTools protocol.
final class Browser implements AutoCloseable {
    private static final List<String> NAMES =
            List.of("chromium", "chromium-browser", "google-chrome", "google-chrome-stable");
    private static final String LISTENING = "DevTools listening on ";

    private final Path profile;
    private final Process process;
    private final HttpClient client = HttpClient.newHttpClient();
    private final Map<Integer, CompletableFuture<JsonNode>> answers = new ConcurrentHashMap<>();
    private final AtomicInteger calls = new AtomicInteger();
    private final List<String> errors = new CopyOnWriteArrayList<>();
    private final WebSocket socket;
    private @Nullable String session;

    private Browser(Path program) throws IOException {
        profile = Files.createTempDirectory("berth-browser");
        Path log = profile.resolve("log");
        process =
                new ProcessBuilder(
                                program.toString(),
                                "--headless=new",
                                "--no-sandbox",
                                "--disable-gpu",
                                "--disable-dev-shm-usage",
                                "--hide-scrollbars",
                                "--no-first-run",
                                "--window-size=1280,900",
                                "--remote-debugging-port=0",
                                "--user-data-dir=" + profile.resolve("data"),
                                "about:blank")
                        .redirectErrorStream(true)
                        .redirectOutput(log.toFile())
                        .start();
        URI address =
                Awaitility.await()
                        .atMost(Duration.ofSeconds(60))
                        .until(() -> listening(log), Optional::isPresent)
                        .orElseThrow();
        socket = client.newWebSocketBuilder().buildAsync(address, new Listener()).join();
        JsonNode target = call("Target.createTarget", Map.of("url", "about:blank"));
        session =
                call(
                                "Target.attachToTarget",
                                Map.of(
                                        "targetId",
                                        target.path("targetId").asText(),
                                        "flatten",
                                        true))
                        .path("sessionId")
                        .asText();
        call("Page.enable", Map.of());
        call("Runtime.enable", Map.of());
        call("Log.enable", Map.of());
    }

    /// The browser of this system; empty if there is none.
    static Optional<Path> program() {
        return Stream.of(System.getenv("PATH").split(":"))
                .flatMap(folder -> NAMES.stream().map(name -> Path.of(folder, name)))
                .filter(Files::isExecutable)
                .findFirst();
    }

    static Browser start(Path program) throws IOException {
        return new Browser(program);
    }

    private static Optional<URI> listening(Path log) throws IOException {
        return Files.readAllLines(log, StandardCharsets.ISO_8859_1).stream()
                .filter(it -> it.startsWith(LISTENING))
                .map(it -> URI.create(it.substring(LISTENING.length()).strip()))
                .findFirst();
    }

    /// Forgets the page, its size and its errors.
    void anew() {
        call("Emulation.clearDeviceMetricsOverride", Map.of());
        go("about:blank");
        errors.clear();
    }

    void go(String address) {
        call("Page.navigate", Map.of("url", address));
    }

    /// The value of an expression; what it throws is an error of the test.
    JsonNode evaluate(String expression) {
        JsonNode answer =
                call(
                        "Runtime.evaluate",
                        Map.of(
                                "expression",
                                expression,
                                "returnByValue",
                                true,
                                "awaitPromise",
                                true));
        if (answer.has("exceptionDetails")) {
            throw new AssertionError(expression + ": " + answer.path("exceptionDetails"));
        }
        return answer.path("result").path("value");
    }

    /// The text that a person sees.
    String text() {
        return evaluate("document.body.innerText").asText();
    }

    /// Clicks the first element that the selector names and that has this text.
    void click(String selector, String text) {
        boolean clicked =
                evaluate(
                                "(() => { const it = [...document.querySelectorAll(%s)].find((e) => e.textContent.includes(%s)); it?.click(); return !!it; })()"
                                        .formatted(quoted(selector), quoted(text)))
                        .asBoolean();
        if (!clicked) {
            throw new AssertionError("no " + selector + " with " + text + " in: " + text());
        }
    }

    void key(String key) {
        evaluate(
                "dispatchEvent(new KeyboardEvent('keydown', { key: %s, bubbles: true }))"
                        .formatted(quoted(key))
                        .replace("dispatchEvent", "document.body.dispatchEvent"));
    }

    void size(int width, int height) {
        call(
                "Emulation.setDeviceMetricsOverride",
                Map.of(
                        "width",
                        width,
                        "height",
                        height,
                        "deviceScaleFactor",
                        1,
                        "mobile",
                        width < 600));
    }

    byte[] screenshot() {
        return Base64.getDecoder()
                .decode(
                        call("Page.captureScreenshot", Map.of("format", "png"))
                                .path("data")
                                .asText());
    }

    /// Uncaught exceptions and errors that the browser logged: a script, style or address that the
    /// page may not use is one.
    List<String> errors() {
        return new ArrayList<>(errors);
    }

    private static String quoted(String text) {
        return Json.mapper().valueToTree(text).toString();
    }

    private JsonNode call(String method, Map<String, ?> parameters) {
        int id = calls.incrementAndGet();
        ObjectNode message = Json.mapper().createObjectNode();
        message.put("id", id)
                .put("method", method)
                .set("params", Json.mapper().valueToTree(parameters));
        if (session != null) {
            message.put("sessionId", session);
        }
        var answer = new CompletableFuture<JsonNode>();
        answers.put(id, answer);
        socket.sendText(message.toString(), true).join();
        return answer.orTimeout(30, TimeUnit.SECONDS).join();
    }

    @Override
    public void close() throws IOException {
        socket.abort();
        client.shutdownNow();
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
        process.onExit().orTimeout(20, TimeUnit.SECONDS).join();
        Awaitility.await().atMost(Duration.ofSeconds(60)).ignoreExceptions().until(this::deleted);
    }

    private boolean deleted() throws IOException {
        try (Stream<Path> files = Files.walk(profile)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
        return true;
    }

    private final class Listener implements WebSocket.Listener {
        private final StringBuilder parts = new StringBuilder();

        @Override
        public @Nullable CompletionStage<?> onText(
                WebSocket from, CharSequence data, boolean last) {
            parts.append(data);
            if (last) {
                take(parts.toString());
                parts.setLength(0);
            }
            from.request(1);
            return null;
        }

        private void take(String text) {
            JsonNode message;
            try {
                message = Json.mapper().readTree(text);
            } catch (IOException e) {
                errors.add("no JSON: " + text);
                return;
            }
            if (message.has("id")) {
                CompletableFuture<JsonNode> answer = answers.remove(message.get("id").asInt());
                if (answer != null) {
                    answer.complete(message.path("result"));
                }
                return;
            }
            switch (message.path("method").asText()) {
                case "Runtime.exceptionThrown" ->
                        errors.add(message.at("/params/exceptionDetails").toString());
                case "Log.entryAdded" -> {
                    JsonNode entry = message.at("/params/entry");
                    if (entry.path("level").asText().equals("error")) {
                        errors.add(entry.path("text").asText() + " " + entry.path("url").asText());
                    }
                }
                default -> {
                    // Of no interest here.
                }
            }
        }
    }
}
