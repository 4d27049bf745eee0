package io.berth.submit.http;

import io.berth.core.request.Sight;
import io.berth.slurm.JobSubmission;
import io.berth.submit.Caller;
import io.berth.submit.Deadline;
import io.berth.submit.Explanation;
import io.berth.submit.Job;
import io.berth.submit.JobName;
import io.berth.submit.Picture;
import io.berth.submit.Position;
import io.berth.submit.Refusal.InvalidRequest;
import io.berth.submit.Refusal.JobNotFound;
import io.berth.submit.Refused;
import io.berth.submit.SubmitConfig;
import io.berth.submit.kafka.SpecReader;
import io.smallrye.common.annotation.RunOnVirtualThread;
import io.vertx.core.http.HttpServerRequest;
import jakarta.annotation.security.RolesAllowed;
import jakarta.ws.rs.BeanParam;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.HeaderParam;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.io.InputStream;
import java.net.URI;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.stream.Stream;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.media.Content;
import org.eclipse.microprofile.openapi.annotations.media.ExampleObject;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.parameters.RequestBody;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;
import org.jspecify.annotations.Nullable;

/// `/v1/jobs`: submit and find jobs.
@Path("/v1/jobs")
@Produces(MediaType.APPLICATION_JSON)
@RolesAllowed({Callers.OPERATOR, Callers.USER})
@RunOnVirtualThread
@Tag(name = "Jobs")
public class JobResource {
    static final String POSITION = "Berth-Position";
    static final String KEY = "Idempotency-Key";
    private static final String SHELL_SCRIPT = "text/x-shellscript";
    private static final String SH = "application/x-sh";
    static final int MAX_KEY = 128;

    /// In whose place a script's `--begin=now+1hour` is the same each time it is read.
    private static final ZonedDateTime NO_TIME = Instant.EPOCH.atZone(ZoneOffset.UTC);

    private final Gateway gateway;
    private final SpecReader specs;
    private final BookedJobs books;
    private final Callers callers;
    private final SubmissionCounter counter;
    private final SubmitConfig config;
    private final Clock clock;

    JobResource(
            Gateway gateway,
            SpecReader specs,
            BookedJobs books,
            Callers callers,
            SubmissionCounter counter,
            SubmitConfig config,
            Clock clock) {
        this.gateway = gateway;
        this.specs = specs;
        this.books = books;
        this.callers = callers;
        this.counter = counter;
        this.config = config;
        this.clock = clock;
    }

    @POST
    @Consumes(MediaType.APPLICATION_JSON)
    @Operation(
            summary = "Submit a job",
            description =
                    "Everything but the script may be left out. With an Idempotency-Key a repeated request finds the job of the first.")
    @RequestBody(
            content =
                    @Content(
                            schema = @Schema(implementation = JobSubmission.class),
                            examples =
                                    @ExampleObject(
                                            name = "Two GPUs for an hour",
                                            value =
                                                    """
                                                    {"script": "#!/bin/sh\\nnvidia-smi -L\\n", "name": "train", "gpus": 2,
                                                     "gpuType": "a100", "timeLimitSeconds": 3600, "workingDirectory": "/home/alice"}\
                                                    """)))
    @APIResponse(
            responseCode = "201",
            description = "The job is accepted, and will not be lost",
            content = @Content(schema = @Schema(implementation = JobJson.class)))
    @APIResponse(
            responseCode = "422",
            description = "Refused by a rule, which the code names",
            content =
                    @Content(
                            mediaType = Problem.MEDIA_TYPE,
                            schema = @Schema(implementation = Problem.class),
                            examples =
                                    @ExampleObject(
                                            name = "No such partition",
                                            value =
                                                    """
                                                    {"type": "about:blank", "title": "Unprocessable Content", "status": 422, "code": "invalid_partition",
                                                     "detail": "partition 'gone' does not exist; there are: batch, cpu"}\
                                                    """)))
    @APIResponse(responseCode = "429", description = "Busy: see Retry-After; nothing was accepted")
    @APIResponse(
            responseCode = "503",
            description = "Whether there is a job is not known: try again with the same key")
    public Response submit(
            InputStream body,
            @HeaderParam(KEY) @Nullable String key,
            @Context HttpServerRequest request)
            throws Refused {
        return created(
                counter.count(() -> {
                    JobSubmission asked = SubmissionBody.json(read(body));
                    return submit(asked, asked, key, request);
                }));
    }

    @POST
    @Consumes({SHELL_SCRIPT, SH})
    @Operation(
            summary = "Submit a batch script",
            description = "The script's #SBATCH lines are read as sbatch reads them.")
    @RequestBody(content = @Content(schema = @Schema(implementation = String.class)))
    @APIResponse(
            responseCode = "201",
            description = "The job is accepted, and will not be lost",
            content = @Content(schema = @Schema(implementation = JobJson.class)))
    public Response submitScript(
            InputStream body,
            @QueryParam("user") @Nullable String user,
            @HeaderParam(KEY) @Nullable String key,
            @Context HttpServerRequest request)
            throws Refused {
        return created(
                counter.count(() -> {
                    byte[] script = read(body);
                    return submit(
                            SubmissionBody.script(script, user, ZonedDateTime::now),
                            SubmissionBody.script(script, user, () -> NO_TIME),
                            key,
                            request);
                }));
    }

    private byte[] read(InputStream body) throws Refused {
        return SubmissionBody.bytes(body, config.bodyTimeout());
    }

    /// @param same the submission that the request makes whenever it is sent
    private Job submit(
            JobSubmission asked,
            JobSubmission same,
            @Nullable String key,
            HttpServerRequest request)
            throws Refused {
        checkKey(key, MAX_KEY);
        return gateway.submit(asked, callers.of(request), Gateway.key(key, same));
    }

