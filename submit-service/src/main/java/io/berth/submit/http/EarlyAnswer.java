package io.berth.submit.http;

import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.ext.web.RoutingContext;

/// A problem that is answered before a request's body is read. The connection ends with it.
final class EarlyAnswer {
    private static final long DRAIN_MILLIS = 5000;

    private EarlyAnswer() {}

    static void end(RoutingContext context, Problem problem) {
        HttpServerResponse response = context.response().putHeader(HttpHeaders.CONNECTION, "close");
        problem.end(response).onComplete(_ -> drain(context));
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
}
