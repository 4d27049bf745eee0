package io.berth.accounting.kafka;

import io.berth.accounting.db.Batch;
import io.berth.accounting.db.Batch.Advance;
import io.berth.accounting.db.BooksStopped;
import io.berth.contracts.DeadLetter;
import io.berth.contracts.LogPosition;
import io.berth.contracts.event.JobEvent;
import io.berth.contracts.json.EventCodec.CorruptEvent;
import io.berth.contracts.json.EventCodec.UnknownEventType;
import io.berth.contracts.topic.Topics;
import io.berth.log.Events;
import io.berth.log.KafkaConnection;
import io.berth.log.LogReader;
import io.berth.log.TopicDeclarations;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.jspecify.annotations.Nullable;

/// The `jobs` topic, read from where the books stand.
///
/// The plain client serves here, and no messaging framework: partitions are assigned by hand and
/// sought to the books' positions, so that no consumer group and no committed group offset can
/// disagree with the books, and a record that cannot be read stops the books instead of a stream.
public final class JobsTopic implements AutoCloseable {

    private static final String NAME = Topics.JOBS.name();

    /// Records at once. A row that several of them touch is written once.
    static final int LARGEST_BATCH = 2000;

    private static final Duration POLL = Duration.ofSeconds(1);
    private static final Duration ANSWER = Duration.ofSeconds(2);

    private final Events<JobEvent> events = new Events<>(Topics.JOBS, "accounting-service");
    private final Consumer<byte[], byte[]> consumer;

    /// Asks the brokers: over the other's connection an answer would wait behind a fetch that waits
    /// for what comes.
    private final Consumer<byte[], byte[]> asking;

    private final Map<TopicPartition, Long> next = new LinkedHashMap<>();
    private final String topicId;
    private @Nullable String unknown;

    /// Waits for the topic, and goes to the positions that the books have in it.
    ///
    /// @throws BooksStopped if they are not there
    public JobsTopic(KafkaConnection kafka, List<LogPosition> positions) {
        TopicDescription topic;
        try (Admin admin = kafka.admin()) {
            topic = TopicDeclarations.await(admin, List.of(Topics.JOBS)).get(NAME);
        }
        if (topic == null) {
            throw new IllegalStateException("describing " + NAME + " gave nothing");
        }
        topicId = topic.topicId().toString();
        topic.partitions().forEach(it -> next.put(new TopicPartition(NAME, it.partition()), 0L));
        consumer = kafka.follower(LARGEST_BATCH);
        asking = kafka.follower();
        try {
            seek(positions);
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    private void seek(List<LogPosition> positions) {
        Map<TopicPartition, Long> begins = asking.beginningOffsets(next.keySet());
        Map<TopicPartition, Long> ends = asking.endOffsets(next.keySet());
        next.putAll(begins);
        for (LogPosition position : positions) {
            var partition = new TopicPartition(NAME, position.partition());
            check(position, begins.get(partition), ends.get(partition));
            next.put(partition, position.offset());
        }
        consumer.assign(next.keySet());
        next.forEach(consumer::seek);
    }

    private void check(LogPosition position, @Nullable Long begin, @Nullable Long end) {
        if (!position.topicId().equals(topicId)) {
            throw new BooksStopped(
                    "the books were written from another topic %s (id %s) than the one that is there (id %s): restore that log, or start with an empty database"
                            .formatted(NAME, position.topicId(), topicId));
        }
        if (begin == null || end == null) {
            throw new BooksStopped(
                    "the books stand in partition %d of %s, which is not there"
                            .formatted(position.partition(), NAME));
        }
        if (position.offset() < begin || position.offset() > end) {
            throw new BooksStopped(
                    "the books stand at offset %d of %s/%d, which holds %d to %d: events between are lost; restore the log, or start with an empty database"
                            .formatted(position.offset(), NAME, position.partition(), begin, end));
        }
    }

    /// The next records, after a short wait for them. Those of a partition end before a record of
    /// an unknown type; the call after that one fails.
    ///
    /// @throws BooksStopped if such a record is next, or the log no longer has the next one
    public Batch poll() {
        if (unknown != null) {
            throw new BooksStopped(unknown);
        }
        var jobEvents = new ArrayList<JobEvent>();
        var deadLetters = new ArrayList<DeadLetter>();
        var advances = new ArrayList<Advance>();
        try {
            var records = consumer.poll(POLL);
            for (TopicPartition partition : records.partitions()) {
                long from = next.getOrDefault(partition, 0L);
                long to = read(records.records(partition), jobEvents, deadLetters);
                advances.add(new Advance(NAME, topicId, partition.partition(), from, to));
                next.put(partition, to);
            }
        } catch (OffsetOutOfRangeException e) {
            throw new BooksStopped(
                    "the next event is no longer in " + NAME + ": " + e.getMessage(), e);
        }
        return new Batch(jobEvents, deadLetters, advances);
    }

    private long read(
            List<ConsumerRecord<byte[], byte[]>> records,
            List<JobEvent> jobEvents,
            List<DeadLetter> deadLetters) {
        for (var record : records) {
            try {
                if (record.value() == null) {
                    deadLetters.add(deadLetter(record, "no value"));
                } else {
                    jobEvents.add(events.event(record));
                }
            } catch (CorruptEvent e) {
                deadLetters.add(deadLetter(record, String.valueOf(e.getMessage())));
            } catch (UnknownEventType e) {
                unknown =
                        "%s at offset %d of %s/%d: a newer version wrote it; start that version of the accounting service"
                                .formatted(
                                        e.getMessage(), record.offset(), NAME, record.partition());
                return record.offset();
            }
        }
        return records.getLast().offset() + 1;
    }

    private static DeadLetter deadLetter(ConsumerRecord<byte[], byte[]> record, String cause) {
        return DeadLetter.of(
                record.topic(), record.partition(), record.offset(), cause, record.value());
    }

    /// How many records wait to be read, as far as the brokers have told.
    public long unread() {
        return LogReader.unread(consumer);
    }

    /// Whether the brokers answer.
    public boolean reachable() {
        try {
            asking.endOffsets(next.keySet(), ANSWER);
            return true;
        } catch (TimeoutException e) {
            return false;
        }
    }

    @Override
    public void close() {
        consumer.close();
        asking.close();
    }
}
