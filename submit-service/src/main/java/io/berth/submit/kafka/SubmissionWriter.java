package io.berth.submit.kafka;

import io.berth.contracts.IdempotencyKey;
import io.berth.contracts.JobArray;
import io.berth.contracts.JobArray.Ids;
import io.berth.contracts.JobId;
import io.berth.contracts.JobSpec;
import io.berth.contracts.SpecReference;
import io.berth.contracts.event.NodeRequest;
import io.berth.contracts.event.OutputRequest;
import io.berth.contracts.event.StepRequest;
import io.berth.contracts.event.Submission;
import io.berth.contracts.event.Submission.Submitted;
import io.berth.contracts.topic.NodePartitions;
import io.berth.contracts.topic.Topics;
import io.berth.log.EventWriter;
import io.berth.log.Events;
import io.berth.log.Sealed;
import io.berth.log.trace.TraceContext;
import io.berth.slurm.ArrayText;
import io.berth.submit.Admission.Decision.Admitted;
import io.berth.submit.Caller;
import io.berth.submit.Deadline;
import io.berth.submit.Position;
import io.berth.submit.Refusal.ScriptTooLarge;
import io.berth.submit.Refused;
import io.berth.submit.Sha256;
import io.berth.submit.Unavailable;
import jakarta.inject.Singleton;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.jspecify.annotations.Nullable;

/// Writes what people ask for: the specification first, then the submission that refers to it.
@Singleton
public class SubmissionWriter {
    /// Cells are numbered from 0, and there is one.
    public static final int CELL = 0;

    /// A specification's largest value; the rest of a record is for its headers.
    static final int MAX_SPEC_BYTES = Topics.SPECS.maxBytes() - (64 << 10);

    /// A submission's largest value: the states of its jobs repeat what it says, and have to fit.
    static final int MAX_SUBMITTED_BYTES = Topics.SUBMISSIONS.maxBytes() / 2;

    private final EventWriter writer;
    private final JobIds ids;
    private final Events<JobSpec> specs = new Events<>(Topics.SPECS, PictureTopics.SERVICE);
    private final Events<Submission> submissions =
            new Events<>(Topics.SUBMISSIONS, PictureTopics.SERVICE);
    private final Events<NodeRequest> nodeRequests =
            new Events<>(Topics.NODE_REQUESTS, PictureTopics.SERVICE);

    private final Events<OutputRequest> outputRequests =
            new Events<>(Topics.OUTPUT_REQUESTS, PictureTopics.SERVICE);
    private final Events<StepRequest> stepRequests =
            new Events<>(Topics.STEP_REQUESTS, PictureTopics.SERVICE);
    private final int nodePartitions;

    SubmissionWriter(
            EventWriter writer,
            GatewayLog log,
            @ConfigProperty(name = "berth.node-partitions", defaultValue = "8")
                    int nodePartitions) {
        this.writer = writer;
        this.nodePartitions = nodePartitions;
        String claimant = PictureTopics.SERVICE + "/" + UUID.randomUUID();
        this.ids = new JobIds(writer, CELL, claimant, () -> log.picture().highestJob());
    }

    /// A job to be written, for the one who sent it.
    ///
    /// @param key null if the request has none
    public record Draft(Admitted admitted, Caller caller, @Nullable IdempotencyKey key) {
        private JobIds.Wanted ids() {
            int components = admitted.components().size();
            return components == 0
                    ? new JobIds.Wanted(admitted.tasks(), false)
                    : new JobIds.Wanted(1 + components, true);
        }
    }

    /// What became of a draft.
    public sealed interface Outcome {}

    /// A job that stands in the log.
    ///
    /// @param appendedAt epoch milliseconds
    public record Written(Submitted submitted, long offset, long appendedAt) implements Outcome {
        public Position position() {
            return new Position(CELL, offset + 1);
        }
    }

    /// The specification, or the submission, is too large for the log.
    public record TooLarge(ScriptTooLarge refusal) implements Outcome {}

    /// Whether the job stands in the log is not known, or it was not tried.
    public record Unknown(Unavailable why) implements Outcome {}

    /// A number that neither a job has nor a trigger.
    ///
    /// @throws Unavailable if there is none in time
    public long number(Deadline due) {
        var one = new JobIds.Wanted(1, false);
        return ids.next(List.of(one), due).getFirst().getFirst().first();
    }

    /// Writes an admitted job under a new id. When this returns, both records are acknowledged.
    ///
    /// @throws Refused if it is too large for the log
    /// @throws Unavailable if it is not known in time whether it stands there
    public Written write(Draft draft, Deadline due) throws Refused {
        return switch (write(List.of(draft), due).getFirst()) {
            case Written written -> written;
            case TooLarge tooLarge -> throw new Refused(tooLarge.refusal());
            case Unknown unknown -> throw unknown.why();
        };
    }

    /// Writes admitted jobs under new ids, in their order: all specifications at once, then all
    /// submissions. One outcome for each draft.
    ///
    /// @throws Unavailable if there are no ids in time: nothing was written then
    public List<Outcome> write(List<Draft> drafts, Deadline due) {
        var writing = writing(due);
        writing.add(drafts);
        return writing.outcomes();
    }

    /// Begins to write admitted jobs that come piece by piece.
    public Writing writing(Deadline due) {
        return new Writing(due);
    }

