package io.berth.submit.http;

import io.berth.contracts.JobState;
import io.berth.contracts.NodeName;
import io.berth.contracts.RunId;
import io.berth.contracts.event.StepRequest;
import io.berth.submit.Caller;
import io.berth.submit.Deadline;
import io.berth.submit.Job;
import io.berth.submit.Job.Attempt;
import io.berth.submit.Permissions;
import io.berth.submit.Refusal.JobNotPending;
import io.berth.submit.Refused;
import io.berth.submit.SubmitConfig;
import io.berth.submit.http.SessionResource.SessionJson;
import io.berth.submit.kafka.SpecReader;
import io.berth.submit.kafka.SubmissionWriter;
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
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.media.Content;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;

/// `/v1/jobs/{id}/sessions`: a place where a terminal meets a process in a job that runs already.
@Path("/v1/jobs/{id}/sessions")
@Produces(MediaType.APPLICATION_JSON)
@RolesAllowed({Callers.OPERATOR, Callers.USER})
@RunOnVirtualThread
@Tag(name = "Sessions")
public class JobSessionResource {
    private final Gateway gateway;
    private final SpecReader specs;
    private final Sessions sessions;
    private final SubmissionWriter writer;
    private final Callers callers;
    private final SubmitConfig config;

    JobSessionResource(
            Gateway gateway,
            SpecReader specs,
            Sessions sessions,
            SubmissionWriter writer,
            Callers callers,
            SubmitConfig config) {
        this.gateway = gateway;
        this.specs = specs;
        this.sessions = sessions;
        this.writer = writer;
        this.callers = callers;
        this.config = config;
    }

    /// A new session, to which the job's end is on its way.
    ///
    /// @param job whose it is: of an array the first task that is not over
    /// @param node that was asked for a process
    /// @param userPath the address for the one who asked, on the gateway that he asked
    /// @param again is not open yet
    @Schema(name = "JobSession")
    record JobSessionJson(
            long job,
            String node,
            String userPath,
            String userSecret,
            @Schema(
                            description =
                                    "The session at which both ends meet when they lose this one, to which each comes once: the user's end opens it by PUT, and tells the job's of it with what it is to run")
                    SessionJson again) {}

    @POST
    @Operation(
            summary = "Open a session for a step in a job that runs",
            description =
                    "The first node of the job is asked to bring a process there, as the job's user and in the job's group and limits. It runs what the user's end says first. For the job's owner and admins.")
    @APIResponse(
            responseCode = "201",
            description = "The session",
            content = @Content(schema = @Schema(implementation = JobSessionJson.class)))
    @APIResponse(responseCode = "404", description = "No such job")
    @APIResponse(responseCode = "409", description = "The job does not run")
    @APIResponse(
            responseCode = "429",
            description = "As many are connected or attached as may be, or as many of the user's")
    public Response open(@PathParam("id") String id, @Context HttpServerRequest request)
            throws Refused {
        Caller caller = callers.of(request);
        Job job = gateway.one(id, caller);
        Permissions.toStart(job, caller);
        Attempt attempt = running(job);
        Deadline due = Deadline.in(config.answerTimeout());
        String key =
                specs.key(job, due)
                        .orElseThrow(() ->
                                refusal("an older gateway took it in: no step can be started"));
        Sessions.Opened opened = sessions.openOnce(caller.user());
        String path = Sessions.PATH + opened.id();
        NodeName node = attempt.allocations().getFirst().node();
        writer.ask(
                StepRequest.proven(
                        node,
                        new RunId(job.id(), attempt.lease()),
                        caller.gateway() + path,
                        opened.jobSecret(),
                        key),
                due);
        return Response.status(Response.Status.CREATED)
                .entity(
                        new JobSessionJson(
                                job.id().value(),
                                node.value(),
                                path,
                                opened.userSecret(),
                                SessionJson.of(Sessions.named(), caller.gateway())))
                .build();
    }

    private static Attempt running(Job job) throws Refused {
        Attempt attempt = job.attempt();
        if (job.state() == JobState.RUNNING && attempt != null) {
            return attempt;
        }
        throw refusal(
                switch (job.state()) {
                    case PENDING -> "Job is pending execution";
                    case SUSPENDED -> "Job is suspended";
                    default -> "Job/step already completing or completed";
                });
    }

    private static Refused refusal(String why) {
        return new Refused(new JobNotPending(why));
    }
}
