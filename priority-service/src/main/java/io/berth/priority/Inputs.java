package io.berth.priority;

import io.berth.contracts.DeadLetter;
import io.berth.contracts.JobId;
import io.berth.contracts.NodeName;
import io.berth.contracts.config.ConfigurationAssembler;
import io.berth.contracts.event.CellStatus;
import io.berth.contracts.event.ConfigEntry;
import io.berth.contracts.event.JobStatus;
import io.berth.contracts.event.Ranked;
import io.berth.contracts.event.Submission;
import io.berth.contracts.json.EventCodec.CorruptEvent;
import io.berth.contracts.json.EventCodec.UnknownEventType;
import io.berth.contracts.topic.Topic;
import io.berth.contracts.topic.Topics;
import io.berth.log.Events;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/// Hands each record of each topic to what it changes.
///
/// Event types of a newer version are skipped: what this service knows is a view. Corrupt records
/// are kept aside.
final class Inputs {

    private static final Consumer<ConsumerRecord<byte[], byte[]>> NOTHING = _ -> {};

    private final Map<String, Consumer<ConsumerRecord<byte[], byte[]>>> handlers = new HashMap<>();
    private final Rankings rankings;
    private final ConfigurationAssembler assembler = new ConfigurationAssembler();

    /// The next submission that placement will read, as far as it is known, by cell.
    private final Map<Integer, Long> consumed = new HashMap<>();

    /// The next submission that will be read here, by cell. It begins where placement stood.
    private final Map<Integer, Long> next = new HashMap<>();

    /// Jobs with a published ranking that were not heard of yet.
    private final Map<JobId, Integer> ranked = new TreeMap<>();

    /// Jobs of which placement spoke before their submission was read: what it says is newer.
    private final Set<JobId> ahead = new HashSet<>();

    /// Where the jobs were submitted of which placement has said nothing so far.
    private final Map<JobId, LogPlace> unheard = new HashMap<>();

    /// Those of them that placement had read at the last [#forgetVoid].
    private Set<JobId> read = Set.of();

    private boolean following;
    private final List<DeadLetter> deadLetters = new ArrayList<>();

    /// @param offset of the submission
    private record LogPlace(int cell, long offset) {}

    Inputs(Rankings rankings, Shares shares) {
        this.rankings = rankings;
        on(Topics.CELL_STATES, this::cell, NOTHING);
        on(Topics.SUBMISSIONS, this::submission, NOTHING);
        on(Topics.JOB_STATES, this::job, this::forgotten);
        on(
                Topics.NODE_STATES,
                (record, it) ->
                        rankings.node(record.partition(), it.node(), Optional.of(it), next(record)),
                record ->
                        rankings.node(
                                record.partition(),
                                new NodeName(key(record)),
                                Optional.empty(),
                                next(record)));
        on(Topics.CONFIG, (_, it) -> configuration(it, shares), NOTHING);
        on(Topics.SHARES, (_, it) -> shares.usage(it), NOTHING);
        on(Topics.RANKINGS, this::ranking, this::rankingEnded);
        on(Topics.FAIR_SHARES, (_, it) -> shares.published(it), NOTHING);
    }

    /// Applies a record.
    void handle(ConsumerRecord<byte[], byte[]> record) {
        Consumer<ConsumerRecord<byte[], byte[]>> handler = handlers.get(record.topic());
        if (handler == null) {
            throw new IllegalStateException("nobody asked for records of " + record.topic());
        }
        handler.accept(record);
    }

    /// The next submission that placement will read in that cell; 0 before its first round.
    long consumed(int cell) {
        return consumed.getOrDefault(cell, 0L);
    }

    /// Ends the rankings of jobs that nobody knows any more. To be called once, when all topics
    /// were read to their ends: rankings that are read from then on are what came of one's own.
    void forgetStrangers() {
        following = true;
        ranked.forEach((job, cell) -> rankings.ended(cell, job));
        ranked.clear();
    }

    /// Ends the rankings of jobs that placement has read and makes nothing of: submissions with a
    /// key that was used before. To be called when there is nothing to be read: what placement says
    /// of a job may be read after how far it has read, and gets until the next call.
    void forgetVoid() {
        var since = new HashSet<JobId>();
        for (var it : List.copyOf(unheard.entrySet())) {
            JobId job = it.getKey();
            LogPlace place = it.getValue();
            if (read.contains(job)) {
                unheard.remove(job);
                rankings.ended(place.cell(), job);
            } else if (place.offset() < consumed(place.cell())) {
                since.add(job);
            }
        }
        read = since;
    }

