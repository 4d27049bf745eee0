package io.berth.submit.http;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.contracts.JobState;
import io.berth.contracts.json.Json;
import io.berth.slurm.HostList;
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
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.stream.Collectors;

/// The jobs of the books, as the accounting service tells them to the same caller.
@Singleton
public final class BookedJobs {
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final int BAD_REQUEST = 400;
    private static final int OK = 200;

    /// What marks a job that is told as the books have it.
    private static final String FROM_BOOKS = "fromBooks";

    /// So many answers may be read at once.
    public static final int MOST = 2;

    /// So many jobs are told in one.
    public static final int LIMIT = 2_000;

    /// So many may look for one job at once; others wait for a while.
    private static final int MOST_LOOKS = 8;

    private static final Duration LOOK_PATIENCE = Duration.ofSeconds(2);

    private final HttpClient client =
            HttpClient.newBuilder()
                    .version(HttpClient.Version.HTTP_1_1)
                    .connectTimeout(Duration.ofSeconds(2))
                    .build();
    private final Semaphore places = new Semaphore(MOST);
    private final Semaphore looks = new Semaphore(MOST_LOOKS);
    private final URI accounting;

    @Inject
    BookedJobs(SubmitConfig config) {
        this(config.accountingUrl());
    }

    public BookedJobs(URI accounting) {
        this.accounting = accounting;
    }

    @PreDestroy
    public void close() {
        client.shutdownNow();
    }

    /// What is made of what `GET /v1/accounting/jobs` answers: `jobs`, and whether there are
    /// `more`.
    ///
    /// @param query its parameters
    /// @param authorization the caller's
    /// @throws Refused if a parameter is wrong
    /// @throws Unavailable if the accounting service does not answer
    public <T> T ask(Map<String, String> query, String authorization, Function<JsonNode, T> made)
            throws Refused {
        if (!places.tryAcquire()) {
            throw new TooBusy("the gateway already reads " + MOST + " answers of the books");
        }
        try {
            return made.apply(answer(query, authorization));
        } finally {
            places.release();
        }
    }

    /// A job that has ended, as the books have it, marked as theirs; of several the first. Empty if
    /// they have none that the caller may see.
    ///
    /// @param job its name
    /// @throws Unavailable if they cannot be asked, or do not know all yet
    Optional<ObjectNode> ended(String job, String authorization) throws Refused {
        JsonNode told = look(Map.of("job", job), authorization);
        JsonNode first = told.path("jobs").path(0);
        if (first instanceof ObjectNode it
                && JobState.valueOf(it.path("state").asText()).terminal()) {
            ArrayNode names = it.putArray("nodeNames");
            HostList.expand(it.path("nodeList").asText()).forEach(names::add);
            return Optional.of(it.put(FROM_BOOKS, true));
        }
        if (!first.isMissingNode() || told.path("behind").asBoolean()) {
            throw new Unavailable("the books do not know yet what became of job " + job);
        }
        return Optional.empty();
    }

    private JsonNode look(Map<String, String> query, String authorization) throws Refused {
        try {
            if (!looks.tryAcquire(LOOK_PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
                throw new Unavailable("the books are asked for too many jobs at once");
            }
        } catch (InterruptedException e) {
            throw stopping(e);
        }
        try {
            return answer(query, authorization);
        } finally {
            looks.release();
        }
    }

    private JsonNode answer(Map<String, String> query, String authorization) throws Refused {
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
            return body;
        } catch (IOException | ExecutionException | TimeoutException e) {
            throw new Unavailable("the accounting service does not answer", e);
        } catch (InterruptedException e) {
            throw stopping(e);
        } finally {
            asked.cancel(true);
        }
    }

    private static Unavailable stopping(InterruptedException e) {
        Thread.currentThread().interrupt();
        return new Unavailable("the gateway is stopping", e);
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
