package io.berth.submit.http;

import com.fasterxml.jackson.core.JsonProcessingException;
import io.berth.contracts.json.Json;
import io.berth.submit.Refusal.ScriptTooLarge;
import io.quarkus.vertx.http.runtime.filters.Filters;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.ext.web.RoutingContext;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;

/// Turns requests away whose announced body is too long, before any of it is read.
@Singleton
final class BodySize {
    /// The largest script as JSON, and room for arguments and environment.
    static final int MAX_BYTES = 9_000_000;

    /// Before the framework's own limit, which answers without a problem.
    private static final int FIRST = 10_000;

    private static final long DRAIN_MILLIS = 5000;

    void register(@Observes Filters filters) {
        filters.register(BodySize::check, FIRST);
    }

    static ScriptTooLarge tooLarge() {
        return new ScriptTooLarge("the body is longer than " + MAX_BYTES + " bytes");
    }

    private static void check(RoutingContext context) {
        String length = context.request().getHeader(HttpHeaders.CONTENT_LENGTH);
        if (length == null || !exceeds(length)) {
            context.next();
            return;
        }
        context.response()
                .setStatusCode(413)
                .putHeader(HttpHeaders.CONTENT_TYPE, Problem.MEDIA_TYPE)
                .putHeader(HttpHeaders.CONNECTION, "close")
                .end(Buffer.buffer(json(Problem.of(tooLarge()))))
                .onComplete(_ -> drain(context));
    }

    /// Reads on for a while, so that a client that writes first and reads then gets the answer.
    private static void drain(RoutingContext context) {
        var request = context.request();
        request.endHandler(_ -> request.connection().close());
        request.resume();
        context.vertx().setTimer(DRAIN_MILLIS, _ -> request.connection().close());
    }

    private static boolean exceeds(String length) {
        try {
            return Long.parseLong(length) > MAX_BYTES;
        } catch (NumberFormatException e) {
            // The framework refuses it.
            return false;
        }
    }

    private static byte[] json(Problem problem) {
        try {
            return Json.mapper().writeValueAsBytes(problem);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("cannot write " + problem, e);
        }
    }
}
