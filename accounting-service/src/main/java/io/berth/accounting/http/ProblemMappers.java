package io.berth.accounting.http;

import com.fasterxml.jackson.databind.exc.MismatchedInputException;
import com.fasterxml.jackson.databind.exc.UnrecognizedPropertyException;
import io.berth.accounting.db.NoAnswer;
import io.berth.log.QueryNames;
import io.quarkus.security.AuthenticationFailedException;
import io.quarkus.security.ForbiddenException;
import io.quarkus.security.UnauthorizedException;
import jakarta.ws.rs.NotFoundException;
import jakarta.ws.rs.WebApplicationException;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.core.Response.Status;
import java.util.stream.Collectors;
import org.jboss.resteasy.reactive.server.ServerExceptionMapper;

/// Makes a problem of a request without a token, or without the right one, of a parameter that is
/// no number, of what the framework refuses, and of a database that does not answer.
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
                ? Problem.response(Status.BAD_REQUEST, "invalid_request", noNumber(no))
                : Problem.response(Status.NOT_FOUND, "not_found", "there is nothing at this path");
    }

    @ServerExceptionMapper
    Response unknown(UnrecognizedPropertyException e) {
        var there =
                e.getKnownPropertyIds().stream()
                        .map(String::valueOf)
                        .sorted()
                        .collect(Collectors.joining(", "));
        return Problem.response(
                Status.BAD_REQUEST,
                "invalid_request",
                "there is no field '%s'; there are: %s"
                        .formatted(QueryNames.shown(e.getPropertyName()), there));
    }

    @ServerExceptionMapper
    Response mismatched(MismatchedInputException e) {
        return Problem.response(
                Status.BAD_REQUEST, "invalid_request", "the body is not the JSON that is expected");
    }

    @ServerExceptionMapper
    Response byFramework(WebApplicationException e) {
        Response its = e.getResponse();
        Status status = its.getStatusInfo().toEnum();
        return switch (status) {
            case BAD_REQUEST -> Problem.response(status, "invalid_request", "the body is not JSON");
            case METHOD_NOT_ALLOWED ->
                    Problem.response(status, "method_not_allowed", "this path has no such method");
            case NOT_ACCEPTABLE ->
                    Problem.response(status, "not_acceptable", "the answer is application/json");
            case UNSUPPORTED_MEDIA_TYPE ->
                    Problem.response(
                            status,
                            "unsupported_media_type",
                            "a body is application/json; a whole cluster file may be"
                                    + " application/yaml, too");
            case null, default -> its;
        };
    }

    /// Of `For input string: "x"`.
    private static String noNumber(NumberFormatException no) {
        return "a number is expected, and not "
                + String.valueOf(no.getMessage()).replaceFirst("^For input string: ", "");
    }
}
