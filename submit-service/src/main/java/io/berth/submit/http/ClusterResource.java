package io.berth.submit.http;

import io.berth.contracts.NodeName;
import io.berth.contracts.PrivateData;
import io.berth.contracts.config.Configuration;
import io.berth.contracts.event.NodeRequest;
import io.berth.contracts.event.NodeSeen;
import io.berth.core.placement.VictimTerms;
import io.berth.core.request.Sight;
import io.berth.submit.Checks;
import io.berth.submit.Deadline;
import io.berth.submit.Node;
import io.berth.submit.NodeChange;
import io.berth.submit.NodePlaces;
import io.berth.submit.Permissions;
import io.berth.submit.Picture;
import io.berth.submit.Position;
import io.berth.submit.Refusal.NodeNotFound;
import io.berth.submit.Refused;
import io.berth.submit.SubmitConfig;
import io.berth.submit.Unavailable;
import io.berth.submit.kafka.SubmissionWriter;
import io.smallrye.common.annotation.RunOnVirtualThread;
import io.vertx.core.http.HttpServerRequest;
import jakarta.annotation.security.RolesAllowed;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.HeaderParam;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.io.InputStream;
import java.time.Clock;
import java.util.List;
import java.util.stream.Stream;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.media.Content;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.parameters.Parameter;
import org.eclipse.microprofile.openapi.annotations.parameters.RequestBody;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;
import org.jspecify.annotations.Nullable;

/// What the cluster is made of: nodes, partitions and shares.
@Path("/v1")
@Produces(MediaType.APPLICATION_JSON)
@RolesAllowed({Callers.OPERATOR, Callers.USER})
@RunOnVirtualThread
@Tag(name = "Cluster")
public class ClusterResource {
    private final Gateway gateway;
    private final Clock clock;
    private final SubmissionWriter writer;
    private final Callers callers;
    private final SubmitConfig config;

    ClusterResource(
            Gateway gateway,
            Clock clock,
            SubmissionWriter writer,
            Callers callers,
            SubmitConfig config) {
        this.gateway = gateway;
        this.clock = clock;
        this.writer = writer;
        this.callers = callers;
        this.config = config;
    }

    @GET
    @Path("nodes")
    @Operation(summary = "All nodes, with what jobs hold on them")
    public Lists.Nodes nodes(
            @HeaderParam(JobResource.POSITION) @Nullable String position,
            @Context HttpServerRequest request)
            throws Refused {
        Picture picture = picture(position);
        Sight sight = sight(request, picture, PrivateData.NODES);
        var places = new NodePlaces(picture.configuration().orElse(null));
        return new Lists.Nodes(
                picture.nodes().stream()
                        .map(node -> NodeJson.of(node, places, picture, sight, clock.millis()))
                        .toList());
    }

    @GET
    @Path("nodes/{name}")
    @Operation(summary = "One node")
    public NodeJson node(
            @PathParam("name") String name,
            @HeaderParam(JobResource.POSITION) @Nullable String position,
            @Context HttpServerRequest request)
            throws Refused {
        Picture picture = picture(position);
        Sight sight = sight(request, picture, PrivateData.NODES);
        var places = new NodePlaces(picture.configuration().orElse(null));
        return NodeJson.of(node(name, picture), places, picture, sight, clock.millis());
    }

    @POST
    @Path("nodes/{name}")
    @Consumes(MediaType.APPLICATION_JSON)
    @Operation(
            summary = "Drain a node, take it down or up again, give it features",
            description =
                    "A node that drains gets no new work; one that goes down is cleared of what runs there.")
    @RequestBody(content = @Content(schema = @Schema(implementation = NodeChange.class)))
    @APIResponse(responseCode = "202", description = "It stands in the log, and will happen")
    @APIResponse(responseCode = "403", description = "The caller is no admin")
    public Response change(
            @PathParam("name") String name, InputStream body, @Context HttpServerRequest request)
            throws Refused {
        NodeChange change =
                StrictJson.read(
                        SubmissionBody.bytes(body, config.bodyTimeout()),
                        NodeChange.class,
                        "a change of a node: an object");
        NodeName node = node(name, gateway.picture(null)).name();
        for (NodeRequest asked : change.requests(node, callers.of(request))) {
            writer.ask(asked, Deadline.in(config.answerTimeout()));
        }
        return Response.accepted().build();
    }

