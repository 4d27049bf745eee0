package io.berth.client;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.berth.client.BerthException.NotAnswered;
import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// The requests of one client, each repeated until its outcome is certain, where it may be. Used by
/// several threads. It follows no redirection, which would carry the token to another host.
final class Requests implements AutoCloseable {

    private static final String NDJSON = "application/x-ndjson";
    private static final int UNAVAILABLE = 503;
    private static final Duration FIRST_PAUSE = Duration.ofMillis(250);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(2);
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(5);

    /// The token is no part of what it says of itself.
    private final String gateway;

    private final String token;
    private final Duration timeout;
    private final Duration patience;
    private final HttpClient http =
            HttpClient.newBuilder()
                    .version(HttpClient.Version.HTTP_1_1)
                    .connectTimeout(CONNECT_TIMEOUT)
                    .build();
    private volatile @Nullable String position;
    private volatile boolean closed;

    Requests(String gateway, String token, Duration timeout, Duration patience) {
        this.gateway = gateway;
        this.token = token;
        this.timeout = timeout;
        this.patience = patience;
    }

    String gateway() {
        return gateway;
    }

    Duration timeout() {
        return timeout;
    }

    JsonObject get(String path) {
        return send("GET", path, null, List.of());
    }

    /// What is answered with a success.
    ///
    /// @param body JSON; null for none
    /// @param headers names and values in turn
    JsonObject send(String method, String path, @Nullable String body, List<String> headers) {
        boolean again = !method.equals("POST") || headers.contains(Berth.KEY);
        var request =
                request(path, "application/json, application/problem+json", headers)
                        .method(
                                method,
                                body == null
                                        ? BodyPublishers.noBody()
                                        : BodyPublishers.ofString(body));
        if (body != null) {
            request.header("Content-Type", "application/json");
        }
        return patiently(again, () -> whole(request.build()));
    }

    /// What is answered to lines of JSON, a line for each. It is sent again while the outcome of
    /// one is not known, so the headers carry an idempotency key; after that it is told as it is.
    List<JsonObject> sendLines(String path, String lines, List<String> headers) {
        HttpRequest request =
                request(path, NDJSON + ", application/problem+json", headers)
                        .POST(BodyPublishers.ofString(lines))
                        .header("Content-Type", NDJSON)
                        .build();
        var told = new ArrayList<JsonObject>();
        try {
            return patiently(
                    true,
                    () -> {
                        List<JsonObject> answered = lines(request);
                        told.clear();
                        told.addAll(answered);
                        for (JsonObject line : answered) {
                            if (line.number("status") == UNAVAILABLE) {
                                throw new NotAnswered(
                                        UNAVAILABLE, line.text("code"), line.text("detail"), 0);
                            }
                        }
                        return answered;
                    });
        } catch (NotAnswered e) {
            if (told.isEmpty()) {
                throw e;
            }
            return told;
        }
    }

    private List<JsonObject> lines(HttpRequest request) {
        HttpResponse<byte[]> response = exchange(request, BodyHandlers.ofByteArray());
        Answer answer = answer(response, response.body());
        if (answer.position() != null) {
            position = answer.position();
        }
        var lines = new ArrayList<JsonObject>();
        try {
            for (String line : new String(response.body(), UTF_8).lines().toList()) {
                lines.add(JsonObject.read(line.getBytes(UTF_8)));
            }
        } catch (IOException e) {
            throw noAnswer(e);
        }
        return lines;
    }

    /// Bytes that come for as long as there are some; to be closed.
    InputStream stream(String path, List<String> headers) {
        HttpRequest request =
                request(path, "text/event-stream, application/problem+json", headers).build();
        return patiently(true, () -> opened(request));
    }

    private HttpRequest.Builder request(String path, String accept, List<String> headers) {
        var request =
                HttpRequest.newBuilder(URI.create(gateway + path))
                        .header("Authorization", "Bearer " + token)
                        .header("Accept", accept);
        String written = position;
        if (written != null) {
            request.header(Answer.POSITION, written);
        }
        if (!headers.isEmpty()) {
            request.headers(headers.toArray(String[]::new));
        }
        return request;
    }

