package io.berth.submit.http;

import io.berth.contracts.AdminLevel;
import io.berth.core.request.Roles;
import io.berth.log.trace.TraceContext;
import io.berth.submit.Caller;
import io.berth.submit.SubmitConfig;
import io.quarkus.security.identity.SecurityIdentity;
import io.vertx.core.http.HttpServerRequest;
import jakarta.inject.Singleton;

/// Who sends the request that is being answered, by its token.
@Singleton
public final class Callers {
    public static final String OPERATOR = Roles.OPERATOR;
    public static final String USER = Roles.USER;

    private final SecurityIdentity identity;
    private final SubmitConfig config;

    Callers(SecurityIdentity identity, SubmitConfig config) {
        this.identity = identity;
        this.config = config;
    }

    public Caller of(HttpServerRequest request) {
        var address = request.remoteAddress();
        return new Caller(
                identity.getPrincipal().getName(),
                level(),
                address == null || address.hostAddress() == null
                        ? "unknown"
                        : address.hostAddress(),
                gateway(request),
                identity.getRoles(),
                TraceContext.parse(request.getHeader(TraceContext.HEADER)).orElse(null));
    }

    private AdminLevel level() {
        if (identity.hasRole(Roles.ADMIN)) {
            return AdminLevel.ADMIN;
        }
        return identity.hasRole(OPERATOR) ? AdminLevel.OPERATOR : AdminLevel.NONE;
    }

    /// Where nodes reach this gateway: as it is set, else as the caller reached it.
    String gateway(HttpServerRequest request) {
        return config.sessionUrl()
                .orElseGet(() -> (request.isSSL() ? "wss://" : "ws://") + request.authority());
    }
}
