package io.berth.submit.http;

import io.berth.submit.Refused;
import io.vertx.core.http.HttpServerRequest;
import jakarta.enterprise.inject.Instance;
import jakarta.inject.Singleton;
import jakarta.ws.rs.Priorities;
import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.container.ContainerResponseContext;
import org.jboss.resteasy.reactive.server.ServerRequestFilter;
import org.jboss.resteasy.reactive.server.ServerResponseFilter;

/// What is done with every request besides answering it. The framework makes this before there is
/// any configuration, so what needs some is looked up with the first request.
@Singleton
final class RequestFilters {
    private final Instance<UserRates> rates;
    private final Instance<EntityTags> tags;

    RequestFilters(Instance<UserRates> rates, Instance<EntityTags> tags) {
        this.rates = rates;
        this.tags = tags;
    }

    @ServerRequestFilter(priority = Priorities.USER)
    void count() {
        rates.get().count();
    }

    @ServerRequestFilter(priority = Priorities.USER + 1)
    void check(ContainerRequestContext request, HttpServerRequest from) throws Refused {
        tags.get().check(request, from);
    }

    @ServerResponseFilter
    void tag(ContainerRequestContext request, ContainerResponseContext response) {
        tags.get().tag(request, response);
    }
}