    private JsonObject whole(HttpRequest request) {
        HttpResponse<byte[]> response = exchange(request, BodyHandlers.ofByteArray());
        Answer answer = answer(response, response.body());
        if (answer.position() != null) {
            position = answer.position();
        }
        return answer.body();
    }

    private InputStream opened(HttpRequest request) {
        HttpResponse<InputStream> response = exchange(request, BodyHandlers.ofInputStream());
        if (response.statusCode() == 200) {
            return response.body();
        }
        try (InputStream body = response.body()) {
            answer(response, body.readAllBytes());
            throw new BerthException(
                    response.statusCode(), "", "the mesh answered " + response.statusCode());
        } catch (IOException e) {
            throw noAnswer(e);
        }
    }

    /// The answer, if it is a success.
    private Answer answer(HttpResponse<?> response, byte[] body) {
        Answer answer;
        try {
            answer =
                    Answer.of(
                            response.statusCode(),
                            body,
                            response.headers().firstValue(Answer.POSITION).orElse(null));
        } catch (IOException e) {
            throw noAnswer(e);
        }
        // Of a 500, and what a proxy says, it is not known what was done.
        if (answer.unavailable() || answer.status() >= 500) {
            throw new NotAnswered(
                    answer.status(), answer.code(), answer.detail(), retryAfter(response));
        }
        if (!answer.ok()) {
            throw new BerthException(answer.status(), answer.code(), answer.detail());
        }
        return answer;
    }

    /// Seconds; 0 where none are told.
    private static long retryAfter(HttpResponse<?> response) {
        String told = response.headers().firstValue("Retry-After").orElse("");
        return told.matches("\\d{1,9}") ? Long.parseLong(told) : 0;
    }

    private <T> HttpResponse<T> exchange(HttpRequest request, BodyHandler<T> body) {
        CompletableFuture<HttpResponse<T>> sent = http.sendAsync(request, body);
        try {
            return sent.get(timeout.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            sent.cancel(true);
            throw noAnswer("within " + timeout.toSeconds() + " s");
        } catch (ExecutionException e) {
            throw noAnswer(e.getCause());
        } catch (InterruptedException e) {
            sent.cancel(true);
            throw interrupted();
        }
    }

    private NotAnswered noAnswer(@Nullable Throwable cause) {
        return noAnswer(
                cause instanceof ConnectException ? "(connection refused)" : "(" + cause + ")");
    }

    private NotAnswered noAnswer(String why) {
        return new NotAnswered(0, "", "no answer from " + gateway + " " + why, 0);
    }

    private NotAnswered interrupted() {
        Thread.currentThread().interrupt();
        return noAnswer("(the thread was interrupted)");
    }

    private <T> T patiently(boolean again, Supplier<T> attempt) {
        long deadline = System.nanoTime() + patience.toNanos();
        Duration pause = FIRST_PAUSE;
        while (true) {
            Duration wait;
            try {
                return attempt.get();
            } catch (NotAnswered e) {
                wait = longer(pause, Duration.ofSeconds(e.retryAfterSeconds()));
                // Of 429 it is certain that nothing was done.
                if (closed
                        || !(again || e.status() == 429)
                        || Thread.currentThread().isInterrupted()
                        || System.nanoTime() + wait.toNanos() - deadline > 0) {
                    throw e;
                }
            }
            pause(wait);
            pause = pause.multipliedBy(2);
            pause = pause.compareTo(LONGEST_PAUSE) > 0 ? LONGEST_PAUSE : pause;
        }
    }

    private static Duration longer(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? other : one;
    }

    /// @throws NotAnswered if the thread is interrupted
    void pause(Duration time) {
        try {
            Thread.sleep(time);
        } catch (InterruptedException e) {
            throw interrupted();
        }
    }

    @Override
    public void close() {
        closed = true;
        http.shutdownNow();
        http.close();
    }
}
