package io.berth.submit.http;

import io.berth.submit.SubmitConfig;
import io.berth.submit.TooBusy;
import io.berth.submit.Unavailable;
import io.smallrye.common.annotation.RunOnVirtualThread;
import io.vertx.core.http.HttpServerRequest;
import jakarta.annotation.PreDestroy;
import jakarta.annotation.security.RolesAllowed;
import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.HeaderParam;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.core.StreamingOutput;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;
import org.jspecify.annotations.Nullable;

/// `/v1/accounting/history`: what was used over time, as the accounting service answers it to the
/// same caller. For the console, which speaks with the gateway alone.
@Path("/v1/accounting/history")
@Produces(MediaType.APPLICATION_JSON)
@RolesAllowed({Callers.OPERATOR, Callers.USER})
@RunOnVirtualThread
@Tag(name = "Cluster")
public class HistoryResource {
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final int SERVER_ERROR = 500;

    private final HttpClient client =
            HttpClient.newBuilder()
                    .version(HttpClient.Version.HTTP_1_1)
                    .connectTimeout(Duration.ofSeconds(2))
                    .build();

    /// So many answers may be passed on at once.
    private static final int MOST = 4;

    private final Semaphore places = new Semaphore(MOST);
    private final URI accounting;

    @Inject
    HistoryResource(SubmitConfig config) {
        this(config.accountingUrl());
    }

    HistoryResource(URI accounting) {
        this.accounting = accounting;
    }

    @PreDestroy
    void close() {
        client.shutdownNow();
    }

    @GET
    @Operation(
            summary = "What runs held in each part of a time",
            description =
                    "By account, user and type of GPU that was asked for; times in epoch milliseconds, the length of a part in seconds. It is the accounting service that answers.")
    @APIResponse(responseCode = "200", description = "The parts in which something was held")
    @APIResponse(responseCode = "429", description = "As many are answered as may be")
    @APIResponse(responseCode = "503", description = "The accounting service does not answer")
    public Response history(
            @QueryParam("start") @Nullable Long start,
            @QueryParam("end") @Nullable Long end,
            @QueryParam("step") @Nullable Long step,
            @HeaderParam(HttpHeaders.AUTHORIZATION) String authorization,
            @Context HttpServerRequest caller) {
        var query = new StringBuilder("/v1/accounting/history?");
        add(query, "start", start);
        add(query, "end", end);
        add(query, "step", step);
        HttpRequest request =
                HttpRequest.newBuilder(accounting.resolve(query.toString()))
                        .timeout(PATIENCE)
                        .header(HttpHeaders.AUTHORIZATION, authorization)
                        .build();
        return answer(request, caller.response()::reset);
    }

    /// @param cut ends the answer of one who does not take it
    Response answer(HttpRequest request, Runnable cut) {
        if (!places.tryAcquire()) {
            throw new TooBusy("the gateway already passes on " + MOST + " histories");
        }
        boolean passing = false;
        try {
            HttpResponse<InputStream> answer = client.send(request, BodyHandlers.ofInputStream());
            if (answer.statusCode() >= SERVER_ERROR) {
                answer.body().close();
                throw new Unavailable("the accounting service cannot answer");
            }
            StreamingOutput body = pass(answer.body(), cut);
            passing = true;
            return Response.status(answer.statusCode())
                    .type(
                            answer.headers()
                                    .firstValue(HttpHeaders.CONTENT_TYPE)
                                    .orElse(MediaType.APPLICATION_JSON))
                    .entity(body)
                    .build();
        } catch (IOException e) {
            throw new Unavailable("the accounting service does not answer", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new Unavailable("the gateway is stopping", e);
        } finally {
            if (!passing) {
                places.release();
            }
        }
    }

    /// Passes an answer on; its place is free afterwards, and in any case after a while.
    private StreamingOutput pass(InputStream answer, Runnable cut) {
        var passed = new CompletableFuture<Void>();
        var unused =
                passed.orTimeout(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)
                        .whenComplete((_, late) -> {
                            places.release();
                            if (late != null) {
                                cut.run();
                                close(answer);
                            }
                        });
        return out -> {
            try (answer) {
                answer.transferTo(out);
            } finally {
                passed.complete(null);
            }
        };
    }

    private static void close(InputStream answer) {
        try {
            answer.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void add(StringBuilder query, String name, @Nullable Long value) {
        if (value != null) {
            query.append(name).append('=').append(value).append('&');
        }
    }
}
