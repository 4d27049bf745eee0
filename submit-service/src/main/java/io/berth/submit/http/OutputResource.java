package io.berth.submit.http;

import static java.util.Objects.requireNonNull;

import io.berth.contracts.Allocation;
import io.berth.contracts.NodeName;
import io.berth.submit.Caller;
import io.berth.submit.Checks;
import io.berth.submit.Deadline;
import io.berth.submit.Job;
import io.berth.submit.Permissions;
import io.berth.submit.Refusal.InvalidRequest;
import io.berth.submit.Refusal.OutputNotFound;
import io.berth.submit.Refused;
import io.berth.submit.SubmitConfig;
import io.berth.submit.kafka.SpecReader;
import io.berth.submit.session.OutputAnswer;
import io.berth.submit.session.Outputs;
import io.smallrye.common.annotation.RunOnVirtualThread;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import jakarta.annotation.security.RolesAllowed;
import jakarta.ws.rs.DefaultValue;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.MediaType;
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.enums.SchemaType;
import org.eclipse.microprofile.openapi.annotations.media.Content;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.parameters.Parameter;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;
import org.jboss.resteasy.reactive.RestMulti;
import org.jspecify.annotations.Nullable;

/// `/v1/jobs/{id}/output`: what a job has written.
@Path("/v1/jobs/{id}/output")
@RolesAllowed({Callers.OPERATOR, Callers.USER})
@RunOnVirtualThread
@Tag(name = "Jobs")
public class OutputResource {
    /// The byte that an answer begins with.
    static final String OFFSET = "Berth-Output-Offset";

    private final Gateway gateway;
    private final SpecReader specs;
    private final Outputs outputs;
    private final Callers callers;
    private final SubmitConfig config;

    OutputResource(
            Gateway gateway,
            SpecReader specs,
            Outputs outputs,
            Callers callers,
            SubmitConfig config) {
        this.gateway = gateway;
        this.specs = specs;
        this.outputs = outputs;
        this.callers = callers;
        this.config = config;
    }

    @GET
    @Produces(MediaType.APPLICATION_OCTET_STREAM)
    @Operation(
            summary = "What a job has written",
            description =
                    "The bytes of its output file from an offset on, as its node's agent reads them under the job's account. `Berth-Output-Offset` says with which byte the answer begins: 0 if the file has become shorter than asked. With `follow` the answer goes on until the job's run has ended or its file begins anew. For the job's owner and operators.")
    @APIResponse(
            responseCode = "200",
            description = "The bytes",
            content =
                    @Content(
                            mediaType = MediaType.APPLICATION_OCTET_STREAM,
                            schema = @Schema(type = SchemaType.STRING, format = "binary")))
    @APIResponse(responseCode = "404", description = "No such job, or it has written nothing")
    @APIResponse(responseCode = "429", description = "As many are read as may be")
    @APIResponse(responseCode = "503", description = "The node does not answer")
    public RestMulti<byte[]> read(
            @PathParam("id") String id,
            @QueryParam("stream")
                    @DefaultValue("out")
                    @Parameter(description = "`out` or `err`", example = "out")
                    String stream,
            @QueryParam("offset")
                    @DefaultValue("0")
                    @Parameter(
                            description = "The first byte; negative counts from the end",
                            schema = @Schema(type = SchemaType.INTEGER, format = "int64"))
                    String offset,
            @QueryParam("follow")
                    @DefaultValue("false")
                    @Parameter(schema = @Schema(type = SchemaType.BOOLEAN))
                    String follow,
            @QueryParam("node")
                    @Parameter(
                            description =
                                    "Of a job whose script runs on every node, which; without, its first")
                    @Nullable String node,
            @Context HttpServerRequest request)
            throws Refused {
        Caller caller = callers.of(request);
        Job job = gateway.one(id, caller);
        Permissions.toRead(job, caller);
        if (!job.hasProgram()) {
            throw new Refused(
                    new OutputNotFound(
                            "job %s has no script: it is a component of heterogeneous job %s"
                                    .formatted(
                                            job.id(),
                                            requireNonNull(job.description().het()).first())));
        }
        var asked =
                new Outputs.Question(
                        job.id(),
                        job.user(),
                        node(job, node),
                        choice("stream", stream, "out", "err").equals("err"),
                        number(offset),
                        choice("follow", follow, "false", "true").equals("true"),
                        key(job));
        OutputAnswer answer = outputs.ask(asked, caller);
        HttpServerResponse response = request.response();
        if (response.closed()) {
            // Nobody will ask for the bytes, nor tell that he has left.
            answer.close();
        }
        return RestMulti.fromMultiData(answer.bytes(response::closed))
                .header(OFFSET, Long.toString(answer.offset()))
                .header("Cache-Control", "no-store")
                .build();
    }

    /// The node to ask.
    private static NodeName node(Job job, @Nullable String node) throws Refused {
        List<Allocation> nodes = job.attempt() == null ? List.of() : job.attempt().allocations();
        if (nodes.isEmpty()) {
            throw new Refused(new OutputNotFound("job " + job.id() + " has not started"));
        }
        return nodes.stream()
                .map(Allocation::node)
                .filter(it -> node == null || it.value().equals(node))
                .findFirst()
                .orElseThrow(() ->
                        new Refused(
                                new OutputNotFound(
                                        "job %s has not run on node %s"
                                                .formatted(
                                                        job.id(),
                                                        Checks.quoted(String.valueOf(node))))));
    }

    private String key(Job job) throws Refused {
        return specs.key(job, Deadline.in(config.answerTimeout()))
                .orElseThrow(() ->
                        new Refused(
                                new OutputNotFound(
                                        "job %s was taken in by an older gateway: its node tells nobody what it wrote"
                                                .formatted(job.id()))));
    }

    private static String choice(String name, String text, String one, String other)
            throws Refused {
        if (!text.equals(one) && !text.equals(other)) {
            throw new Refused(
                    new InvalidRequest(
                            "%s is %s or %s, not %s"
                                    .formatted(name, one, other, Checks.quoted(text))));
        }
        return text;
    }

    private static long number(String text) throws Refused {
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException e) {
            throw new Refused(
                    new InvalidRequest("offset is a number of bytes, not " + Checks.quoted(text)));
        }
    }
}
