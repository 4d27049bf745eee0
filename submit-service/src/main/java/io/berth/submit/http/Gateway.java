package io.berth.submit.http;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectWriter;
import com.fasterxml.jackson.databind.SerializationFeature;
import io.berth.contracts.IdempotencyKey;
import io.berth.contracts.JobId;
import io.berth.contracts.event.Idempotency.Claim;
import io.berth.contracts.json.Json;
import io.berth.slurm.JobSubmission;
import io.berth.submit.Admission;
import io.berth.submit.Admission.Decision.Admitted;
import io.berth.submit.Admission.Decision.NotAdmitted;
import io.berth.submit.Caller;
import io.berth.submit.Checks;
import io.berth.submit.Deadline;
import io.berth.submit.Job;
import io.berth.submit.JobFold;
import io.berth.submit.Picture;
import io.berth.submit.Position;
import io.berth.submit.Refusal.JobNotFound;
import io.berth.submit.Refusal.KeyReused;
import io.berth.submit.Refusal.NotAllowed;
import io.berth.submit.Refused;
import io.berth.submit.Sha256;
import io.berth.submit.SubmissionLimits;
import io.berth.submit.SubmitConfig;
import io.berth.submit.Unavailable;
import io.berth.submit.kafka.GatewayLog;
import io.berth.submit.kafka.SubmissionWriter;
import io.berth.submit.kafka.SubmissionWriter.Written;
import jakarta.inject.Singleton;
import java.time.Clock;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// What people can do with jobs: submit, find, cancel.
///
/// A submission with an idempotency key is answered only after the gateway has read it back from
/// the log: the first in log order with that key is the job, whichever replica wrote it.
@Singleton
public class Gateway {
    private final GatewayLog log;
    private final SubmissionWriter writer;
    private final SubmitConfig config;
    private final Clock clock;
    private final SubmissionLimits limits = new SubmissionLimits();
    private final ObjectWriter canonical =
            Json.mapper().writer(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS);

    Gateway(GatewayLog log, SubmissionWriter writer, SubmitConfig config, Clock clock) {
        this.log = log;
        this.writer = writer;
        this.config = config;
        this.clock = clock;
    }

    /// Makes a job of the submission, or finds the one that its key stands for.
    ///
    /// @throws Unavailable if it is not known in time whether there is a job
    public Job submit(JobSubmission asked, Caller caller, @Nullable String key) throws Refused {
        var due = Deadline.in(config.answerTimeout());
        String request = Sha256.hex(canonical(asked));
        String user = Admission.owner(asked, caller);
        if (key != null) {
            Optional<Claim> claim = log.picture().claim(SubmissionWriter.CELL, user, key);
            if (claim.isPresent()) {
                return claimed(claim.get(), request);
            }
        }
        Written written =
                write(asked, caller, key == null ? null : new IdempotencyKey(key, request), due);
        if (key == null) {
            return JobFold.submitted(
                    written.submitted(),
                    SubmissionWriter.CELL,
                    written.offset(),
                    written.appendedAt());
        }
        log.await(written.position(), due);
        return claimed(
                log.picture()
                        .claim(SubmissionWriter.CELL, user, key)
                        .orElseThrow(() -> new Unavailable("the key is already forgotten")),
                request);
    }

    private Written write(
            JobSubmission asked, Caller caller, @Nullable IdempotencyKey key, Deadline due)
            throws Refused {
        Picture picture = log.picture();
        var configuration =
                picture.configuration()
                        .orElseThrow(() -> new Unavailable("the cluster has no configuration yet"));
        var admission = new Admission(configuration, picture.registrations(), caller);
        return switch (admission.decide(asked)) {
            case Admitted admitted -> {
                limits.check(configuration, admitted.description(), picture.jobs(clock.millis()));
                yield writer.write(admitted, caller, key, due);
            }
            case NotAdmitted no -> throw new Refused(no.refusal());
        };
    }

    private Job claimed(Claim claim, String request) throws Refused {
        if (!claim.key().requestSha256().equals(request)) {
            throw new Refused(
                    new KeyReused(
                            "idempotency key "
                                    + Checks.quoted(claim.key().key())
                                    + " stands for job "
                                    + claim.job()
                                    + ", which was another request"));
        }
        return log.picture()
                .job(claim.job(), clock.millis())
                .orElseThrow(
                        () -> new Unavailable("job " + claim.job() + " is not known any more"));
    }

    private byte[] canonical(JobSubmission asked) {
        try {
            return canonical.writeValueAsBytes(asked);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("cannot write a submission that was read", e);
        }
    }

    /// The job of that id, even if another replica has only just written it.
    ///
    /// @throws Unavailable if it cannot be known whether there is one
    public Job job(JobId id) throws Refused {
        return jobs(Set.of(id)).stream()
                .findFirst()
                .orElseThrow(() -> new Refused(new JobNotFound("there is no job " + id)));
    }

    /// Those of the jobs that the log has, in the order given.
    ///
    /// @throws Unavailable if one is not known, and may yet be in the log
    public List<Job> jobs(Collection<JobId> ids) {
        List<Job> known = known(ids);
        if (known.size() == ids.size()) {
            return known;
        }
        log.catchUp(Deadline.in(config.viewTimeout()));
        return known(ids);
    }

    private List<Job> known(Collection<JobId> ids) {
        Picture picture = log.picture();
        long now = clock.millis();
        return ids.stream().map(id -> picture.job(id, now)).flatMap(Optional::stream).toList();
    }

    /// Asks that the job end; a job that has ended stays as it is.
    public Position cancel(JobId id, Caller caller) throws Refused {
        Job job = job(id);
        if (!caller.mayActFor(job.user())) {
            throw new Refused(
                    new NotAllowed(
                            "job "
                                    + id
                                    + " is not "
                                    + caller.user()
                                    + "'s: only its owner or an operator may cancel it"));
        }
        return job.state().terminal()
                ? Position.after(job)
                : writer.cancel(id, caller, Deadline.in(config.answerTimeout()));
    }

    /// The picture, at least as far as a client knows the log.
    public Picture picture(@Nullable Position position) {
        if (position != null) {
            log.await(position, Deadline.in(config.viewTimeout()));
        }
        return log.picture();
    }
}
