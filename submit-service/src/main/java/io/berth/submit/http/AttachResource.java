package io.berth.submit.http;

import io.berth.contracts.JobSpec;
import io.berth.submit.Caller;
import io.berth.submit.Checks;
import io.berth.submit.Deadline;
import io.berth.submit.Job;
import io.berth.submit.JobName;
import io.berth.submit.Permissions;
import io.berth.submit.Refusal.StepNotFound;
import io.berth.submit.Refused;
import io.berth.submit.SubmitConfig;
import io.berth.submit.kafka.SpecReader;
import io.berth.submit.session.Peers;
import io.berth.submit.session.Sessions;
import io.smallrye.common.annotation.RunOnVirtualThread;
import io.vertx.core.http.HttpServerRequest;
import jakarta.annotation.security.RolesAllowed;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.util.Map;
import java.util.Optional;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.media.Content;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;

/// `/v1/jobs/{id}/steps/{step}/attach`: a place at the streams of a step. Those of a job that
/// `srun` started for itself pass through a session of the gateway that `srun` reached; the job's
/// specification names the session, and the step.
@Path("/v1/jobs/{id}/steps/{step}/attach")
@Produces(MediaType.APPLICATION_JSON)
@RolesAllowed({Callers.OPERATOR, Callers.USER})
@RunOnVirtualThread
@Tag(name = "Sessions")
public class AttachResource {
    private static final String STEP = "BERTH_SESSION_STEP";
    private static final String SESSION = "BERTH_SESSION_URL";
    private static final String SECRET = "BERTH_SESSION_SECRET";
    private static final String TERMINAL = "BERTH_SESSION_SIZE";

    private final Gateway gateway;
    private final SpecReader specs;
    private final Sessions sessions;
    private final Peers peers;
    private final Callers callers;
    private final SubmitConfig config;

    AttachResource(
            Gateway gateway,
            SpecReader specs,
            Sessions sessions,
            Peers peers,
            Callers callers,
            SubmitConfig config) {
        this.gateway = gateway;
        this.specs = specs;
        this.sessions = sessions;
        this.peers = peers;
        this.callers = callers;
        this.config = config;
    }

    /// A place beside the two ends of a session, for half a minute.
    ///
    /// @param path of the WebSocket, on the gateway that was asked
    /// @param secret its bearer, for one connection
    /// @param terminal whether the step has a terminal
    @Schema(name = "Attachment")
    record AttachmentJson(String path, String secret, boolean terminal) {}

    @POST
    @Operation(
            summary = "Attach to the step of an interactive job",
            description =
                    "Whoever opens a WebSocket there, within 30 s, is sent what the step writes from then on and, last, its exit code; what he sends as input is given to the step. Who does not keep up is sent away. For the job's owner and admins.")
    @APIResponse(
            responseCode = "201",
            description = "The place",
            content = @Content(schema = @Schema(implementation = AttachmentJson.class)))
    @APIResponse(responseCode = "404", description = "No such job, or no such step that runs")
    @APIResponse(
            responseCode = "429",
            description = "As many are attached as may be, or as many of the user's")
    public Response attach(
            @PathParam("id") String id,
            @PathParam("step") String step,
            @Context HttpServerRequest request)
            throws Refused {
        Caller caller = callers.of(request);
        Job job = gateway.named(JobName.parse(id), caller).getFirst();
        Permissions.toAttach(job, caller);
        Map<String, String> variables =
                specs.read(job, Deadline.in(config.viewTimeout()))
                        .map(JobSpec::environment)
                        .orElse(Map.of());
        if (!step.equals(variables.get(STEP))) {
            throw new Refused(
                    new StepNotFound(
                            "job %s has no step %s to attach to: that is step 0 of a job that srun started, not of a script or of salloc"
                                    .formatted(job.id(), Checks.quoted(step))));
        }
        // What a job's variables say is its user's word: the secret tells that the session is his.
        String session = variables.getOrDefault(SESSION, "");
        String name = session.substring(session.lastIndexOf('/') + 1);
        Optional<Sessions.Attaching> place =
                sessions.attach(caller.user(), name, variables.getOrDefault(SECRET, ""));
        if (place.isEmpty()) {
            Optional<Response> elsewhere = peers.answer(request, new byte[0]);
            if (elsewhere.isPresent()) {
                return elsewhere.get();
            }
            throw new Refused(new StepNotFound(notHere(job, session, caller)));
        }
        return Response.status(Response.Status.CREATED)
                .entity(
                        new AttachmentJson(
                                place.get().path(),
                                place.get().secret(),
                                variables.containsKey(TERMINAL)))
                .build();
    }

    private static String notHere(Job job, String session, Caller caller) {
        if (job.state().terminal()) {
            return "job %s is over".formatted(job.id());
        }
        if (job.pending()) {
            return "job %s has not started".formatted(job.id());
        }
        String there = session.substring(0, Math.max(0, session.indexOf(Sessions.PATH)));
        return there.equals(caller.gateway())
                ? "the program of job %s has not started, or its srun is gone".formatted(job.id())
                : "the streams of job %s are not at this gateway, %s, but at %s: ask that one"
                        .formatted(job.id(), caller.gateway(), Checks.quoted(there));
    }
}
