package io.berth.submit.http;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectWriter;
import io.berth.contracts.json.Json;
import io.berth.slurm.JobSubmission;
import io.berth.submit.Refused;
import io.berth.submit.SubmitConfig;
import io.berth.submit.TooBusy;
import io.smallrye.common.annotation.RunOnVirtualThread;
import io.vertx.core.http.HttpServerRequest;
import jakarta.annotation.security.RolesAllowed;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.HeaderParam;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.Response;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.util.List;
import java.util.concurrent.Semaphore;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.media.Content;
import org.eclipse.microprofile.openapi.annotations.media.ExampleObject;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.parameters.RequestBody;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;
import org.jspecify.annotations.Nullable;

/// `/v1/jobs/bulk`: many jobs in one request, a line of JSON for each.
@Path("/v1/jobs/bulk")
@RolesAllowed({Callers.OPERATOR, Callers.USER})
@RunOnVirtualThread
@Tag(name = "Jobs")
public class BulkResource {
    static final String NDJSON = "application/x-ndjson";

    /// The end of a line's own key: `/10000`.
    private static final int KEY_SUFFIX = 6;

    private final BulkSubmissions submissions;
    private final Callers callers;
    private final SubmissionCounter counter;
    private final SubmitConfig config;
    private final Semaphore places;
    private final ObjectWriter json = Json.mapper().writerFor(BulkResult.class);

    BulkResource(
            BulkSubmissions submissions,
            Callers callers,
            SubmissionCounter counter,
            SubmitConfig config) {
        this.submissions = submissions;
        this.callers = callers;
        this.counter = counter;
        this.config = config;
        this.places = new Semaphore(config.bulks());
    }

    @POST
    @Consumes(NDJSON)
    @Produces(NDJSON)
    @Operation(
            summary = "Submit up to 10,000 jobs",
            description =
                    "Each line is a job as in POST /v1/jobs, and is accepted or refused on its own; the answer has a line for each. With an Idempotency-Key the same request again finds the jobs that there are, and makes those that are missing.")
    @RequestBody(
            content =
                    @Content(
                            mediaType = NDJSON,
                            schema = @Schema(implementation = JobSubmission.class),
                            examples =
                                    @ExampleObject(
                                            name = "A line",
                                            value =
                                                    "{\"script\":\"#!/bin/sh\\nhostname\\n\",\"gpus\":1}")))
    @APIResponse(
            responseCode = "200",
            description = "What became of each line; 503 in a line is an unknown outcome",
            content =
                    @Content(
                            mediaType = NDJSON,
                            schema = @Schema(implementation = BulkResult.class),
                            examples = {
                                @ExampleObject(
                                        name = "Accepted",
                                        value = "{\"line\":1,\"status\":201,\"id\":17}"),
                                @ExampleObject(
                                        name = "Refused",
                                        value =
                                                "{\"line\":2,\"status\":422,\"code\":\"invalid_partition\",\"detail\":\"partition 'gone' does not exist; there are: batch, cpu\"}")
                            }))
    @APIResponse(responseCode = "429", description = "Busy: see Retry-After; nothing was accepted")
    public Response submit(
            InputStream body,
            @HeaderParam(JobResource.KEY) @Nullable String key,
            @Context HttpServerRequest request)
            throws Refused {
        JobResource.checkKey(key, JobResource.MAX_KEY - KEY_SUFFIX);
        if (!places.tryAcquire()) {
            throw new TooBusy("the gateway already reads " + config.bulks() + " bulk submissions");
        }
        try {
            List<BulkLine> lines =
                    BulkLine.of(
                            SubmissionBody.bytes(
                                    body, config.bodyTimeout(), BodySize.MAX_BULK_BYTES));
            return answer(submissions.submit(lines, callers.of(request), key));
        } finally {
            places.release();
        }
    }

    private Response answer(BulkSubmissions.Results results) {
        var lines = new ByteArrayOutputStream();
        for (BulkResult line : results.lines()) {
            counter.count(line.outcome());
            lines.writeBytes(bytes(line));
            lines.write('\n');
        }
        var response = Response.ok(lines.toByteArray());
        if (results.position() != null) {
            response.header(JobResource.POSITION, results.position());
        }
        return response.build();
    }

    private byte[] bytes(BulkResult line) {
        try {
            return json.writeValueAsBytes(line);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("cannot write " + line, e);
        }
    }
}
