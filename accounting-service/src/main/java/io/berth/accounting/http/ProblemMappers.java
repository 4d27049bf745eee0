package io.berth.accounting.http;

import io.quarkus.security.AuthenticationFailedException;
import io.quarkus.security.ForbiddenException;
import io.quarkus.security.UnauthorizedException;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.core.Response.Status;
import org.jboss.resteasy.reactive.server.ServerExceptionMapper;

/// Makes a problem of a request without a token, or without the right one.
final class ProblemMappers {

    @ServerExceptionMapper
    Response unauthenticated(UnauthorizedException e) {
        return Problem.response(
                Status.UNAUTHORIZED,
                "unauthenticated",
                "a token is needed: Authorization: Bearer <JWT>");
    }

    @ServerExceptionMapper
    Response unauthenticated(AuthenticationFailedException e) {
        return Problem.response(Status.UNAUTHORIZED, "unauthenticated", "the token is not valid");
    }

    @ServerExceptionMapper
    Response forbidden(ForbiddenException e) {
        return Problem.response(
                Status.FORBIDDEN, "not_allowed", "the token's groups do not allow this");
    }
}
