package io.berth.submit.http;

import io.berth.contracts.config.Configuration;
import io.berth.submit.Picture;
import io.berth.submit.Position;
import io.berth.submit.Refusal.NodeNotFound;
import io.berth.submit.Refused;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.annotation.security.RolesAllowed;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.HeaderParam;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import java.time.Clock;
import org.eclipse.microprofile.openapi.annotations.Operation;
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

    ClusterResource(Gateway gateway, Clock clock) {
        this.gateway = gateway;
        this.clock = clock;
    }

    @GET
    @Path("nodes")
    @Operation(summary = "All nodes, with what jobs hold on them")
    public Lists.Nodes nodes(@HeaderParam(JobResource.POSITION) @Nullable String position)
            throws Refused {
        Picture picture = picture(position);
        return new Lists.Nodes(
                picture.nodes().stream().map(node -> NodeJson.of(node, picture)).toList());
    }

    @GET
    @Path("nodes/{name}")
    @Operation(summary = "One node")
    public NodeJson node(
            @PathParam("name") String name,
            @HeaderParam(JobResource.POSITION) @Nullable String position)
            throws Refused {
        Picture picture = picture(position);
        return picture.nodes().stream()
                .filter(node -> node.name().value().equals(name))
                .findFirst()
                .map(node -> NodeJson.of(node, picture))
                .orElseThrow(() -> new Refused(new NodeNotFound("there is no such node")));
    }

    @GET
    @Path("partitions")
    @Operation(summary = "All partitions")
    public Lists.Partitions partitions(@HeaderParam(JobResource.POSITION) @Nullable String position)
            throws Refused {
        Picture picture = picture(position);
        return new Lists.Partitions(
                picture.configuration().map(Configuration::partitions).stream()
                        .flatMap(it -> it.values().stream())
                        .map(it -> PartitionJson.of(it, picture.registrations()))
                        .toList());
    }

    @GET
    @Path("fair-share")
    @Operation(summary = "The fair-share factor of every association")
    public FairShareJson fairShare(@HeaderParam(JobResource.POSITION) @Nullable String position)
            throws Refused {
        return FairShareJson.of(picture(position).shares().calculation());
    }

    @GET
    @Path("priorities")
    @Operation(summary = "The priorities of all waiting jobs, taken apart")
    public PrioritiesJson priorities(@HeaderParam(JobResource.POSITION) @Nullable String position)
            throws Refused {
        return PrioritiesJson.of(picture(position), clock.millis());
    }

    private Picture picture(@Nullable String position) throws Refused {
        return gateway.picture(position == null ? null : Position.parse(position));
    }
}
