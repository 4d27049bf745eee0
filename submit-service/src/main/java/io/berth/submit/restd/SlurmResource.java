package io.berth.submit.restd;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.contracts.PrivateData;
import io.berth.contracts.config.Configuration;
import io.berth.contracts.event.ConfigEntry.Partition;
import io.berth.contracts.event.ConfigEntry.Reservation;
import io.berth.core.request.Sight;
import io.berth.submit.Caller;
import io.berth.submit.Job;
import io.berth.submit.JobName;
import io.berth.submit.Node;
import io.berth.submit.Permissions;
import io.berth.submit.Picture;
import io.berth.submit.SubmitConfig;
import io.berth.submit.http.Callers;
import io.berth.submit.http.Gateway;
import io.berth.submit.http.JobControls;
import io.berth.submit.http.LicenseJson;
import io.berth.submit.http.StrictJson;
import io.berth.submit.http.SubmissionBody;
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
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;

/// `/slurm/v0.0.4x`: what programs most ask of slurmrestd, in its words. What it does not have is
/// `404`; Berth's own API is `/v1`.
@Path("/slurm/{version:v0\\.0\\.4[0-9]}")
@Produces(MediaType.APPLICATION_JSON)
@RolesAllowed({Callers.OPERATOR, Callers.USER})
@RunOnVirtualThread
@Tag(name = "Slurm")
public class SlurmResource {
    private final Gateway gateway;
    private final JobControls controls;
    private final Callers callers;
    private final SubmitConfig config;
    private final Clock clock;

    SlurmResource(
            Gateway gateway,
            JobControls controls,
            Callers callers,
            SubmitConfig config,
            Clock clock) {
        this.gateway = gateway;
        this.controls = controls;
        this.callers = callers;
        this.config = config;
        this.clock = clock;
    }

    @GET
    @Path("ping")
    @Operation(summary = "Whether the gateway answers")
    public Response ping() {
        return SlurmAnswer.of(
                gateway,
                () -> {
                    var unused = gateway.picture(null);
                    return Map.of(
                            "pings",
                            List.of(
                                    Map.of(
                                            "hostname",
                                            "gateway",
                                            "pinged",
                                            "UP",
                                            "mode",
                                            "primary")));
                });
    }

    @GET
    @Path("jobs")
    @Operation(summary = "All jobs that are known, those too that have ended")
    public Response jobs(@Context HttpServerRequest request) {
        Caller caller = callers.of(request);
        return SlurmAnswer.of(
                gateway,
                () -> {
                    Picture picture = gateway.picture(null);
                    Sight sight = caller.sight(picture);
                    long now = clock.millis();
                    return Map.of(
                            "jobs",
                            picture.jobs(now)
                                    .filter(it -> it.seenBy(sight))
                                    .map(it -> SlurmJobs.of(it, picture, now))
                                    .toList(),
                            "last_update",
                            SlurmNumber.time(now));
                });
    }

    @GET
    @Path("job/{id}")
    @Operation(summary = "A job, or the tasks of an array")
    public Response job(@PathParam("id") String id, @Context HttpServerRequest request) {
        Caller caller = callers.of(request);
        return SlurmAnswer.of(
                gateway,
                () -> {
                    List<Job> named = gateway.named(JobName.parse(id), caller);
                    Picture picture = gateway.picture(null);
                    long now = clock.millis();
                    return Map.of(
                            "jobs",
                            named.stream().map(it -> SlurmJobs.of(it, picture, now)).toList());
                });
    }

    @DELETE
    @Path("job/{id}")
    @Operation(summary = "End a job")
    public Response cancel(@PathParam("id") String id, @Context HttpServerRequest request) {
        Caller caller = callers.of(request);
        return SlurmAnswer.of(
                gateway,
                () -> {
                    var unused = controls.cancel(JobName.parse(id), caller);
                    return Map.of();
                });
    }

    @POST
    @Path("job/submit")
    @Consumes(MediaType.APPLICATION_JSON)
    @Operation(summary = "Submit a batch job")
    public Response submit(InputStream body, @Context HttpServerRequest request) {
        Caller caller = callers.of(request);
        return SlurmAnswer.of(
                gateway,
                () -> {
                    ObjectNode asked =
                            StrictJson.read(
                                    SubmissionBody.bytes(body, config.bodyTimeout()),
                                    ObjectNode.class,
                                    "a script and its job: an object");
                    Job job = gateway.submit(SlurmSubmission.of(asked), caller, null);
                    return Map.of(
                            "job_id",
                            job.id().value(),
                            "step_id",
                            "batch",
                            "job_submit_user_msg",
                            "");
                });
    }

