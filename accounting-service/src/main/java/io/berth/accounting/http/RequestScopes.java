package io.berth.accounting.http;

import io.berth.core.request.Scope;
import io.berth.log.QueryNames;
import io.quarkus.security.identity.SecurityIdentity;
import jakarta.enterprise.inject.Instance;
import jakarta.inject.Singleton;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.container.ResourceInfo;
import jakarta.ws.rs.core.Response;
import java.util.List;
import java.util.Set;
import org.jboss.resteasy.reactive.server.ServerRequestFilter;
import org.jspecify.annotations.Nullable;

/// That a request is within the scopes of its token: whatever changes something here is an
/// operator's or a coordinator's. And that it has no query parameter that nobody reads.
@Singleton
final class RequestScopes {
    private final Instance<SecurityIdentity> identity;

    RequestScopes(Instance<SecurityIdentity> identity) {
        this.identity = identity;
    }

    @ServerRequestFilter
    @Nullable Response check(ContainerRequestContext request) {
        return refusal(request.getMethod(), ScopedIdentities.scope(identity.get()));
    }

    @ServerRequestFilter
    @Nullable Response parameters(ContainerRequestContext request, ResourceInfo answers) {
        Set<String> sent = request.getUriInfo().getQueryParameters().keySet();
        if (sent.isEmpty()) {
            return null;
        }
        Set<String> there =
                QueryNames.of(answers.getResourceMethod(), QueryParam.class, QueryParam::value);
        List<String> unknown = QueryNames.unknown(sent, there);
        return unknown.isEmpty()
                ? null
                : Problem.response(
                        Response.Status.BAD_REQUEST,
                        "invalid_request",
                        QueryNames.refusal(unknown, there));
    }

    /// Null if the scope is wide enough.
    static @Nullable Response refusal(String method, Scope scope) {
        boolean asks = Scope.asks(method);
        return scope.allows(asks ? Scope.READ : Scope.OPERATE)
                ? null
                : Problem.response(
                        Response.Status.FORBIDDEN,
                        "not_allowed",
                        "the token's scopes do not allow this: "
                                + (asks ? "berth:read" : "berth:operate")
                                + " does");
    }
}
