package io.berth.submit.http;

import io.berth.contracts.event.Trigger.Asked;
import io.berth.submit.Caller;
import io.berth.submit.Deadline;
import io.berth.submit.Picture;
import io.berth.submit.Refusal.LimitReached;
import io.berth.submit.Refusal.TriggerNotFound;
import io.berth.submit.Refused;
import io.berth.submit.SubmitConfig;
import io.berth.submit.Triggers;
import io.berth.submit.kafka.SubmissionWriter;
import io.berth.submit.kafka.TriggerWriter;
import io.smallrye.common.annotation.RunOnVirtualThread;
import io.vertx.core.http.HttpServerRequest;
import jakarta.annotation.security.RolesAllowed;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.DELETE;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.io.InputStream;
import java.time.Clock;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.media.Content;
import org.eclipse.microprofile.openapi.annotations.media.ExampleObject;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.parameters.RequestBody;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;

/// `/v1/triggers`: programs that run when something happens to a job or a node. A caller sees his
/// own, an operator all.
@Path("/v1/triggers")
@Produces(MediaType.APPLICATION_JSON)
@RolesAllowed({Callers.OPERATOR, Callers.USER})
@RunOnVirtualThread
@Tag(name = "Triggers")
public class TriggerResource {

    /// Triggers of one user: each is looked at again and again.
    private static final int MOST_OF_ONE = 100;

    private final Gateway gateway;
    private final SubmissionWriter numbers;
    private final TriggerWriter writer;
    private final Callers callers;
    private final SubmitConfig config;
    private final Clock clock;

    TriggerResource(
            Gateway gateway,
            SubmissionWriter numbers,
            TriggerWriter writer,
            Callers callers,
            SubmitConfig config,
            Clock clock) {
        this.gateway = gateway;
        this.numbers = numbers;
        this.writer = writer;
        this.callers = callers;
        this.config = config;
        this.clock = clock;
    }

    @GET
    @Operation(summary = "The triggers that are set")
    public TriggerJson.All all(@Context HttpServerRequest request) {
        Caller caller = callers.of(request);
        Picture picture = gateway.picture(null);
        return new TriggerJson.All(
                picture.triggers().all().stream()
                        .filter(it -> caller.looksAfter(it.user()))
                        .map(it -> TriggerJson.of(it, picture, clock.millis()))
                        .toList());
    }

    @POST
    @Consumes(MediaType.APPLICATION_JSON)
    @Operation(
            summary = "Set a trigger",
            description =
                    "When its occasion comes, its program runs as a job of the one who set it, with"
                            + " the job's id or the nodes as its last argument.")
    @RequestBody(
            content =
                    @Content(
                            schema = @Schema(implementation = TriggerRequest.class),
                            examples =
                                    @ExampleObject(
                                            name = "job",
                                            value =
                                                    "{\"occasion\":\"time\",\"job\":\"17\",\"offsetSeconds\":-600,\"program\":[\"/home/alice/save\"]}")))
    @APIResponse(
            responseCode = "201",
            description = "It stands in the log",
            content = @Content(schema = @Schema(implementation = TriggerJson.class)))
    @APIResponse(responseCode = "403", description = "It is not the caller's to set")
    @APIResponse(responseCode = "404", description = "The log has no such job")
    @APIResponse(responseCode = "422", description = "There can be no such trigger")
    public Response set(InputStream body, @Context HttpServerRequest request) throws Refused {
        TriggerRequest asked =
                StrictJson.read(
                        SubmissionBody.bytes(body, config.bodyTimeout()),
                        TriggerRequest.class,
                        "a trigger: an object");
        var due = Deadline.in(config.answerTimeout());
        Asked checked = asked.trigger(gateway, callers.of(request), clock.millis());
        long others =
                triggers().all().stream().filter(it -> it.user().equals(checked.user())).count();
        if (others >= MOST_OF_ONE) {
            throw new Refused(
                    new LimitReached(
                            checked.user() + " has " + others + " triggers, as many as one may"));
        }
        Asked trigger = numbered(numbers.number(due), checked);
        writer.write(trigger, due);
        return Response.status(Response.Status.CREATED)
                .entity(TriggerJson.of(trigger, gateway.picture(null), clock.millis()))
                .build();
    }

    private static Asked numbered(long number, Asked trigger) {
        return new Asked(
                number,
                trigger.user(),
                trigger.occasion(),
                trigger.job(),
                trigger.nodes(),
                trigger.before(),
                trigger.offsetSeconds(),
                trigger.permanent(),
                trigger.program(),
                trigger.at());
    }

    @DELETE
    @Path("{id}")
    @Operation(summary = "Clear a trigger")
    @APIResponse(responseCode = "204", description = "It is gone")
    @APIResponse(
            responseCode = "404",
            description = "There is no such trigger that is the caller's")
    public Response clear(@PathParam("id") long id, @Context HttpServerRequest request)
            throws Refused {
        Asked trigger = triggers().get(id);
        if (trigger == null || !callers.of(request).looksAfter(trigger.user())) {
            throw new Refused(new TriggerNotFound("there is no trigger " + id));
        }
        writer.delete(trigger.key(), Deadline.in(config.answerTimeout()));
        return Response.noContent().build();
    }

    private Triggers triggers() {
        return gateway.picture(null).triggers();
    }
}
