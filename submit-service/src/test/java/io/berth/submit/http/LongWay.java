package io.berth.submit.http;

import io.quarkus.vertx.http.runtime.filters.Filters;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;

/// Marks the answers of requests that [DirectSubmissions] has let pass.
@Singleton
final class LongWay {
    static final String HEADER = "Test-Long-Way";

    /// Right after it.
    private static final int NEXT = 8_999;

    void register(@Observes Filters filters) {
        filters.register(
                context -> {
                    context.response().putHeader(HEADER, "yes");
                    context.next();
                },
                NEXT);
    }
}
