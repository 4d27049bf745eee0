package io.berth.submit.http;

import io.berth.log.trace.Span;
import io.berth.log.trace.Spans;
import io.berth.log.trace.TraceContext;
import io.quarkus.vertx.http.runtime.filters.Filters;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.web.RoutingContext;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/// Makes each submission over HTTP a span of its caller's trace, or of a new one, if anybody wants
/// spans. What becomes of its jobs is part of that span: see [TraceContext#HEADER].
@Singleton
final class TracedSubmissions {
    /// After requests were turned away, before anything else.
    private static final int SECOND = 10_900;

    private final Spans spans;

    TracedSubmissions(Spans spans) {
        this.spans = spans;
    }

    void register(@Observes Filters filters) {
        if (spans.wanted()) {
            filters.register(this::begin, SECOND);
        }
    }

    private void begin(RoutingContext context) {
        String path = context.normalizedPath();
        HttpServerRequest request = context.request();
        if (request.method().equals(HttpMethod.POST) && submits(path)) {
            Instant begun = Instant.now();
            Optional<TraceContext> caller =
                    TraceContext.parse(request.getHeader(TraceContext.HEADER));
            TraceContext own = caller.map(TraceContext::child).orElseGet(TraceContext::root);
            request.headers().set(TraceContext.HEADER, own.toString());
            context.addEndHandler(_ -> {
                int status = context.response().getStatusCode();
                spans.ended(
                        new Span(
                                own,
                                caller.orElse(null),
                                Span.Kind.SERVER,
                                "POST " + path,
                                begun,
                                Instant.now(),
                                Map.of("http.response.status_code", Integer.toString(status)),
                                status >= 500));
            });
        }
        context.next();
    }

    private static boolean submits(String path) {
        return path.equals("/v1/jobs")
                || path.equals("/v1/jobs/bulk")
                || (path.startsWith("/slurm/") && path.endsWith("/job/submit"));
    }
}
