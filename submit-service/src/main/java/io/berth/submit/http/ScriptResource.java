package io.berth.submit.http;

import io.berth.submit.Caller;
import io.berth.submit.Deadline;
import io.berth.submit.Job;
import io.berth.submit.Permissions;
import io.berth.submit.Refusal.OutputNotFound;
import io.berth.submit.Refused;
import io.berth.submit.SubmitConfig;
import io.berth.submit.kafka.SpecReader;
import io.smallrye.common.annotation.RunOnVirtualThread;
import io.vertx.core.http.HttpServerRequest;
import jakarta.annotation.security.RolesAllowed;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.MediaType;
import java.nio.charset.StandardCharsets;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.enums.SchemaType;
import org.eclipse.microprofile.openapi.annotations.media.Content;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;

/// `/v1/jobs/{id}/script`: the batch script that a job was submitted with.
@Path("/v1/jobs/{id}/script")
@RolesAllowed({Callers.OPERATOR, Callers.USER})
@RunOnVirtualThread
@Tag(name = "Jobs")
public class ScriptResource {
    private final Gateway gateway;
    private final SpecReader specs;
    private final SubmitConfig config;
    private final Callers callers;

    ScriptResource(Gateway gateway, SpecReader specs, SubmitConfig config, Callers callers) {
        this.gateway = gateway;
        this.specs = specs;
        this.config = config;
        this.callers = callers;
    }

    @GET
    @Produces(MediaType.APPLICATION_OCTET_STREAM)
    @Operation(
            summary = "A job's batch script",
            description = "As it was submitted. For the job's owner and operators.")
    @APIResponse(
            responseCode = "200",
            description = "The script",
            content =
                    @Content(
                            mediaType = MediaType.APPLICATION_OCTET_STREAM,
                            schema = @Schema(type = SchemaType.STRING, format = "binary")))
    @APIResponse(responseCode = "404", description = "No such job, or it has no script")
    public byte[] read(@PathParam("id") String id, @Context HttpServerRequest request)
            throws Refused {
        Caller caller = callers.of(request);
        Job job = gateway.one(id, caller);
        Permissions.toReadScript(job, caller);
        return specs.read(job, Deadline.in(config.viewTimeout()))
                .filter(_ -> job.hasProgram())
                .map(spec -> spec.script().getBytes(StandardCharsets.UTF_8))
                .orElseThrow(() ->
                        new Refused(
                                new OutputNotFound(
                                        "job %s has no script here".formatted(job.id()))));
    }
}