    /// Admitted jobs on their way into the log, in their order. While the next piece is made, a
    /// thread of its own writes the submissions of those before, as their specifications are
    /// acknowledged. For one thread.
    public final class Writing {
        private final Deadline due;
        private final List<Attempt> attempts = new ArrayList<>();
        private CompletableFuture<Void> submitted = CompletableFuture.completedFuture(null);

        /// Of which the submissions are not begun.
        private List<Attempt> last = List.of();

        private Writing(Deadline due) {
            this.due = due;
        }

        /// Begins to write some more.
        ///
        /// @throws Unavailable if there are no ids in time: nothing of these is written then
        public void add(List<Draft> drafts) {
            List<List<Ids>> next = ids.next(drafts.stream().map(Draft::ids).toList(), due);
            List<Attempt> before = last;
            if (!before.isEmpty()) {
                submitted =
                        submitted.thenRunAsync(() -> submit(before), Thread::startVirtualThread);
            }
            var piece = new ArrayList<Attempt>();
            for (int i = 0; i < drafts.size(); i++) {
                var attempt = new Attempt(drafts.get(i), next.get(i));
                attempt.writeSpec(due);
                piece.add(attempt);
            }
            last = piece;
            attempts.addAll(piece);
        }

        /// Waits for all of them; one outcome for each.
        public List<Outcome> outcomes() {
            submitted.join();
            submit(last);
            return attempts.stream().map(it -> it.outcome(due)).toList();
        }

        private void submit(List<Attempt> piece) {
            piece.forEach(it -> it.writeSubmission(due));
        }
    }

    /// One draft on its way into the log, in three steps that must follow each other.
    private final class Attempt {
        private final Draft draft;
        private final List<Ids> ids;
        private final JobId job;
        private @Nullable Outcome outcome;
        private final String specKey = Sealed.key();
        private @Nullable String specSha256;
        private @Nullable CompletableFuture<RecordMetadata> spec;
        private @Nullable Submitted submitted;
        private @Nullable CompletableFuture<RecordMetadata> submission;

        Attempt(Draft draft, List<Ids> ids) {
            this.draft = draft;
            this.ids = ids;
            this.job = new JobId(ids.getFirst().first());
        }

        void writeSpec(Deadline due) {
            var record = traced(specs.record(CELL, draft.admitted().spec(job), "spec/" + job));
            if (record.value().length > MAX_SPEC_BYTES) {
                outcome =
                        new TooLarge(
                                tooLarge(
                                        "script, arguments and environment make",
                                        record.value().length,
                                        MAX_SPEC_BYTES));
            } else if (due.passed()) {
                outcome = new Unknown(new Unavailable("not tried: the log is slow"));
            } else {
                var sealed = Sealed.seal(record, specKey);
                specSha256 = Sha256.hex(sealed.value());
                spec = writer.write(sealed);
            }
        }

        void writeSubmission(Deadline due) {
            if (spec == null || specSha256 == null) {
                return;
            }
            try {
                RecordMetadata at = Acknowledgement.of(spec, due);
                ArrayText array = draft.admitted().array();
                submitted =
                        new Submitted(
                                job,
                                draft.admitted().description(),
                                draft.caller().user(),
                                new SpecReference(at.partition(), at.offset(), specSha256, specKey),
                                draft.key(),
                                array == null
                                        ? null
                                        : new JobArray(array.tasks(), array.throttle(), ids),
                                draft.admitted().components());
                var record = submissions.record(CELL, submitted, "submitted/" + job);
                if (record.value().length > MAX_SUBMITTED_BYTES) {
                    outcome =
                            new TooLarge(
                                    tooLarge(
                                            "what its components, array and terms ask for makes",
                                            record.value().length,
                                            MAX_SUBMITTED_BYTES));
                    return;
                }
                submission = writer.write(traced(record));
            } catch (Unavailable e) {
                outcome = new Unknown(e);
            }
        }

        /// The record with the trace that it is asked in.
        private ProducerRecord<byte[], byte[]> traced(ProducerRecord<byte[], byte[]> record) {
            TraceContext trace = draft.caller().trace();
            if (trace != null) {
                record.headers()
                        .add(
                                TraceContext.HEADER,
                                trace.toString().getBytes(StandardCharsets.US_ASCII));
            }
            return record;
        }

        Outcome outcome(Deadline due) {
            if (outcome != null) {
                return outcome;
            }
            try {
                RecordMetadata at =
                        Acknowledgement.of(
                                Objects.requireNonNull(submission, "no submission is written"),
                                due);
                return new Written(Objects.requireNonNull(submitted), at.offset(), at.timestamp());
            } catch (Unavailable e) {
                return new Unknown(e);
            }
        }
    }

    private static ScriptTooLarge tooLarge(String what, int bytes, int most) {
        return new ScriptTooLarge(
                "%s %d bytes of JSON, more than the %d that are allowed"
                        .formatted(what, bytes, most));
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

    /// Asks a node what a job has written there.
    public void ask(OutputRequest request, Deadline due) {
        int partition = NodePartitions.of(request.node(), nodePartitions);
        append(outputRequests.record(partition, request, id(request.job())), due);
    }

    /// Asks a node to start a step.
    public void ask(StepRequest request, Deadline due) {
        int partition = NodePartitions.of(request.node(), nodePartitions);
        append(stepRequests.record(partition, request, id(request.run())), due);
    }

    private static String id(Object of) {
        return "asked/" + of + "/" + UUID.randomUUID();
    }

    private RecordMetadata append(ProducerRecord<byte[], byte[]> record, Deadline due) {
        return Acknowledgement.of(writer.write(record), due);
    }
}
