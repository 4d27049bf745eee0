package io.berth.submit.restd;

import com.fasterxml.jackson.databind.JsonNode;
import io.berth.contracts.config.Configuration;
import io.berth.submit.Caller;
import io.berth.submit.JobName;
import io.berth.submit.Picture;
import io.berth.submit.Refusal.JobNotFound;
import io.berth.submit.Refused;
import io.berth.submit.Unavailable;
import io.berth.submit.http.BookedJobs;
import io.berth.submit.http.Callers;
import io.berth.submit.http.Gateway;
import io.smallrye.common.annotation.RunOnVirtualThread;
import io.vertx.core.http.HttpServerRequest;
import jakarta.annotation.security.RolesAllowed;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.HeaderParam;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.core.UriInfo;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;

/// `/slurmdb/v0.0.4x`: accounts, users, associations and QOS for reading, in slurmrestd's words,
/// and the jobs of the books.
@Path("/slurmdb/{version:v0\\.0\\.4[0-9]}")
@Produces(MediaType.APPLICATION_JSON)
@RolesAllowed({Callers.OPERATOR, Callers.USER})
@RunOnVirtualThread
@Tag(name = "Slurm")
public class SlurmdbResource {
    private static final Map<String, Object> MORE =
            Map.of(
                    "description",
                    "there are older jobs than these: ask by start_time and end_time",
                    "source",
                    "berth");

    private final Gateway gateway;
    private final Callers callers;
    private final BookedJobs books;

    SlurmdbResource(Gateway gateway, Callers callers, BookedJobs books) {
        this.gateway = gateway;
        this.callers = callers;
        this.books = books;
    }

    @GET
    @Path("accounts")
    @Operation(summary = "All accounts")
    public Response accounts(@Context HttpServerRequest request) {
        Caller caller = callers.of(request);
        return SlurmAnswer.of(gateway, () -> Map.of("accounts", records(caller).accounts()));
    }

    @GET
    @Path("account/{name}")
    @Operation(summary = "An account; none if there is none of that name")
    public Response account(@PathParam("name") String name, @Context HttpServerRequest request) {
        Caller caller = callers.of(request);
        return SlurmAnswer.of(
                gateway, () -> Map.of("accounts", named(records(caller).accounts(), name)));
    }

    @GET
    @Path("users")
    @Operation(summary = "The users that have an account")
    public Response users(@Context HttpServerRequest request) {
        Caller caller = callers.of(request);
        return SlurmAnswer.of(gateway, () -> Map.of("users", records(caller).users()));
    }

    @GET
    @Path("user/{name}")
    @Operation(summary = "A user; none if he has no account")
    public Response user(@PathParam("name") String name, @Context HttpServerRequest request) {
        Caller caller = callers.of(request);
        return SlurmAnswer.of(gateway, () -> Map.of("users", records(caller).users(name)));
    }

    @GET
    @Path("associations")
    @Operation(summary = "Which users belong to which accounts, and accounts to which others")
    public Response associations(@Context HttpServerRequest request) {
        Caller caller = callers.of(request);
        return SlurmAnswer.of(
                gateway, () -> Map.of("associations", records(caller).associations()));
    }

    @GET
    @Path("qos")
    @Operation(summary = "All qualities of service")
    public Response qos(@Context HttpServerRequest request) {
        Caller caller = callers.of(request);
        return SlurmAnswer.of(gateway, () -> Map.of("qos", records(caller).qos()));
    }

    @GET
    @Path("qos/{name}")
    @Operation(summary = "A quality of service; none if there is none of that name")
    public Response qos(@PathParam("name") String name, @Context HttpServerRequest request) {
        Caller caller = callers.of(request);
        return SlurmAnswer.of(gateway, () -> Map.of("qos", named(records(caller).qos(), name)));
    }

    @GET
    @Path("jobs")
    @Operation(
            summary = "The jobs of the books, the newest 2,000",
            description =
                    "Those that `users`, `account`, `partition`, `qos`, `state` and `job_name` name, lists with commas, and that waited or ran between `start_time` and `end_time`, in epoch seconds.")
    public Response jobs(
            @Context UriInfo asked, @HeaderParam(HttpHeaders.AUTHORIZATION) String authorization) {
        return SlurmAnswer.of(
                gateway,
                () -> {
                    var query = new TreeMap<String, String>();
                    asked.getQueryParameters()
                            .forEach((name, values) -> query.put(name, String.join(",", values)));
                    return books.ask(
                            SlurmdbJobs.query(query), authorization, SlurmdbResource::jobs);
                });
    }

    @GET
    @Path("job/{id}")
    @Operation(summary = "A job of the books, or the tasks of an array")
    public Response job(
            @PathParam("id") String id,
            @HeaderParam(HttpHeaders.AUTHORIZATION) String authorization) {
        return SlurmAnswer.of(
                gateway,
                () -> {
                    JobName name = JobName.parse(id);
                    Map<String, Object> told =
                            books.ask(Map.of("job", id), authorization, SlurmdbResource::jobs);
                    if (List.of().equals(told.get("jobs"))) {
                        throw new Refused(new JobNotFound("the books have no job " + name));
                    }
                    return told;
                });
    }

    private static Map<String, Object> jobs(JsonNode told) {
        return Map.of(
                "jobs",
                told.path("jobs").valueStream().map(SlurmdbJobs::of).toList(),
                "warnings",
                told.path("more").asBoolean() ? List.of(MORE) : List.of());
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
