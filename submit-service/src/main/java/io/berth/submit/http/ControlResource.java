package io.berth.submit.http;

import io.berth.contracts.SignalTarget;
import io.berth.slurm.SignalText;
import io.berth.submit.Checks;
import io.berth.submit.JobChange;
import io.berth.submit.JobName;
import io.berth.submit.Position;
import io.berth.submit.Refusal.InvalidRequest;
import io.berth.submit.Refused;
import io.berth.submit.SubmitConfig;
import io.berth.submit.http.CancelJson.Stays;
import io.smallrye.common.annotation.RunOnVirtualThread;
import io.vertx.core.http.HttpServerRequest;
import jakarta.annotation.security.RolesAllowed;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.DELETE;
import jakarta.ws.rs.DefaultValue;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.io.InputStream;
import java.util.List;
import java.util.Locale;
import java.util.OptionalInt;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.enums.SchemaType;
import org.eclipse.microprofile.openapi.annotations.media.Content;
import org.eclipse.microprofile.openapi.annotations.media.ExampleObject;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.parameters.Parameter;
import org.eclipse.microprofile.openapi.annotations.parameters.RequestBody;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;
import org.jspecify.annotations.Nullable;

/// `/v1/jobs/{id}`: change jobs that are there. An id is `17`, which means all tasks of an array,
/// or `17_4`, `17_[1-3,7]` for tasks of it.
@Path("/v1/jobs")
@Produces(MediaType.APPLICATION_JSON)
@RolesAllowed({Callers.OPERATOR, Callers.USER})
@RunOnVirtualThread
@Tag(name = "Jobs")
@APIResponse(responseCode = "202", description = "It stands in the log, and will happen")
@APIResponse(responseCode = "403", description = "It is not the caller's to ask")
@APIResponse(responseCode = "404", description = "The log has no such job")
@APIResponse(responseCode = "409", description = "The job is too far for that")
@APIResponse(responseCode = "412", description = "The job is not as If-Match says")
public class ControlResource {

    private final JobControls controls;
    private final Callers callers;
    private final SubmitConfig config;

    ControlResource(JobControls controls, Callers callers, SubmitConfig config) {
        this.controls = controls;
        this.callers = callers;
        this.config = config;
    }

    @DELETE
    @Path("{id}")
    @Operation(
            summary = "Cancel a job",
            description = "The job ends soon. A job that has ended stays as it is.")
    public Response cancel(@PathParam("id") String id, @Context HttpServerRequest request)
            throws Refused {
        return accepted(controls.cancel(JobName.parse(id), callers.of(request)));
    }

    @POST
    @Path("cancel")
    @Consumes(MediaType.APPLICATION_JSON)
    @Operation(
            summary = "Cancel up to 1,000 jobs",
            description =
                    "Each as if it were cancelled alone: those that cannot be are named in the answer, and the others end soon.")
    @RequestBody(
            content =
                    @Content(
                            schema = @Schema(implementation = CancelJson.class),
                            examples =
                                    @ExampleObject(
                                            name = "A job and tasks of an array",
                                            value = "{\"jobs\": [\"17\", \"18_[1-3]\"]}")))
    @APIResponse(
            responseCode = "202",
            description = "All that are not refused will end",
            content = @Content(schema = @Schema(implementation = CancelJson.Answer.class)))
    public Response cancel(InputStream body, @Context HttpServerRequest request) throws Refused {
        CancelJson asked =
                StrictJson.read(
                        SubmissionBody.bytes(body, config.bodyTimeout()),
                        CancelJson.class,
                        "an object with a list of 'jobs'");
        var cancelled = controls.cancel(asked.ids(), callers.of(request));
        List<Stays> refused =
                cancelled.refused().entrySet().stream()
                        .map(it -> Stays.of(it.getKey(), it.getValue()))
                        .toList();
        return Response.accepted(new CancelJson.Answer(refused))
                .header(JobResource.POSITION, cancelled.position())
                .build();
    }

    @POST
    @Path("{id}")
    @Consumes(MediaType.APPLICATION_JSON)
    @Operation(
            summary = "Change a job",
            description =
                    "What is left out stays. Of a job that runs only what does not touch its resources may change.")
    @RequestBody(content = @Content(schema = @Schema(implementation = JobChange.class)))
    public Response amend(
            @PathParam("id") String id, InputStream body, @Context HttpServerRequest request)
            throws Refused {
        JobChange change =
                StrictJson.read(
                        SubmissionBody.bytes(body, config.bodyTimeout()),
                        JobChange.class,
                        "a change of a job: an object");
        return accepted(controls.amend(JobName.parse(id), callers.of(request), change));
    }

