package io.berth.submit.http;

import io.berth.contracts.AdminLevel;
import io.berth.core.request.Roles;
import io.berth.log.trace.TraceContext;
import io.berth.submit.Caller;
import io.berth.submit.SubmitConfig;
import io.quarkus.security.identity.SecurityIdentity;
import io.vertx.core.http.HttpServerRequest;
import jakarta.inject.Singleton;
import java.util.Set;

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
        return of(identity.getPrincipal().getName(), identity.getRoles(), request);
    }

    /// Who sends that request, if it is that user in these roles.
    Caller of(String user, Set<String> roles, HttpServerRequest request) {
        var address = request.remoteAddress();
        return new Caller(
                user,
                level(roles),
                address == null || address.hostAddress() == null
                        ? "unknown"
                        : address.hostAddress(),
                gateway(request),
                roles,
                TraceContext.parse(request.getHeader(TraceContext.HEADER)).orElse(null));
    }

    private static AdminLevel level(Set<String> roles) {
        if (roles.contains(Roles.ADMIN)) {
            return AdminLevel.ADMIN;
        }
        return roles.contains(OPERATOR) ? AdminLevel.OPERATOR : AdminLevel.NONE;
    }

    /// Where nodes reach this gateway: as it is set, else as the caller reached it.
    String gateway(HttpServerRequest request) {
        return config.sessionUrl()
                .orElseGet(() -> (request.isSSL() ? "wss://" : "ws://") + request.authority());
    }
}
