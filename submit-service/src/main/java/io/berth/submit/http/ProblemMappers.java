package io.berth.submit.http;

import io.berth.submit.Refused;
import io.berth.submit.TooBusy;
import io.berth.submit.Unavailable;
import io.quarkus.security.AuthenticationFailedException;
import io.quarkus.security.ForbiddenException;
import io.quarkus.security.UnauthorizedException;
import jakarta.ws.rs.WebApplicationException;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.Response;
import org.jboss.resteasy.reactive.server.ServerExceptionMapper;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Makes a problem of everything that a request can end in besides its answer.
final class ProblemMappers {
    private static final Logger LOG = LoggerFactory.getLogger(ProblemMappers.class);

    @ServerExceptionMapper
    Response refused(Refused e) {
        return Problem.of(e.refusal()).response().build();
    }

    @ServerExceptionMapper
    Response unavailable(Unavailable e) {
        return Problem.of(e).response().header(HttpHeaders.RETRY_AFTER, 1).build();
    }

    @ServerExceptionMapper
    Response changed(EntityTags.Changed e) {
        return Problem.of(412, "changed", String.valueOf(e.getMessage())).response().build();
    }

    @ServerExceptionMapper
    Response tooBusy(TooBusy e) {
        return Problem.of(e).response().header(HttpHeaders.RETRY_AFTER, 1).build();
    }

    @ServerExceptionMapper
    Response bodyNotReceived(BodyNotReceived e) {
        return Problem.of(e).response().header("Connection", "close").build();
    }

    @ServerExceptionMapper
    Response unauthenticated(UnauthorizedException e) {
        return unauthenticated("a token is needed: Authorization: Bearer <JWT>");
    }

    @ServerExceptionMapper
    Response unauthenticated(AuthenticationFailedException e) {
        return unauthenticated("the token is not valid");
    }

    private static Response unauthenticated(String detail) {
        return Problem.of(401, "unauthenticated", detail)
                .response()
                .header(HttpHeaders.WWW_AUTHENTICATE, "Bearer")
                .build();
    }

    @ServerExceptionMapper
    Response forbidden(ForbiddenException e) {
        return Problem.of(403, "not_allowed", "the token's groups name neither user nor operator")
                .response()
                .build();
    }

    @ServerExceptionMapper
    Response byFramework(WebApplicationException e) {
        int status = e.getResponse().getStatus();
        if (status >= 500) {
            return failed(e);
        }
        if (status == 404 && e.getCause() instanceof NumberFormatException no) {
            // Of a parameter: to the framework it is a path that there is not.
            return Problem.of(400, "invalid_request", noNumber(no)).response().build();
        }
        Problem problem =
                switch (status) {
                    case 404 -> Problem.of(status, "not_found", "there is nothing at this path");
                    case 405 ->
                            Problem.of(
                                    status, "method_not_allowed", "this path has no such method");
                    case 406 ->
                            Problem.of(status, "not_acceptable", "the answer is application/json");
                    case 415 ->
                            Problem.of(
                                    status,
                                    "unsupported_media_type",
                                    "a job is application/json, text/x-shellscript or application/x-sh");
                    default ->
                            Problem.of(status, "invalid_request", String.valueOf(e.getMessage()));
                };
        return problem.response().build();
    }

    @ServerExceptionMapper
    Response failed(Throwable e) {
        LOG.atError().setCause(e).log("Request failed");
        return Problem.internal().response().build();
    }

    /// Of `For input string: "x"`.
    private static String noNumber(NumberFormatException no) {
        return "a number is expected, and not "
                + String.valueOf(no.getMessage()).replaceFirst("^For input string: ", "");
    }
}
