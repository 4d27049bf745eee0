package io.berth.submit.http;

import io.berth.submit.Caller;
import io.quarkus.security.identity.SecurityIdentity;
import io.vertx.core.http.HttpServerRequest;
import jakarta.inject.Singleton;

/// Who sends the request that is being answered, by its token.
@Singleton
public final class Callers {
    public static final String OPERATOR = "operator";
    public static final String USER = "user";

    private final SecurityIdentity identity;

    Callers(SecurityIdentity identity) {
        this.identity = identity;
    }

    public Caller of(HttpServerRequest request) {
        var address = request.remoteAddress();
        return new Caller(
                identity.getPrincipal().getName(),
                identity.hasRole(OPERATOR),
                address == null || address.hostAddress() == null
                        ? "unknown"
                        : address.hostAddress());
    }
}