    @POST
    @Path("{id}/hold")
    @Operation(
            summary = "Keep a job from starting",
            description =
                    "Only an operator releases what an operator holds, unless he holds it as the user.")
    public Response hold(
            @PathParam("id") String id,
            @QueryParam("as") @DefaultValue("") String as,
            @Context HttpServerRequest request)
            throws Refused {
        if (!as.isEmpty() && !as.equals("user")) {
            throw new Refused(
                    new InvalidRequest(
                            "a hold is as user or without it, not " + Checks.quoted(as)));
        }
        return accepted(controls.hold(JobName.parse(id), callers.of(request), !as.isEmpty()));
    }

    @POST
    @Path("{id}/release")
    @Operation(summary = "Let a held job wait for its turn")
    public Response release(@PathParam("id") String id, @Context HttpServerRequest request)
            throws Refused {
        return accepted(controls.release(JobName.parse(id), callers.of(request)));
    }

    @POST
    @Path("{id}/requeue")
    @Operation(summary = "End a job's run and let it wait again")
    public Response requeue(
            @PathParam("id") String id,
            @QueryParam("hold")
                    @DefaultValue("false")
                    @Parameter(schema = @Schema(type = SchemaType.BOOLEAN))
                    String hold,
            @Context HttpServerRequest request)
            throws Refused {
        if (!hold.equals("true") && !hold.equals("false")) {
            throw new Refused(
                    new InvalidRequest("hold is true or false, not " + Checks.quoted(hold)));
        }
        return accepted(
                controls.requeue(JobName.parse(id), callers.of(request), hold.equals("true")));
    }

    @POST
    @Path("{id}/suspend")
    @Operation(
            summary = "Let a job's run stand still",
            description =
                    "Its CPUs come free for others; its memory and GPUs do not. An operator's to ask.")
    public Response suspend(@PathParam("id") String id, @Context HttpServerRequest request)
            throws Refused {
        return accepted(controls.suspend(JobName.parse(id), callers.of(request)));
    }

    @POST
    @Path("{id}/resume")
    @Operation(
            summary = "Let a suspended run go on",
            description = "It does as soon as the CPUs that it had are free. An operator's to ask.")
    public Response resume(@PathParam("id") String id, @Context HttpServerRequest request)
            throws Refused {
        return accepted(controls.resume(JobName.parse(id), callers.of(request)));
    }

    @POST
    @Path("{id}/signal")
    @Operation(
            summary = "Send a signal to a job's processes",
            description =
                    "The target is steps, all but the batch script's own process; batch, that process alone; or all. With a step's number its tasks alone are meant: KILL ends the step, and not the job.")
    public Response signal(
            @PathParam("id") String id,
            @QueryParam("signal") @DefaultValue("") String signal,
            @QueryParam("target") @DefaultValue("steps") String target,
            @QueryParam("step")
                    @Parameter(schema = @Schema(type = SchemaType.INTEGER, minimum = "0"))
                    @Nullable String step,
            @Context HttpServerRequest request)
            throws Refused {
        OptionalInt number = SignalText.number(signal);
        if (number.isEmpty()) {
            throw new Refused(
                    new InvalidRequest("a signal is a name such as USR1 or a number from 1 to 64"));
        }
        if (step != null && target(target) != SignalTarget.STEPS) {
            throw new Refused(new InvalidRequest("a step is signalled alone: no target beside it"));
        }
        return accepted(
                controls.signal(
                        JobName.parse(id),
                        callers.of(request),
                        number.getAsInt(),
                        target(target),
                        step(step)));
    }

    @POST
    @Path("{id}/top")
    @Operation(summary = "Put a job before all others of its user")
    public Response top(@PathParam("id") String id, @Context HttpServerRequest request)
            throws Refused {
        return accepted(controls.top(JobName.parse(id), callers.of(request)));
    }

    /// The number of a step, such as the kernel's groups have them.
    private static @Nullable Integer step(@Nullable String text) throws Refused {
        if (text != null && !text.matches("\\d{1,6}")) {
            throw new Refused(
                    new InvalidRequest(
                            "a step is a number from 0 to 999999, not " + Checks.quoted(text)));
        }
        return text == null ? null : Integer.valueOf(text);
    }

    private static SignalTarget target(String name) throws Refused {
        return switch (name.toLowerCase(Locale.ROOT)) {
            case "steps" -> SignalTarget.STEPS;
            case "batch" -> SignalTarget.BATCH;
            case "all" -> SignalTarget.ALL;
            default ->
                    throw new Refused(
                            new InvalidRequest("a signal's target is steps, batch or all"));
        };
    }

    private static Response accepted(Position position) {
        return Response.accepted().header(JobResource.POSITION, position).build();
    }
}