    /// @throws Refused if there is a key that is not as it may be
    static void checkKey(@Nullable String key, int most) throws Refused {
        if (key != null && (key.isBlank() || key.length() > most)) {
            throw new Refused(
                    new InvalidRequest(KEY + " is not 1 to " + most + " characters long"));
        }
    }

    private Response created(Job job) {
        return Response.created(URI.create("/v1/jobs/" + job.id()))
                .header(POSITION, Position.after(job))
                .entity(JobJson.of(job, gateway.picture(null), clock.millis(), null))
                .build();
    }

    @GET
    @Operation(
            summary = "List jobs",
            description =
                    "In the order of their ids. Without states all jobs that have not ended. Ended jobs stay for 24 hours, those before the last 10,000 for 5 minutes, unless the cluster file says otherwise. With a limit, `next` is the cursor of the next page.")
    @APIResponse(
            responseCode = "200",
            description = "The jobs, with all their fields or those asked for",
            content = @Content(schema = @Schema(implementation = Lists.Jobs.class)))
    public Record list(
            @BeanParam JobQuery query,
            @HeaderParam(POSITION) @Nullable String position,
            @Context HttpServerRequest request)
            throws Refused {
        var filter = JobFilter.of(query);
        var page = JobPage.of(query.cursor(), query.limit());
        JobFields fields = query.fields() == null ? null : JobFields.of(query.fields());
        Picture picture = picture(position);
        Caller caller = callers.of(request);
        Sight sight = caller.sight(picture);
        long now = clock.millis();
        Stream<Job> jobs =
                filter.ids().isEmpty()
                        ? picture.jobs(page.after(), now).filter(job -> job.seenBy(sight))
                        : gateway.all(filter.ids(), caller).stream();
        JobPage.Content content = page.of(jobs.filter(filter::admits));
        Stream<JobJson> shown =
                content.jobs().stream().map(job -> JobJson.of(job, picture, now, null));
        return fields == null
                ? new Lists.Jobs(shown.toList(), content.next())
                : new Lists.PartialJobs(shown.map(fields::of).toList(), content.next());
    }

    @GET
    @Path("{id}")
    @Operation(
            summary = "One job, with how it is launched",
            description =
                    "A job that ended and is not known here any more is told as the books have it, with `fromBooks` true: as `/v1/accounting/jobs` tells it, with its runs and charges, and without what only a known job has.")
    @APIResponse(
            responseCode = "200",
            description = "The job",
            content = @Content(schema = @Schema(implementation = JobJson.class)))
    @APIResponse(responseCode = "404", description = "Neither the log nor the books have the job")
    @APIResponse(responseCode = "304", description = "It is as If-None-Match says")
    @APIResponse(
            responseCode = "503",
            description = "It is not known here, and the books cannot be asked")
    public Response one(
            @PathParam("id") String id,
            @HeaderParam(POSITION) @Nullable String position,
            @HeaderParam(HttpHeaders.IF_NONE_MATCH) @Nullable String seen,
            @HeaderParam(HttpHeaders.AUTHORIZATION) String authorization,
            @Context HttpServerRequest request)
            throws Refused {
        Picture picture = picture(position);
        Job job;
        try {
            job = one(id, request);
        } catch (Refused e) {
            return booked(id, authorization, e);
        }
        String tag = EntityTags.of(job);
        if (EntityTags.names(seen, tag)) {
            return Response.notModified().header(HttpHeaders.ETAG, tag).build();
        }
        LaunchJson launch =
                specs.read(job, Deadline.in(config.viewTimeout()))
                        .map(spec -> LaunchJson.of(spec, job))
                        .orElse(null);
        return Response.ok(JobJson.of(job, picture, clock.millis(), launch))
                .header(HttpHeaders.ETAG, tag)
                .build();
    }

    /// The job as the books have it, if there was one.
    ///
    /// @param refused why it is not told otherwise
    private Response booked(String id, String authorization, Refused refused) throws Refused {
        if (!(refused.refusal() instanceof JobNotFound) || !gateway.given(JobName.parse(id).id())) {
            throw refused;
        }
        return Response.ok(books.ended(id, authorization).orElseThrow(() -> refused)).build();
    }

    @GET
    @Path("{id}/{why:why|explanation}")
    @Operation(summary = "Why a job is in its state, and its place in the queue")
    public WhyJson why(
            @PathParam("id") String id,
            @HeaderParam(POSITION) @Nullable String position,
            @Context HttpServerRequest request)
            throws Refused {
        Picture picture = picture(position);
        Sight sight = callers.of(request).sight(picture);
        return WhyJson.of(Explanation.of(one(id, request), picture, clock.millis(), sight), sight);
    }

    @GET
    @Path("{id}/telemetry")
    @Operation(
            summary =
                    "Use, memory and power of a job's GPUs over time, and what it has used so far",
            description =
                    "From the heartbeats that this gateway has read; up to 240 points a GPU. `gpus` is empty if the GPUs say nothing, as simulated ones; `nodes` if the job does not run, or on a host without control groups.")
    public TelemetryJson telemetry(
            @PathParam("id") String id,
            @HeaderParam(POSITION) @Nullable String position,
            @Context HttpServerRequest request)
            throws Refused {
        Picture picture = picture(position);
        Job job = one(id, request);
        return TelemetryJson.of(picture.telemetry(job.id()), picture.usage(job));
    }

    private Job one(String text, HttpServerRequest request) throws Refused {
        return gateway.one(text, callers.of(request));
    }

    private Picture picture(@Nullable String position) throws Refused {
        return gateway.picture(position == null ? null : Position.parse(position));
    }
}
