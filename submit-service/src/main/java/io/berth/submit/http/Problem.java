package io.berth.submit.http;

import com.fasterxml.jackson.core.JsonProcessingException;
import io.berth.contracts.json.Json;
import io.berth.submit.Refusal;
import io.berth.submit.TooBusy;
import io.berth.submit.Unavailable;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerResponse;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.core.Response.ResponseBuilder;
import org.eclipse.microprofile.openapi.annotations.media.Schema;

/// An error as it is answered: `application/problem+json` (RFC 9457) with a code for programs.
///
/// @param code snake_case, one of those in `docs/api.md`
/// @param detail one line: what was wrong, and what is allowed
@Schema(description = "An error, RFC 9457")
public record Problem(String type, String title, int status, String code, String detail) {
    public static final String MEDIA_TYPE = "application/problem+json";

    /// RFC 9110; JAX-RS does not know it.
    private static final int UNPROCESSABLE = 422;

    static Problem of(int status, String code, String detail) {
        Response.Status known = Response.Status.fromStatusCode(status);
        String title =
                known != null
                        ? known.getReasonPhrase()
                        : status == UNPROCESSABLE ? "Unprocessable Content" : "Error";
        return new Problem("about:blank", title, status, code, detail);
    }

    /// A failure of the gateway itself, which its log tells.
    static Problem internal() {
        return of(500, "internal", "the gateway failed; its log says why");
    }

    static Problem of(BodyNotReceived why) {
        return of(408, "body_timeout", String.valueOf(why.getMessage()));
    }

    static Problem of(Unavailable why) {
        return of(503, "unavailable", why.getMessage() + "; try again");
    }

    static Problem of(TooBusy why) {
        return of(429, "too_many_requests", why.getMessage() + "; try again");
    }

    public static Problem of(Refusal refusal) {
        return of(status(refusal), refusal.code(), refusal.detail());
    }

    private static int status(Refusal refusal) {
        return switch (refusal) {
            case Refusal.OfComponent it -> status(it.refusal());
            case Refusal.InvalidJson _, Refusal.InvalidRequest _ -> 400;
            case Refusal.NotAllowed _ -> 403;
            case Refusal.JobNotFound _,
                    Refusal.NodeNotFound _,
                    Refusal.OutputNotFound _,
                    Refusal.StepNotFound _,
                    Refusal.TriggerNotFound _ ->
                    404;
            case Refusal.JobNotPending _ -> 409;
            case Refusal.ScriptTooLarge _ -> 413;
            case Refusal.InvalidScript _,
                    Refusal.InvalidOption _,
                    Refusal.InvalidPartition _,
                    Refusal.InvalidAccount _,
                    Refusal.InvalidQos _,
                    Refusal.InvalidReservation _,
                    Refusal.InvalidLicense _,
                    Refusal.InvalidNode _,
                    Refusal.NodeConfigurationUnavailable _,
                    Refusal.PartitionClosed _,
                    Refusal.LimitReached _,
                    Refusal.KeyReused _ ->
                    UNPROCESSABLE;
        };
    }

    /// Answers a request that the REST framework does not.
    Future<Void> end(HttpServerResponse response) {
        try {
            return response.setStatusCode(status)
                    .putHeader(HttpHeaders.CONTENT_TYPE, MEDIA_TYPE)
                    .end(Buffer.buffer(Json.mapper().writeValueAsBytes(this)));
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("cannot write " + this, e);
        }
    }

    ResponseBuilder response() {
        return Response.status(status).header(HttpHeaders.CONTENT_TYPE, MEDIA_TYPE).entity(this);
    }
}
