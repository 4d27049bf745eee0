package io.berth.submit.http;

import io.berth.contracts.IdempotencyKey;
import io.berth.contracts.event.Idempotency.Claim;
import io.berth.log.Clocks;
import io.berth.slurm.JobSubmission;
import io.berth.submit.Admission;
import io.berth.submit.Admission.Decision.Admitted;
import io.berth.submit.Caller;
import io.berth.submit.Deadline;
import io.berth.submit.JobRoom;
import io.berth.submit.Picture;
import io.berth.submit.Position;
import io.berth.submit.Refused;
import io.berth.submit.SubmissionLimits;
import io.berth.submit.SubmitConfig;
import io.berth.submit.Unavailable;
import io.berth.submit.kafka.GatewayLog;
import io.berth.submit.kafka.SubmissionWriter;
import io.berth.submit.kafka.SubmissionWriter.Draft;
import io.berth.submit.kafka.SubmissionWriter.TooLarge;
import io.berth.submit.kafka.SubmissionWriter.Unknown;
import io.berth.submit.kafka.SubmissionWriter.Written;
import jakarta.inject.Singleton;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// How many jobs come in by one request: each line is a submission of its own, decided in the order
/// of the lines, each counting against the limits of those after it. What is admitted is written
/// while the next lines are decided, and all of it is waited for at the end.
///
/// With a key, line 7 has the idempotency key `<key>/7`: the same request again finds the jobs that
/// there are, and makes those that are missing.
@Singleton
final class BulkSubmissions {
    /// Lines that are decided before they are written.
    private static final int PIECE = 1_000;

    private final GatewayLog log;
    private final SubmissionWriter writer;
    private final JobRoom room;
    private final SubmitConfig config;
    private final Clocks clocks;

    BulkSubmissions(
            GatewayLog log,
            SubmissionWriter writer,
            JobRoom room,
            SubmitConfig config,
            Clocks clocks) {
        this.log = log;
        this.writer = writer;
        this.room = room;
        this.config = config;
        this.clocks = clocks;
    }

    /// What became of every line, in their order.
    ///
    /// @param position below which all written jobs stand; null if none was written
    record Results(List<BulkResult> lines, @Nullable Position position) {}

    /// Makes a job of every line that a rule does not refuse.
    ///
    /// @throws Unavailable if nothing can be decided: nothing is written then
    Results submit(List<BulkLine> lines, Caller caller, @Nullable String key) {
        var run = new Run(caller, key, Deadline.in(config.bulkTimeout(), clocks));
        for (int from = 0; from < lines.size(); from += PIECE) {
            lines.subList(from, Math.min(from + PIECE, lines.size())).forEach(run::decide);
            run.write();
        }
        run.finish();
        return run.results();
    }

    private record Pending(int line, Draft draft) {
        String user() {
            return draft.admitted().description().user();
        }
    }

    /// One request on its way.
    private final class Run {
        private final Caller caller;
        private final @Nullable String key;
        private final Deadline due;
        private final Picture picture = log.picture();
        private final Intake intake;
        private final SortedMap<Integer, BulkResult> results = new TreeMap<>();
        private final SubmissionWriter.Writing writing;

        /// Admitted and not yet given to be written.
        private final List<Pending> admitted = new ArrayList<>();

        /// The line before, and what it asks for: often each line is the same.
        private byte[] lastJson = {};

        private @Nullable JobSubmission lastAsked;

        private final List<Pending> pending = new ArrayList<>();
        private final List<Pending> written = new ArrayList<>();
        private @Nullable Position position;

        Run(Caller caller, @Nullable String key, Deadline due) {
            this.caller = caller;
            this.key = key;
            this.due = due;
            this.writing = writer.writing(due);
            this.intake =
                    new Intake(
                            picture,
                            new SubmissionLimits(),
                            room,
                            config.maxArraySize(),
                            clocks.millis());
        }

        void decide(BulkLine line) {
            int number = line.number();
            try {
                JobSubmission asked = asked(line.json());
                IdempotencyKey own = own(number, asked);
                Optional<Claim> claim = claim(picture, Admission.owner(asked, caller), own);
                if (claim.isPresent()) {
                    results.put(number, found(number, claim.get(), own));
                    return;
                }
                Admitted job = intake.admitted(asked, caller);
                admitted.add(new Pending(number, new Draft(job, caller, own)));
            } catch (Refused e) {
                results.put(number, BulkResult.refused(number, e.refusal()));
            }
        }

        private JobSubmission asked(byte[] json) throws Refused {
            JobSubmission asked = lastAsked;
            if (asked == null || !Arrays.equals(json, lastJson)) {
                asked = SubmissionBody.json(json);
                lastAsked = asked;
                lastJson = json;
            }
            return asked;
        }

        private @Nullable IdempotencyKey own(int line, JobSubmission asked) {
            return Gateway.key(key == null ? null : key + "/" + line, asked);
        }

        /// Begins to write what was admitted since the last time. Without ids for it nothing more
        /// is tried, and if nothing was written before, the whole request is refused.
        void write() {
            try {
                writing.add(admitted.stream().map(Pending::draft).toList());
                pending.addAll(admitted);
            } catch (Unavailable e) {
                if (pending.isEmpty()) {
                    throw e;
                }
                admitted.forEach(it -> results.put(it.line(), unknown(it, e)));
            }
            admitted.clear();
        }

        void finish() {
            var outcomes = writing.outcomes();
            for (int i = 0; i < outcomes.size(); i++) {
                Pending one = pending.get(i);
                switch (outcomes.get(i)) {
                    case Written it -> {
                        position = it.position();
                        written.add(one);
                        results.put(
                                one.line(), BulkResult.accepted(one.line(), it.submitted().job()));
                    }
                    case TooLarge it ->
                            results.put(one.line(), BulkResult.refused(one.line(), it.refusal()));
                    case Unknown it -> results.put(one.line(), unknown(one, it.why()));
                }
            }
            if (key != null && position != null) {
                readBack(position);
            }
        }

        /// The first in log order with a key is its job, whichever replica wrote it.
        private void readBack(Position end) {
            try {
                log.await(end, due);
                Picture now = log.picture();
                for (Pending one : written) {
                    IdempotencyKey own = one.draft().key();
                    claim(now, one.user(), own)
                            .ifPresent(it -> results.put(one.line(), found(one.line(), it, own)));
                }
            } catch (Unavailable e) {
                written.forEach(it -> results.put(it.line(), unknown(it, e)));
            }
        }

        Results results() {
            return new Results(List.copyOf(results.values()), position);
        }
    }

    private static Optional<Claim> claim(
            Picture picture, String user, @Nullable IdempotencyKey key) {
        return key == null
                ? Optional.empty()
                : picture.claim(SubmissionWriter.CELL, user, key.key());
    }

    private static BulkResult found(int line, Claim claim, @Nullable IdempotencyKey asked) {
        try {
            Gateway.same(claim, asked == null ? "" : asked.requestSha256());
            return BulkResult.accepted(line, claim.job());
        } catch (Refused e) {
            return BulkResult.refused(line, e.refusal());
        }
    }

    private static BulkResult unknown(Pending pending, Unavailable why) {
        return BulkResult.unknown(pending.line(), why);
    }
}