    @GET
    @Path("nodes")
    @Operation(summary = "All nodes")
    public Response nodes(@Context HttpServerRequest request) {
        return nodes(request, _ -> true);
    }

    @GET
    @Path("node/{name}")
    @Operation(summary = "A node")
    public Response node(@PathParam("name") String name, @Context HttpServerRequest request) {
        return nodes(request, it -> it.name().value().equals(name));
    }

    private Response nodes(HttpServerRequest request, Predicate<Node> asked) {
        Caller caller = callers.of(request);
        return SlurmAnswer.of(
                gateway,
                () -> {
                    Picture picture = gateway.picture(null);
                    Permissions.toSee(caller.sight(picture), PrivateData.NODES);
                    return Map.of(
                            "nodes",
                            picture.nodes().stream()
                                    .filter(asked)
                                    .map(it -> SlurmNodes.node(it, picture))
                                    .toList(),
                            "last_update",
                            SlurmNumber.time(clock.millis()));
                });
    }

    @GET
    @Path("partitions")
    @Operation(summary = "All partitions")
    public Response partitions(@Context HttpServerRequest request) {
        return partitions(request, _ -> true);
    }

    @GET
    @Path("partition/{name}")
    @Operation(summary = "A partition")
    public Response partition(@PathParam("name") String name, @Context HttpServerRequest request) {
        return partitions(request, it -> it.name().equals(name));
    }

    private Response partitions(HttpServerRequest request, Predicate<Partition> asked) {
        Caller caller = callers.of(request);
        return SlurmAnswer.of(
                gateway,
                () -> {
                    Picture picture = gateway.picture(null);
                    Permissions.toSee(caller.sight(picture), PrivateData.PARTITIONS);
                    return Map.of(
                            "partitions",
                            SlurmPartitions.all(picture).stream()
                                    .filter(asked)
                                    .map(it -> SlurmPartitions.of(it, picture))
                                    .toList(),
                            "last_update",
                            SlurmNumber.time(clock.millis()));
                });
    }

    @GET
    @Path("reservations")
    @Operation(summary = "The reservations that are on or to come")
    public Response reservations(@Context HttpServerRequest request) {
        return reservations(request, _ -> true);
    }

    @GET
    @Path("reservation/{name}")
    @Operation(summary = "A reservation")
    public Response reservation(
            @PathParam("name") String name, @Context HttpServerRequest request) {
        return reservations(request, it -> it.name().equals(name));
    }

    private Response reservations(HttpServerRequest request, Predicate<Reservation> asked) {
        Caller caller = callers.of(request);
        return SlurmAnswer.of(
                gateway,
                () -> {
                    Picture picture = gateway.picture(null);
                    Sight sight = caller.sight(picture);
                    Configuration configuration = Gateway.configuration(picture);
                    long now = clock.millis();
                    return Map.of(
                            "reservations",
                            configuration.reservations().values().stream()
                                    .filter(it -> !it.over(now) && sight.reservation(it))
                                    .filter(asked)
                                    .map(it ->
                                            SlurmReservations.of(
                                                    it,
                                                    configuration,
                                                    picture.registrations(),
                                                    now))
                                    .toList(),
                            "last_update",
                            SlurmNumber.time(now));
                });
    }

    @GET
    @Path("licenses")
    @Operation(summary = "The cluster's licenses, and how many are in use")
    public Response licenses() {
        return SlurmAnswer.of(
                gateway,
                () -> {
                    Picture picture = gateway.picture(null);
                    long now = clock.millis();
                    return Map.of(
                            "licenses",
                            LicenseJson.all(Gateway.configuration(picture), picture.jobs(now))
                                    .stream()
                                    .map(SlurmResource::license)
                                    .toList(),
                            "last_update",
                            SlurmNumber.time(now));
                });
    }

    private static Map<String, Object> license(LicenseJson it) {
        return Map.of(
                "LicenseName", it.name(),
                "Total", it.total(),
                "Used", it.used(),
                "Free", it.free(),
                "Remote", false,
                "Reserved", 0);
    }
}
