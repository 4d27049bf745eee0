package io.berth.submit.http;

import com.fasterxml.jackson.core.JsonProcessingException;
import io.berth.contracts.json.Json;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.ext.web.RoutingContext;

/// A problem that is answered before a request's body is read. The connection ends with it.
final class EarlyAnswer {
    private static final long DRAIN_MILLIS = 5000;

    private EarlyAnswer() {}

    static void end(RoutingContext context, Problem problem) {
        context.response()
                .setStatusCode(problem.status())
                .putHeader(HttpHeaders.CONTENT_TYPE, Problem.MEDIA_TYPE)
                .putHeader(HttpHeaders.CONNECTION, "close")
                .end(Buffer.buffer(json(problem)))
                .onComplete(_ -> drain(context));
    }

    /// Reads on for a while, so that a client that writes first and reads then gets the answer.
    private static void drain(RoutingContext context) {
        var request = context.request();
        if (request.isEnded()) {
            request.connection().close();
            return;
        }
        request.endHandler(_ -> request.connection().close());
        request.resume();
        context.vertx().setTimer(DRAIN_MILLIS, _ -> request.connection().close());
    }

    private static byte[] json(Problem problem) {
        try {
            return Json.mapper().writeValueAsBytes(problem);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("cannot write " + problem, e);
        }
    }
}
