package io.berth.submit.restd;

import com.fasterxml.jackson.databind.JsonNode;
import io.berth.contracts.json.Json;
import io.berth.submit.Refusal.InvalidRequest;
import io.berth.submit.Refused;
import io.berth.submit.SubmitConfig;
import io.berth.submit.TooBusy;
import io.berth.submit.Unavailable;
import jakarta.annotation.PreDestroy;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import jakarta.ws.rs.core.HttpHeaders;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.stream.Collectors;

/// The jobs of the books, as the accounting service tells them to the same caller.
@Singleton
final class BookedJobs {
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final int BAD_REQUEST = 400;
    private static final int OK = 200;

    /// So many answers may be read at once.
    static final int MOST = 2;

    /// So many jobs are told in one.
    static final int LIMIT = 2_000;

    private final HttpClient client =
            HttpClient.newBuilder()
                    .version(HttpClient.Version.HTTP_1_1)
                    .connectTimeout(Duration.ofSeconds(2))
                    .build();
    private final Semaphore places = new Semaphore(MOST);
    private final URI accounting;

    @Inject
    BookedJobs(SubmitConfig config) {
        this(config.accountingUrl());
    }

    BookedJobs(URI accounting) {
        this.accounting = accounting;
    }

    @PreDestroy
    void close() {
        client.shutdownNow();
    }

    /// What is made of what `GET /v1/accounting/jobs` answers: `jobs`, and whether there are
    /// `more`.
    ///
    /// @param query its parameters
    /// @param authorization the caller's
    /// @throws Refused if a parameter is wrong
    /// @throws Unavailable if the accounting service does not answer
    <T> T ask(Map<String, String> query, String authorization, Function<JsonNode, T> made)
            throws Refused {
        if (!places.tryAcquire()) {
            throw new TooBusy("the gateway already reads " + MOST + " answers of the books");
        }
        CompletableFuture<HttpResponse<byte[]>> asked =
                client.sendAsync(request(query, authorization), BodyHandlers.ofByteArray());
        try {
            // A request's own time is that of the answer's beginning.
            HttpResponse<byte[]> answer = asked.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            if (answer.statusCode() != OK && answer.statusCode() != BAD_REQUEST) {
                throw new Unavailable("the accounting service answered " + answer.statusCode());
            }
            JsonNode body = Json.mapper().readTree(answer.body());
            if (answer.statusCode() == BAD_REQUEST) {
                throw new Refused(new InvalidRequest(body.path("detail").asText()));
            }
            return made.apply(body);
        } catch (IOException | ExecutionException | TimeoutException e) {
            throw new Unavailable("the accounting service does not answer", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new Unavailable("the gateway is stopping", e);
        } finally {
            asked.cancel(true);
            places.release();
        }
    }

    private HttpRequest request(Map<String, String> query, String authorization) {
        String parameters =
                query.entrySet().stream()
                        .map(it ->
                                it.getKey()
                                        + "="
                                        + URLEncoder.encode(it.getValue(), StandardCharsets.UTF_8))
                        .collect(Collectors.joining("&"));
        String jobs = "/v1/accounting/jobs?limit=" + LIMIT + "&";
        return HttpRequest.newBuilder(accounting.resolve(jobs + parameters))
                .header(HttpHeaders.AUTHORIZATION, authorization)
                .build();
    }
}