    private static Node node(String name, Picture picture) throws Refused {
        return picture.nodes().stream()
                .filter(node -> node.name().value().equals(name))
                .findFirst()
                .orElseThrow(() ->
                        new Refused(new NodeNotFound("there is no node " + Checks.quoted(name))));
    }

    @GET
    @Path("partitions")
    @Operation(summary = "All partitions")
    public Lists.Partitions partitions(
            @HeaderParam(JobResource.POSITION) @Nullable String position,
            @Context HttpServerRequest request)
            throws Refused {
        Picture picture = picture(position);
        var _ = sight(request, picture, PrivateData.PARTITIONS);
        return new Lists.Partitions(
                picture.configuration().stream()
                        .flatMap(it -> partitions(it, picture.registrations()))
                        .toList());
    }

    private static Stream<PartitionJson> partitions(
            Configuration configuration, List<NodeSeen> registrations) {
        var terms = new VictimTerms(configuration);
        return configuration.partitions().values().stream()
                .map(it -> PartitionJson.of(it, terms, registrations));
    }

    @GET
    @Path("reservations")
    @Operation(summary = "The reservations that are on or to come")
    public Lists.Reservations reservations(
            @HeaderParam(JobResource.POSITION) @Nullable String position,
            @Context HttpServerRequest request)
            throws Refused {
        Picture picture = picture(position);
        Sight sight = callers.of(request).sight(picture);
        long now = clock.millis();
        return new Lists.Reservations(
                picture.configuration().stream()
                        .flatMap(it ->
                                ReservationJson.all(it, picture.registrations(), sight, now)
                                        .stream())
                        .toList());
    }

    @GET
    @Path("licenses")
    @Operation(summary = "The cluster's licenses, and how many are in use")
    public Lists.Licenses licenses(@HeaderParam(JobResource.POSITION) @Nullable String position)
            throws Refused {
        Picture picture = picture(position);
        return new Lists.Licenses(
                picture.configuration().stream()
                        .flatMap(it -> LicenseJson.all(it, picture.jobs(clock.millis())).stream())
                        .toList());
    }

    @GET
    @Path("queues")
    @Operation(
            summary = "What accounts are guaranteed, use, have borrowed and have lent",
            description = "Those whose usage the caller may see.")
    public Lists.Queues queues(
            @HeaderParam(JobResource.POSITION) @Nullable String position,
            @Context HttpServerRequest request)
            throws Refused {
        Picture picture = picture(position);
        return QueueJson.all(
                picture.queues()
                        .orElseThrow(() -> new Unavailable("the cluster is not known well enough")),
                callers.of(request).sight(picture));
    }

    @GET
    @Path("fair-share")
    @Operation(summary = "The fair-share factor of every association")
    public FairShareJson fairShare(
            @HeaderParam(JobResource.POSITION) @Nullable String position,
            @Context HttpServerRequest request)
            throws Refused {
        Picture picture = picture(position);
        return FairShareJson.of(picture.shares().calculation(), callers.of(request).sight(picture));
    }

    @GET
    @Path("priorities")
    @Operation(summary = "The priorities of all waiting jobs, taken apart")
    public PrioritiesJson priorities(
            @HeaderParam(JobResource.POSITION) @Nullable String position,
            @Context HttpServerRequest request)
            throws Refused {
        Picture picture = picture(position);
        return PrioritiesJson.of(picture, callers.of(request).sight(picture), clock.millis());
    }

    @GET
    @Path("steps")
    @Operation(
            summary = "The steps that run",
            description =
                    "As their nodes told it last, every few seconds: those that count what steps use.")
    public StepsJson steps(
            @Parameter(description = "of these jobs: `17`, `17_4`, with commas between")
                    @QueryParam("job")
                    @Nullable String jobs,
            @HeaderParam(JobResource.POSITION) @Nullable String position,
            @Context HttpServerRequest request)
            throws Refused {
        Picture picture = picture(position);
        return StepsJson.of(picture, callers.of(request).sight(picture), JobFilter.ids(jobs));
    }

    /// @throws Refused if what is asked for is for operators alone
    private Sight sight(HttpServerRequest request, Picture picture, PrivateData asked)
            throws Refused {
        Sight sight = callers.of(request).sight(picture);
        Permissions.toSee(sight, asked);
        return sight;
    }

    private Picture picture(@Nullable String position) throws Refused {
        return gateway.picture(position == null ? null : Position.parse(position));
    }
}
