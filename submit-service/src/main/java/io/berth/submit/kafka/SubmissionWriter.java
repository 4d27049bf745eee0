package io.berth.submit.kafka;

import io.berth.contracts.IdempotencyKey;
import io.berth.contracts.JobArray;
import io.berth.contracts.JobArray.Ids;
import io.berth.contracts.JobId;
import io.berth.contracts.JobSpec;
import io.berth.contracts.SpecReference;
import io.berth.contracts.event.NodeRequest;
import io.berth.contracts.event.Submission;
import io.berth.contracts.event.Submission.Submitted;
import io.berth.contracts.topic.Topics;
import io.berth.log.EventWriter;
import io.berth.log.Events;
import io.berth.slurm.ArrayText;
import io.berth.submit.Admission.Decision.Admitted;
import io.berth.submit.Caller;
import io.berth.submit.Deadline;
import io.berth.submit.Position;
import io.berth.submit.Refusal.ScriptTooLarge;
import io.berth.submit.Refused;
import io.berth.submit.Sha256;
import jakarta.inject.Singleton;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.jspecify.annotations.Nullable;

/// Writes what people ask for: the specification first, then the submission that refers to it.
@Singleton
public class SubmissionWriter {
    /// Cells are numbered from 0, and there is one.
    public static final int CELL = 0;

    /// A specification's largest value; the rest of a record is for its headers.
    static final int MAX_SPEC_BYTES = Topics.SPECS.maxBytes() - (64 << 10);

    private final EventWriter writer;
    private final JobIds ids;
    private final Events<JobSpec> specs = new Events<>(Topics.SPECS, PictureTopics.SERVICE);
    private final Events<Submission> submissions =
            new Events<>(Topics.SUBMISSIONS, PictureTopics.SERVICE);
    private final Events<NodeRequest> nodeRequests =
            new Events<>(Topics.NODE_REQUESTS, PictureTopics.SERVICE);

    SubmissionWriter(EventWriter writer, GatewayLog log) {
        this.writer = writer;
        String claimant = PictureTopics.SERVICE + "/" + UUID.randomUUID();
        this.ids = new JobIds(writer, CELL, claimant, () -> log.picture().highestJob());
    }

    /// A job that stands in the log.
    ///
    /// @param appendedAt epoch milliseconds
    public record Written(Submitted submitted, long offset, long appendedAt) {
        public Position position() {
            return new Position(CELL, offset + 1);
        }
    }

    /// Writes an admitted job under a new id. When this returns, both records are acknowledged.
    ///
    /// @throws Refused if the specification is too large for the log
    public Written write(
            Admitted admitted, Caller caller, @Nullable IdempotencyKey key, Deadline due)
            throws Refused {
        ArrayText array = admitted.array();
        List<Ids> ranges = ids.next(array == null ? 1 : array.tasks().size(), due);
        var job = new JobId(ranges.getFirst().first());
        var spec = specs.record(CELL, admitted.spec(job), "spec/" + job);
        if (spec.value().length > MAX_SPEC_BYTES) {
            throw new Refused(
                    new ScriptTooLarge(
                            "script, arguments and environment make "
                                    + spec.value().length
                                    + " bytes of JSON, more than the "
                                    + MAX_SPEC_BYTES
                                    + " that are allowed"));
        }
        RecordMetadata specAt = append(spec, due);
        var reference =
                new SpecReference(specAt.partition(), specAt.offset(), Sha256.hex(spec.value()));
        var submitted =
                new Submitted(
                        job,
                        admitted.description(),
                        caller.user(),
                        reference,
                        key,
                        array == null
                                ? null
                                : new JobArray(array.tasks(), array.throttle(), ranges));
        RecordMetadata at = append(submissions.record(CELL, submitted, "submitted/" + job), due);
        return new Written(submitted, at.offset(), at.timestamp());
    }

    /// Writes what is asked of jobs; the position from which on all of that stands in the log.
    ///
    /// @param requests at least one
    public Position ask(List<Submission> requests, Deadline due) {
        var written = new ArrayList<CompletableFuture<RecordMetadata>>();
        for (Submission request : requests) {
            written.add(writer.write(submissions.record(CELL, request, id(request.job()))));
        }
        Position position = null;
        for (CompletableFuture<RecordMetadata> one : written) {
            RecordMetadata at = Acknowledgement.of(one, due);
            position = new Position(at.partition(), at.offset() + 1);
        }
        return Objects.requireNonNull(position, "nothing is asked");
    }

    /// Writes what is asked of a node.
    public void ask(NodeRequest request, Deadline due) {
        append(nodeRequests.record(CELL, request, id(request.node())), due);
    }

    private static String id(Object of) {
        return "asked/" + of + "/" + UUID.randomUUID();
    }

    private RecordMetadata append(ProducerRecord<byte[], byte[]> record, Deadline due) {
        return Acknowledgement.of(writer.write(record), due);
    }
}