    /// The corrupt records since the last call.
    List<DeadLetter> deadLetters() {
        var letters = List.copyOf(deadLetters);
        deadLetters.clear();
        return letters;
    }

    private void cell(ConsumerRecord<byte[], byte[]> record, CellStatus status) {
        status.inputs().stream()
                .filter(it ->
                        it.topic().equals(Topics.SUBMISSIONS.name())
                                && it.partition() == record.partition())
                .forEach(it -> {
                    next.put(record.partition(), it.offset());
                    consumed(record.partition(), it.offset());
                });
    }

    private void consumed(int cell, long offset) {
        consumed.merge(cell, offset, Math::max);
    }

    private void submission(ConsumerRecord<byte[], byte[]> record, Submission submission) {
        next.put(record.partition(), next(record));
        switch (submission) {
            case Submission.Submitted submitted -> {
                for (Submission.Submitted it : submitted.jobs()) {
                    ranked.remove(it.job());
                    if (!ahead.remove(it.job())) {
                        unheard.put(it.job(), new LogPlace(record.partition(), record.offset()));
                        rankings.submitted(record.partition(), it.job(), it.description());
                    }
                }
            }
            case Submission.CancelRequested _,
                    Submission.Held _,
                    Submission.Released _,
                    Submission.Amended _,
                    Submission.RequeueRequested _,
                    Submission.SignalRequested _,
                    Submission.SuspendRequested _,
                    Submission.ResumeRequested _ -> {}
        }
    }

    private void job(ConsumerRecord<byte[], byte[]> record, JobStatus status) {
        int cell = record.partition();
        if (status.submission() >= next.getOrDefault(cell, 0L)) {
            ahead.add(status.job());
        }
        // It decides on submissions in their order.
        consumed(cell, status.submission() + 1);
        ranked.remove(status.job());
        unheard.remove(status.job());
        rankings.status(cell, status);
    }

    private void forgotten(ConsumerRecord<byte[], byte[]> record) {
        unheard.remove(job(record));
        rankings.ended(record.partition(), job(record));
    }

    private void ranking(ConsumerRecord<byte[], byte[]> record, Ranked it) {
        if (following) {
            rankings.heard(record.partition(), it.job(), Optional.of(it.rank()));
            return;
        }
        ranked.put(it.job(), record.partition());
        rankings.published(it.job(), it.rank());
    }

    private void rankingEnded(ConsumerRecord<byte[], byte[]> record) {
        if (following) {
            rankings.heard(record.partition(), job(record), Optional.empty());
            return;
        }
        ranked.remove(job(record));
        rankings.notPublished(job(record));
    }

    private void configuration(ConfigEntry entry, Shares shares) {
        assembler
                .add(entry)
                .ifPresent(it -> {
                    rankings.configuration(it);
                    shares.configuration(it);
                });
    }

    private <E> void on(
            Topic<E> topic,
            BiConsumer<ConsumerRecord<byte[], byte[]>, E> event,
            Consumer<ConsumerRecord<byte[], byte[]>> tombstone) {
        var events = new Events<>(topic, "priority-service");
        handlers.put(
                topic.name(),
                record -> {
                    try {
                        if (record.value() == null) {
                            tombstone.accept(record);
                        } else {
                            event.accept(record, events.event(record));
                        }
                    } catch (UnknownEventType e) {
                        // A newer version's: nothing that a rank depends on.
                    } catch (CorruptEvent | IllegalArgumentException e) {
                        deadLetters.add(deadLetter(record, e));
                    }
                });
    }

    private static DeadLetter deadLetter(ConsumerRecord<byte[], byte[]> record, Exception e) {
        return DeadLetter.of(
                record.topic(), record.partition(), record.offset(), e.toString(), record.value());
    }

    private static JobId job(ConsumerRecord<byte[], byte[]> record) {
        return new JobId(Long.parseLong(key(record)));
    }

    private static String key(ConsumerRecord<byte[], byte[]> record) {
        return new String(record.key(), StandardCharsets.UTF_8);
    }

    private static long next(ConsumerRecord<byte[], byte[]> record) {
        return record.offset() + 1;
    }
}
