package io.berth.submit.http;

import io.berth.submit.Refusal.ScriptTooLarge;
import io.quarkus.vertx.http.runtime.filters.Filters;
import io.vertx.core.http.HttpHeaders;
import io.vertx.ext.web.RoutingContext;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;

/// Turns requests away whose announced body is too long, before any of it is read.
@Singleton
final class BodySize {
    /// The largest script as JSON, and room for arguments and environment.
    static final int MAX_BYTES = 9_000_000;

    /// Many jobs of one request.
    static final int MAX_BULK_BYTES = 32_000_000;

    /// Before the framework's own limit, which answers without a problem.
    private static final int FIRST = 10_000;

    void register(@Observes Filters filters) {
        filters.register(BodySize::check, FIRST);
    }

    static ScriptTooLarge tooLarge(int limit) {
        return new ScriptTooLarge("the body is longer than " + limit + " bytes");
    }

    private static void check(RoutingContext context) {
        String length = context.request().getHeader(HttpHeaders.CONTENT_LENGTH);
        int limit = context.normalizedPath().equals("/v1/jobs/bulk") ? MAX_BULK_BYTES : MAX_BYTES;
        if (length == null || !exceeds(length, limit)) {
            context.next();
            return;
        }
        EarlyAnswer.end(context, Problem.of(tooLarge(limit)));
    }

    private static boolean exceeds(String length, int limit) {
        try {
            return Long.parseLong(length) > limit;
        } catch (NumberFormatException e) {
            // The framework refuses it.
            return false;
        }
    }
}
