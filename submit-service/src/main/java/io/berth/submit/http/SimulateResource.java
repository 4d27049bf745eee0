package io.berth.submit.http;

import io.berth.submit.Refused;
import io.berth.submit.SubmitConfig;
import io.berth.submit.WhatIf;
import io.smallrye.common.annotation.RunOnVirtualThread;
import io.vertx.core.http.HttpServerRequest;
import jakarta.annotation.security.RolesAllowed;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.MediaType;
import java.io.InputStream;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.media.Content;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.parameters.RequestBody;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;

/// `/v1/simulate`: when a job would start.
@Path("/v1/simulate")
@Produces(MediaType.APPLICATION_JSON)
@RolesAllowed({Callers.OPERATOR, Callers.USER})
@RunOnVirtualThread
@Tag(name = "Jobs")
public class SimulateResource {

    private final Simulations simulations;
    private final Callers callers;
    private final SubmitConfig config;

    SimulateResource(Simulations simulations, Callers callers, SubmitConfig config) {
        this.simulations = simulations;
        this.callers = callers;
        this.config = config;
    }

    @POST
    @Consumes(MediaType.APPLICATION_JSON)
    @Operation(
            summary = "When would a job start?",
            description =
                    "A job that is not submitted, or one that waits; as things are, or with nodes drained or added, or with another limit. The engine decides it on a copy of the cluster, where every run lasts as long as its limit. Nothing is submitted or changed.")
    @RequestBody(content = @Content(schema = @Schema(implementation = WhatIf.class)))
    @APIResponse(
            responseCode = "200",
            description = "What would be",
            content = @Content(schema = @Schema(implementation = SimulationJson.class)))
    @APIResponse(responseCode = "422", description = "Such a job would be refused")
    @APIResponse(responseCode = "503", description = "Others simulate: try again")
    public SimulationJson simulate(InputStream body, @Context HttpServerRequest request)
            throws Refused {
        WhatIf asked =
                StrictJson.read(
                        SubmissionBody.bytes(body, config.bodyTimeout()),
                        WhatIf.class,
                        "a question: an object with the field 'submit' or 'job'");
        return simulations.answer(asked, callers.of(request));
    }
}
