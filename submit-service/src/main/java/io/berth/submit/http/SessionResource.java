package io.berth.submit.http;

import io.berth.submit.Refused;
import io.berth.submit.SubmitConfig;
import io.berth.submit.session.Sessions;
import io.smallrye.common.annotation.RunOnVirtualThread;
import io.vertx.core.http.HttpServerRequest;
import jakarta.annotation.security.RolesAllowed;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.NotFoundException;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.io.InputStream;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.media.Content;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.parameters.RequestBody;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;

/// `/v1/sessions`: a place where a terminal and a job of it meet.
@Path("/v1/sessions")
@Produces(MediaType.APPLICATION_JSON)
@RolesAllowed({Callers.OPERATOR, Callers.USER})
@RunOnVirtualThread
@Tag(name = "Sessions")
public class SessionResource {
    private final Sessions sessions;
    private final Callers callers;
    private final SubmitConfig config;

    SessionResource(Sessions sessions, Callers callers, SubmitConfig config) {
        this.sessions = sessions;
        this.callers = callers;
        this.config = config;
    }

    /// A new session. Each end opens a WebSocket to the address, with its secret as bearer.
    ///
    /// @param userPath the address for the one who asked, on the gateway that he asked
    /// @param jobUrl the address for the job, as nodes reach this gateway
    @Schema(name = "Session")
    record SessionJson(String userPath, String userSecret, String jobUrl, String jobSecret) {}

    @POST
    @Operation(
            summary = "Open a session for an interactive job",
            description =
                    "The user's end and the job's meet at this gateway by a WebSocket each. The session is forgotten when either end goes, or if the user's does not come within 30 s.")
    @APIResponse(
            responseCode = "201",
            description = "The session",
            content = @Content(schema = @Schema(implementation = SessionJson.class)))
    @APIResponse(
            responseCode = "429",
            description = "As many are connected or attached as may be, or as many of the user's")
    public Response open(@Context HttpServerRequest request) {
        Sessions.Opened opened = sessions.open(callers.of(request).user());
        String path = Sessions.PATH + opened.id();
        return Response.status(Response.Status.CREATED)
                .entity(
                        new SessionJson(
                                path,
                                opened.userSecret(),
                                callers.gateway(request) + path,
                                opened.jobSecret()))
                .build();
    }

    /// A message to the job of a session.
    ///
    /// @param secret the user's
    /// @param frame base64
    @Schema(name = "SessionMessage")
    record MessageJson(String secret, byte[] frame) {}

    @POST
    @Path("{id}")
    @Consumes(MediaType.APPLICATION_JSON)
    @Operation(summary = "Say something to a session's job in its user's name")
    @RequestBody(content = @Content(schema = @Schema(implementation = MessageJson.class)))
    @APIResponse(responseCode = "202", description = "It is on its way")
    @APIResponse(responseCode = "404", description = "No such session, or not this secret")
    @APIResponse(responseCode = "429", description = "The job does not take what it is told")
    public Response tell(@PathParam("id") String id, InputStream body) throws Refused {
        MessageJson message =
                StrictJson.read(
                        SubmissionBody.bytes(body, config.bodyTimeout()),
                        MessageJson.class,
                        "a message to a session");
        if (!sessions.tellJob(id, message.secret(), message.frame())) {
            throw new NotFoundException();
        }
        return Response.accepted().build();
    }
}
