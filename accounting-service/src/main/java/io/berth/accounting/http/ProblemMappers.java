package io.berth.accounting.http;

import io.berth.accounting.db.NoAnswer;
import io.quarkus.security.AuthenticationFailedException;
import io.quarkus.security.ForbiddenException;
import io.quarkus.security.UnauthorizedException;
import jakarta.ws.rs.NotFoundException;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.core.Response.Status;
import org.jboss.resteasy.reactive.server.ServerExceptionMapper;

/// Makes a problem of a request without a token, or without the right one, of a parameter that is
/// no number, and of a database that does not answer.
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

    @ServerExceptionMapper
    Response unavailable(NoAnswer e) {
        return Problem.response(
                Status.SERVICE_UNAVAILABLE, "unavailable", String.valueOf(e.getMessage()));
    }

    @ServerExceptionMapper
    Response notFound(NotFoundException e) {
        // To the framework a parameter that it cannot read is a path that there is not.
        return e.getCause() instanceof NumberFormatException no
                ? Problem.response(
                        Status.BAD_REQUEST,
                        "invalid_request",
                        "a number is expected: " + no.getMessage())
                : Problem.response(Status.NOT_FOUND, "not_found", "there is nothing at this path");
    }
}
