package io.berth.submit.restd;

import io.berth.contracts.config.Configuration;
import io.berth.core.request.Sight;
import io.berth.submit.Caller;
import io.berth.submit.Job;
import io.berth.submit.JobName;
import io.berth.submit.Picture;
import io.berth.submit.Unavailable;
import io.berth.submit.http.Callers;
import io.berth.submit.http.Gateway;
import io.smallrye.common.annotation.RunOnVirtualThread;
import io.vertx.core.http.HttpServerRequest;
import jakarta.annotation.security.RolesAllowed;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;

/// `/slurmdb/v0.0.4x`: accounts, users, associations and QOS for reading, in slurmrestd's words,
/// and the jobs that the gateway knows.
@Path("/slurmdb/{version:v0\\.0\\.4[0-9]}")
@Produces(MediaType.APPLICATION_JSON)
@RolesAllowed({Callers.OPERATOR, Callers.USER})
@RunOnVirtualThread
@Tag(name = "Slurm")
public class SlurmdbResource {
    private static final Map<String, Object> RECENT =
            Map.of(
                    "description",
                    "jobs that ended more than 24 hours ago are not told here: ask /v1/accounting/jobs of the accounting service",
                    "source",
                    "berth");

    private final Gateway gateway;
    private final Callers callers;
    private final Clock clock;

    SlurmdbResource(Gateway gateway, Callers callers, Clock clock) {
        this.gateway = gateway;
        this.callers = callers;
        this.clock = clock;
    }

    @GET
    @Path("accounts")
    @Operation(summary = "All accounts")
    public Response accounts(@Context HttpServerRequest request) {
        Caller caller = callers.of(request);
        return SlurmAnswer.of(() -> Map.of("accounts", records(caller).accounts()));
    }

    @GET
    @Path("account/{name}")
    @Operation(summary = "An account; none if there is none of that name")
    public Response account(@PathParam("name") String name, @Context HttpServerRequest request) {
        Caller caller = callers.of(request);
        return SlurmAnswer.of(() -> Map.of("accounts", named(records(caller).accounts(), name)));
    }

    @GET
    @Path("users")
    @Operation(summary = "The users that have an account")
    public Response users(@Context HttpServerRequest request) {
        Caller caller = callers.of(request);
        return SlurmAnswer.of(() -> Map.of("users", records(caller).users()));
    }

    @GET
    @Path("user/{name}")
    @Operation(summary = "A user; none if he has no account")
    public Response user(@PathParam("name") String name, @Context HttpServerRequest request) {
        Caller caller = callers.of(request);
        return SlurmAnswer.of(() -> Map.of("users", records(caller).users(name)));
    }

    @GET
    @Path("associations")
    @Operation(summary = "Which users belong to which accounts, and accounts to which others")
    public Response associations(@Context HttpServerRequest request) {
        Caller caller = callers.of(request);
        return SlurmAnswer.of(() -> Map.of("associations", records(caller).associations()));
    }

    @GET
    @Path("qos")
    @Operation(summary = "All qualities of service")
    public Response qos(@Context HttpServerRequest request) {
        Caller caller = callers.of(request);
        return SlurmAnswer.of(() -> Map.of("qos", records(caller).qos()));
    }

    @GET
    @Path("qos/{name}")
    @Operation(summary = "A quality of service; none if there is none of that name")
    public Response qos(@PathParam("name") String name, @Context HttpServerRequest request) {
        Caller caller = callers.of(request);
        return SlurmAnswer.of(() -> Map.of("qos", named(records(caller).qos(), name)));
    }

    @GET
    @Path("jobs")
    @Operation(summary = "The jobs that have not ended, and those of the last 24 hours")
    public Response jobs(@Context HttpServerRequest request) {
        Caller caller = callers.of(request);
        return SlurmAnswer.of(() -> {
            Picture picture = gateway.picture(null);
            Sight sight = caller.sight(picture);
            return jobs(picture.jobs(clock.millis()).filter(it -> it.seenBy(sight)));
        });
    }

    @GET
    @Path("job/{id}")
    @Operation(summary = "A job, or the tasks of an array")
    public Response job(@PathParam("id") String id, @Context HttpServerRequest request) {
        Caller caller = callers.of(request);
        return SlurmAnswer.of(() -> jobs(gateway.named(JobName.parse(id), caller).stream()));
    }

    private Map<String, Object> jobs(Stream<Job> jobs) {
        Picture picture = gateway.picture(null);
        long now = clock.millis();
        return Map.of(
                "jobs",
                jobs.map(it -> SlurmJobs.of(it, picture, now)).toList(),
                "warnings",
                List.of(RECENT));
    }

    private static List<Map<String, Object>> named(List<Map<String, Object>> records, String name) {
        return records.stream().filter(it -> name.equals(it.get("name"))).toList();
    }

    private SlurmdbRecords records(Caller caller) {
        Picture picture = gateway.picture(null);
        Configuration configuration =
                picture.configuration()
                        .orElseThrow(() -> new Unavailable("the cluster has no configuration yet"));
        return new SlurmdbRecords(configuration, caller.sight(picture));
    }
}
