package io.berth.submit.restd;

import io.quarkus.vertx.http.runtime.filters.Filters;
import io.vertx.core.http.HttpHeaders;
import io.vertx.ext.web.RoutingContext;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;

/// Takes the token of slurmrestd's own header, which its clients send.
@Singleton
final class SlurmToken {
    static final String HEADER = "X-SLURM-USER-TOKEN";

    /// Before anyone asks who it is.
    private static final int FIRST = 12_000;

    void register(@Observes Filters filters) {
        filters.register(SlurmToken::take, FIRST);
    }

    private static void take(RoutingContext context) {
        var headers = context.request().headers();
        String token = headers.get(HEADER);
        if (token != null
                && ofSlurm(context.normalizedPath())
                && !headers.contains(HttpHeaders.AUTHORIZATION)) {
            headers.set(HttpHeaders.AUTHORIZATION, "Bearer " + token);
        }
        context.next();
    }

    private static boolean ofSlurm(String path) {
        return path.startsWith("/slurm/") || path.startsWith("/slurmdb/");
    }
}
