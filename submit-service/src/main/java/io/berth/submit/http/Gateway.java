package io.berth.submit.http;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectWriter;
import com.fasterxml.jackson.databind.SerializationFeature;
import io.berth.contracts.IdempotencyKey;
import io.berth.contracts.JobDescription;
import io.berth.contracts.JobId;
import io.berth.contracts.config.Configuration;
import io.berth.contracts.event.Idempotency.Claim;
import io.berth.contracts.json.Json;
import io.berth.core.request.Sight;
import io.berth.log.Clocks;
import io.berth.slurm.JobSubmission;
import io.berth.submit.Admission;
import io.berth.submit.Admission.Decision.Admitted;
import io.berth.submit.Admission.Decision.NotAdmitted;
import io.berth.submit.Caller;
import io.berth.submit.Checks;
import io.berth.submit.Deadline;
import io.berth.submit.Job;
import io.berth.submit.JobFold;
import io.berth.submit.JobName;
import io.berth.submit.JobRoom;
import io.berth.submit.Picture;
import io.berth.submit.Position;
import io.berth.submit.Refusal.JobNotFound;
import io.berth.submit.Refusal.KeyReused;
import io.berth.submit.Refused;
import io.berth.submit.Sha256;
import io.berth.submit.SubmissionLimits;
import io.berth.submit.SubmitConfig;
import io.berth.submit.Unavailable;
import io.berth.submit.kafka.GatewayLog;
import io.berth.submit.kafka.SubmissionWriter;
import io.berth.submit.kafka.SubmissionWriter.Draft;
import io.berth.submit.kafka.SubmissionWriter.Written;
import jakarta.inject.Singleton;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// How jobs come in and are found.
///
/// A submission with an idempotency key is answered only after the gateway has read it back from
/// the log: the first in log order with that key is the job, whichever replica wrote it.
@Singleton
public class Gateway {
    private static final ObjectWriter CANONICAL =
            Json.mapper().writer(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS);

    private final GatewayLog log;
    private final SubmissionWriter writer;
    private final SubmitConfig config;
    private final Clocks clocks;
    private final SubmissionLimits limits = new SubmissionLimits();
    private final JobRoom room;

    public Gateway(
            GatewayLog log,
            SubmissionWriter writer,
            JobRoom room,
            SubmitConfig config,
            Clocks clocks) {
        this.room = room;
        this.log = log;
        this.writer = writer;
        this.config = config;
        this.clocks = clocks;
    }

    /// A key for a request that makes the same submission whenever it is sent; null for none.
    public static @Nullable IdempotencyKey key(@Nullable String key, JobSubmission request) {
        return key == null ? null : new IdempotencyKey(key, fingerprint(request));
    }

    /// Makes a job of the submission, or finds the one that its key stands for.
    ///
    /// @throws Unavailable if it is not known in time whether there is a job
    public Job submit(JobSubmission asked, Caller caller, @Nullable IdempotencyKey key)
            throws Refused {
        var due = Deadline.in(config.answerTimeout(), clocks);
        if (key == null) {
            Written written = write(asked, caller, null, due);
            return job(written);
        }
        String request = key.requestSha256();
        String user = Admission.owner(asked, caller);
        Optional<Claim> claim = log.picture().claim(SubmissionWriter.CELL, user, key.key());
        if (claim.isPresent()) {
            return claimed(claim.get(), request);
        }
        Written written = write(asked, caller, key, due);
        log.await(written.position(), due);
        return claimed(
                log.picture()
                        .claim(SubmissionWriter.CELL, user, key.key())
                        .orElseThrow(() -> new Unavailable("the key is already forgotten")),
                request);
    }

    /// A job that was written, as placement will see it.
    static Job job(Written written) {
        return JobFold.submitted(
                written.submitted().jobs().getFirst(),
                SubmissionWriter.CELL,
                written.offset(),
                written.appendedAt());
    }

    /// The job, or the first task of the array, that the submission would become.
    ///
    /// @throws Refused if it is more than one job of different shapes
    JobDescription described(JobSubmission asked, Caller caller) throws Refused {
        Admitted admitted = admitted(asked, caller);
        if (!admitted.components().isEmpty()) {
            throw Checks.invalid(
                    "a heterogeneous job is not simulated: ask for its components one by one");
        }
        return admitted.description();
    }

    private Written write(
            JobSubmission asked, Caller caller, @Nullable IdempotencyKey key, Deadline due)
            throws Refused {
        Admitted admitted = admitted(asked, caller);
        room.take(log.picture().unendedJobs(), admitted.jobs());
        return writer.write(new Draft(admitted, caller, key), due);
    }

