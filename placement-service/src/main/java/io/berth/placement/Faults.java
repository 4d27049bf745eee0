package io.berth.placement;

import io.berth.contracts.JobId;
import io.berth.log.Events;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Errors of placement's own, without which a cell goes on: each is counted, and told once with its
/// stack. What a tenure failed on is kept for the next one, which leaves it out.
final class Faults {

    private static final Logger LOG = LoggerFactory.getLogger(Faults.class);

    /// If placing fails because of more jobs than that, it is not the jobs.
    private static final int MOST_HELD = 1_000;

    private static final int MOST_TOLD = 10_000;

    /// What failed: the label of the metric.
    enum Kind {
        INPUT,
        DUE,
        PLACING,
        REPLAY,
        METRICS
    }

    private final CellMeters meters;
    private final Set<String> told = new HashSet<>();
    private final Map<JobId, String> jobs = new TreeMap<>();
    private final Map<String, RuntimeException> records = new HashMap<>();

    /// Since placing last did not fail.
    private int held;

    Faults(CellMeters meters) {
        this.meters = meters;
    }

    /// @param subject what it failed on
    void tell(Kind kind, String subject, RuntimeException e) {
        tell(kind, "subject", subject, e);
    }

    /// @param job that it failed on; null if it is not known, or was none
    void tell(Kind kind, @Nullable JobId job, String subject, RuntimeException e) {
        tell(kind, job == null ? "subject" : "job", job == null ? subject : job.toString(), e);
    }

    void tell(Kind kind, ConsumerRecord<byte[], byte[]> record, RuntimeException e) {
        tell(kind, "record", Events.position(record), e);
    }

    private void tell(Kind kind, String key, String subject, RuntimeException e) {
        meters.failed(kind);
        if (told.size() < MOST_TOLD && told.add(kind + " " + key + " " + subject)) {
            LOG.atError()
                    .setCause(e)
                    .addKeyValue(key, subject)
                    .log("Decision failed ({}); the cell goes on without it", kind);
        }
    }

    /// The job is to be held. False: too many are.
    boolean hold(JobId job, RuntimeException e) {
        if (held >= MOST_HELD) {
            return false;
        }
        held++;
        jobs.put(job, String.valueOf(e.getMessage()));
        return true;
    }

    /// Placing did not fail.
    void placed() {
        held = 0;
    }

    /// The jobs that are to be held, with the reason. Each is asked for once, as soon as it is
    /// known: the round that failed on it may be the one that took it in.
    Map<JobId, String> toHold(Predicate<JobId> known) {
        var found = new TreeMap<>(jobs);
        found.keySet().removeIf(known.negate());
        jobs.keySet().removeAll(found.keySet());
        return found;
    }

    /// The record is not to be applied.
    void leaveOut(ConsumerRecord<byte[], byte[]> record, RuntimeException e) {
        records.put(Events.position(record), e);
    }

    /// Why the record is not to be applied; null if it is. That is asked for once.
    @Nullable RuntimeException leftOut(ConsumerRecord<byte[], byte[]> record) {
        return records.isEmpty() ? null : records.remove(Events.position(record));
    }
}
