package io.berth.submit.http;

import io.berth.submit.Refused;
import io.berth.submit.SubmitConfig;
import io.berth.submit.session.Peers;
import io.berth.submit.session.Sessions;
import io.smallrye.common.annotation.RunOnVirtualThread;
import io.vertx.core.http.HttpServerRequest;
import jakarta.annotation.security.RolesAllowed;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.NotFoundException;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.PUT;
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
    private final Peers peers;
    private final Callers callers;
    private final SubmitConfig config;

    SessionResource(Sessions sessions, Peers peers, Callers callers, SubmitConfig config) {
        this.sessions = sessions;
        this.peers = peers;
        this.callers = callers;
        this.config = config;
    }

    /// A new session. Each end opens a WebSocket to the address, with its secret as bearer.
    ///
    /// @param userPath the address for the one who asked, on the gateway that he asked
    /// @param jobUrl the address for the job, as nodes reach this gateway
    @Schema(name = "Session")
    record SessionJson(String userPath, String userSecret, String jobUrl, String jobSecret) {

        /// @param gateway where jobs reach it
        static SessionJson of(Sessions.Opened session, String gateway) {
            String path = Sessions.PATH + session.id();
            return new SessionJson(path, session.userSecret(), gateway + path, session.jobSecret());
        }
    }

    @POST
    @Operation(
            summary = "Open a session for an interactive job",
            description =
                    "The user's end and the job's meet at this gateway by a WebSocket each. The session is forgotten when either end goes, or if the user's does not come within 30 s. It can be opened again by PUT.")
    @APIResponse(
            responseCode = "201",
            description = "The session",
            content = @Content(schema = @Schema(implementation = SessionJson.class)))
    @APIResponse(
            responseCode = "429",
            description = "As many are connected or attached as may be, or as many of the user's")
    public Response open(@Context HttpServerRequest request) {
        Sessions.Opened opened = sessions.open(callers.of(request).user());
        return Response.status(Response.Status.CREATED)
                .entity(SessionJson.of(opened, callers.gateway(request)))
                .build();
    }

    /// The secrets of a session that was open.
    @Schema(name = "SessionSecrets")
    record SecretsJson(String userSecret, String jobSecret) {}

    @PUT
    @Path("{id}")
    @Consumes(MediaType.APPLICATION_JSON)
    @Operation(
            summary = "Open a session again",
            description =
                    "For the user's end whose connection was lost: the gateway that was started anew knows the session no more. Both ends then come again.")
    @RequestBody(content = @Content(schema = @Schema(implementation = SecretsJson.class)))
    @APIResponse(responseCode = "204", description = "It is open")
    @APIResponse(responseCode = "404", description = "Another session has this id")
    @APIResponse(
            responseCode = "429",
            description = "As many are connected or attached as may be, or as many of the user's")
    public Response reopen(
            @PathParam("id") String id, @Context HttpServerRequest request, InputStream body)
            throws Refused {
        byte[] bytes = SubmissionBody.bytes(body, config.bodyTimeout());
        SecretsJson secrets = StrictJson.read(bytes, SecretsJson.class, "the secrets of a session");
        var session = new Sessions.Opened(id, secrets.userSecret(), secrets.jobSecret());
        if (!session.isPossible()) {
            throw new NotFoundException();
        }
        boolean open = sessions.isOpen(session);
        if (!open && !Peers.isPassedOn(request)) {
            open =
                    peers.answer(request, bytes).filter(it -> it.getStatus() / 100 == 2).isPresent()
                            || sessions.reopen(callers.of(request).user(), session);
        }
        if (!open) {
            throw new NotFoundException();
        }
        return Response.noContent().build();
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
    public Response tell(
            @PathParam("id") String id, @Context HttpServerRequest request, InputStream body)
            throws Refused {
        byte[] bytes = SubmissionBody.bytes(body, config.bodyTimeout());
        MessageJson message = StrictJson.read(bytes, MessageJson.class, "a message to a session");
        return sessions.tellJob(id, message.secret(), message.frame())
                ? Response.accepted().build()
                : peers.answer(request, bytes).orElseThrow(NotFoundException::new);
    }
}