    private Admitted admitted(JobSubmission asked, Caller caller) throws Refused {
        Picture picture = log.picture();
        Configuration configuration = configuration(picture);
        var admission =
                new Admission(
                        configuration,
                        picture.registrations(),
                        caller,
                        config.maxArraySize(),
                        clocks.millis());
        return switch (admission.decide(asked)) {
            case Admitted admitted -> {
                limits.check(
                        configuration,
                        admitted.descriptions(),
                        admitted.tasks(),
                        () -> picture.jobs(clocks.millis()));
                yield admitted;
            }
            case NotAdmitted no -> throw new Refused(no.refusal());
        };
    }

    /// @throws Unavailable before the first has been read
    public static Configuration configuration(Picture picture) {
        return picture.configuration()
                .orElseThrow(() -> new Unavailable("the cluster has no configuration yet"));
    }

    private Job claimed(Claim claim, String request) throws Refused {
        same(claim, request);
        return log.picture()
                .job(claim.job(), clocks.millis())
                .orElseThrow(
                        () -> new Unavailable("job " + claim.job() + " is not known any more"));
    }

    /// @throws Refused if the key stands for another request
    static void same(Claim claim, String request) throws Refused {
        if (!claim.key().requestSha256().equals(request)) {
            throw new Refused(
                    new KeyReused(
                            "idempotency key "
                                    + Checks.quoted(claim.key().key())
                                    + " stands for job "
                                    + claim.job()
                                    + ", which was another request"));
        }
    }

    /// The SHA-256 by which a repeated request is known.
    private static String fingerprint(JobSubmission asked) {
        try {
            return Sha256.hex(CANONICAL.writeValueAsBytes(asked));
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("cannot write a submission that was read", e);
        }
    }

    /// Those jobs that the names mean, the log has and the caller may see, in the order of their
    /// ids.
    ///
    /// @throws Unavailable if some are not known, and may yet be in the log
    public List<Job> all(Collection<JobName> names, Caller caller) {
        var all = new TreeMap<JobId, Job>();
        named(names, caller).values().forEach(jobs -> jobs.forEach(job -> all.put(job.id(), job)));
        return List.copyOf(all.values());
    }

    /// Those jobs that each of the names means, the log has and the caller may see: none of some.
    ///
    /// @throws Unavailable if some are not known, and may yet be in the log
    Map<JobName, List<Job>> named(Collection<JobName> names, Caller caller) {
        Map<JobName, List<Job>> named = known(names);
        if (named.containsValue(List.<Job>of())) {
            catchUp();
            named = known(names);
        }
        Sight sight = caller.sight(log.picture());
        named.replaceAll((_, jobs) -> jobs.stream().filter(job -> job.seenBy(sight)).toList());
        return named;
    }

    /// The job as far as the log has been read.
    Optional<Job> job(JobId id) {
        return log.picture().job(id, clocks.millis());
    }

    /// Whether there may be, or have been, a job of that id, as far as the log has been read.
    boolean given(JobId id) {
        return id.value() <= log.picture().highestJob();
    }

    /// Reads every job that is in the log now.
    ///
    /// @throws Unavailable if that takes too long
    void catchUp() {
        log.catchUp(Deadline.in(config.viewTimeout(), clocks));
    }

    private Map<JobName, List<Job>> known(Collection<JobName> names) {
        Picture picture = log.picture();
        long now = clocks.millis();
        var known = new LinkedHashMap<JobName, List<Job>>();
        for (JobName name : names) {
            known.put(name, picture.named(name, now));
        }
        return known;
    }

    /// The jobs that a name means and the caller may see, at least one.
    ///
    /// @throws Refused if there is none; of a job that he may not see he does not learn more
    /// @throws Unavailable if it cannot be known whether there are any
    public List<Job> named(JobName name, Caller caller) throws Refused {
        List<Job> named = named(List.of(name), caller).values().iterator().next();
        if (named.isEmpty()) {
            throw new Refused(given(name.id()) ? forgotten(name) : notFound(name));
        }
        return named;
    }

    /// The job that a name stands for: of an array the first task that is not over, of a
    /// heterogeneous job the first component, whose script is that of all.
    ///
    /// @throws Refused if there is none
    Job one(String name, Caller caller) throws Refused {
        List<Job> named = named(JobName.parse(name), caller);
        Job first = named.getFirst();
        return first.description().het() != null
                ? first
                : named.stream().filter(job -> !job.state().terminal()).findFirst().orElse(first);
    }

    private static JobNotFound forgotten(JobName name) {
        return new JobNotFound(
                "there is no job %s (any more): if it has ended, `sacct -j %s` tells of it"
                        .formatted(name, name));
    }

    static JobNotFound notFound(JobName name) {
        return new JobNotFound("there is no job " + name);
    }

    /// The picture, at least as far as a client knows the log.
    public Picture picture(@Nullable Position position) {
        if (position != null) {
            log.await(position, Deadline.in(config.viewTimeout(), clocks));
        }
        return log.picture();
    }
}
