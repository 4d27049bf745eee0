package io.berth.submit.http;

import io.berth.submit.SubmitConfig;
import io.berth.submit.TooBusy;
import io.berth.submit.session.Sessions;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.quarkus.vertx.http.runtime.filters.Filters;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.ext.web.RoutingContext;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;

/// Turns requests away while the gateway works on as many as it may, so that it slows down for none
/// and runs out of nothing: `429`. Streams of events and output, and sessions have bounds of their
/// own.
@Singleton
final class RequestsInFlight {
    /// Before any other work on a request.
    private static final int FIRST = 11_000;

    private static final Pattern OUTPUT = Pattern.compile("/v1/jobs/[^/]+/output");

    private static final Pattern WAITING_NODE = Pattern.compile("/v1/steps/[^/]+/[^/]+");

    private final AtomicInteger inFlight = new AtomicInteger();
    private final int limit;
    private final Counter turnedAway;

    RequestsInFlight(SubmitConfig config, MeterRegistry registry) {
        this.limit = config.requestsInFlight();
        this.turnedAway = registry.counter("berth.requests.turned.away");
        registry.gauge("berth.requests.in.flight", inFlight);
    }

    void register(@Observes Filters filters) {
        filters.register(this::check, FIRST);
    }

    private void check(RoutingContext context) {
        String path = context.normalizedPath();
        if (!(path.startsWith("/v1/") || path.startsWith("/slurm"))
                || path.equals("/v1/events")
                || path.startsWith(Sessions.PATH)
                || OUTPUT.matcher(path).matches()
                || (WAITING_NODE.matcher(path).matches()
                        && context.request().method().equals(HttpMethod.GET))) {
            context.next();
            return;
        }
        if (inFlight.incrementAndGet() > limit) {
            inFlight.decrementAndGet();
            turnedAway.increment();
            context.response().putHeader(HttpHeaders.RETRY_AFTER, "1");
            EarlyAnswer.end(
                    context,
                    Problem.of(new TooBusy("the gateway already answers " + limit + " requests")));
            return;
        }
        context.addEndHandler(_ -> inFlight.decrementAndGet());
        context.next();
    }
}
