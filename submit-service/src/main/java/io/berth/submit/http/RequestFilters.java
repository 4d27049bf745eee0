package io.berth.submit.http;

import io.berth.core.request.Scope;
import io.berth.log.QueryNames;
import io.berth.submit.Refusal;
import io.berth.submit.Refused;
import io.quarkus.security.identity.SecurityIdentity;
import io.vertx.core.http.HttpServerRequest;
import jakarta.enterprise.inject.Instance;
import jakarta.inject.Singleton;
import jakarta.ws.rs.Priorities;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.container.ContainerResponseContext;
import jakarta.ws.rs.container.ResourceInfo;
import java.util.List;
import java.util.Set;
import org.jboss.resteasy.reactive.server.ServerRequestFilter;
import org.jboss.resteasy.reactive.server.ServerResponseFilter;

/// What is done with every request besides answering it. The framework makes this before there is
/// any configuration, so what needs some is looked up with the first request.
@Singleton
final class RequestFilters {
    /// What is posted there changes nothing.
    private static final String SIMULATE = "/v1/simulate";

    private final Instance<SecurityIdentity> identity;
    private final Instance<UserRates> rates;
    private final Instance<EntityTags> tags;

    RequestFilters(
            Instance<SecurityIdentity> identity,
            Instance<UserRates> rates,
            Instance<EntityTags> tags) {
        this.identity = identity;
        this.rates = rates;
        this.tags = tags;
    }

    /// That it is within the scopes of its token. Nobody who has none is asked for a token here:
    /// the resources do that.
    @ServerRequestFilter(priority = Priorities.USER - 1)
    void scope(ContainerRequestContext request) throws Refused {
        boolean asks =
                Scope.asks(request.getMethod()) || request.getUriInfo().getPath().equals(SIMULATE);
        Scope needed = asks ? Scope.READ : Scope.SUBMIT;
        if (!ScopedIdentities.scope(identity.get()).allows(needed)) {
            throw new Refused(
                    new Refusal.NotAllowed(
                            "the token's scopes do not allow this: "
                                    + (asks ? "berth:read" : "berth:submit")
                                    + " does"));
        }
    }

    @ServerRequestFilter(priority = Priorities.USER)
    void count() {
        rates.get().count();
    }

    /// That it has no query parameter that nobody reads. To slurmrestd one is no error.
    @ServerRequestFilter(priority = Priorities.USER + 1)
    void parameters(ContainerRequestContext request, ResourceInfo answers) throws Refused {
        var sent = request.getUriInfo().getQueryParameters().keySet();
        if (!sent.isEmpty() && !request.getUriInfo().getPath().startsWith("/slurm")) {
            Set<String> there =
                    QueryNames.of(answers.getResourceMethod(), QueryParam.class, QueryParam::value);
            List<String> unknown = QueryNames.unknown(sent, there);
            if (!unknown.isEmpty()) {
                throw new Refused(new Refusal.InvalidRequest(QueryNames.refusal(unknown, there)));
            }
        }
    }

    @ServerRequestFilter(priority = Priorities.USER + 2)
    void check(ContainerRequestContext request, HttpServerRequest from) throws Refused {
        tags.get().check(request, from);
    }

    @ServerResponseFilter
    void tag(ContainerRequestContext request, ContainerResponseContext response) {
        tags.get().tag(request, response);
    }
}
