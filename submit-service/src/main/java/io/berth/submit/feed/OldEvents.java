package io.berth.submit.feed;

import io.berth.contracts.JobDescription;
import io.berth.contracts.event.JobEvent;
import io.berth.contracts.json.EventCodec.CorruptEvent;
import io.berth.contracts.json.EventCodec.UnknownEventType;
import io.berth.contracts.topic.Topics;
import io.berth.log.Events;
import io.berth.log.KafkaConnection;
import io.berth.log.LogReader;
import io.berth.submit.Unavailable;
import io.berth.submit.feed.JobFeed.News;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/// Reads job events that are not kept in memory any more.
final class OldEvents {

    /// Offsets of each cell read at once.
    private static final int AT_ONCE = 1000;

    private final KafkaConnection kafka;
    private final Events<JobEvent> events = new Events<>(Topics.JOBS, "submit-service");

    OldEvents(KafkaConnection kafka) {
        this.kafka = kafka;
    }

    /// The next events from that position on, below those offsets, in the order of their times.
    News read(FeedPosition position, Map<Integer, Long> below) {
        var found = new ArrayList<FeedEvent>();
        var readTo = new TreeMap<Integer, Long>();
        try (var consumer = kafka.consumer()) {
            var ends = new HashMap<TopicPartition, Long>();
            List<TopicPartition> behind =
                    below.keySet().stream()
                            .filter(cell -> position.at(cell) < below.getOrDefault(cell, 0L))
                            .map(cell -> new TopicPartition(Topics.JOBS.name(), cell))
                            .toList();
            consumer.assign(behind);
            consumer.beginningOffsets(behind)
                    .forEach((partition, beginning) -> {
                        int cell = partition.partition();
                        long from = Math.max(position.at(cell), beginning);
                        long end = Math.min(below.getOrDefault(cell, 0L), from + AT_ONCE);
                        consumer.seek(partition, from);
                        ends.put(partition, end);
                        readTo.put(cell, end);
                    });
            LogReader.readTo(
                    consumer,
                    ends,
                    record -> {
                        FeedEvent event = event(record);
                        if (event != null) {
                            found.add(event);
                        }
                    });
        } catch (KafkaException e) {
            throw new Unavailable("the log does not answer", e);
        }
        found.sort(
                Comparator.comparingLong(FeedEvent::writtenAt)
                        .thenComparingInt(FeedEvent::cell)
                        .thenComparingLong(FeedEvent::offset));
        return new News(found, 0, readTo);
    }

    /// The event of a record; null for one that this version cannot read.
    @Nullable FeedEvent event(ConsumerRecord<byte[], byte[]> record) {
        if (record.value() == null) {
            return null;
        }
        try {
            JobEvent event = events.event(record);
            JobDescription asked =
                    switch (event) {
                        case JobEvent.Queued queued -> queued.description();
                        case JobEvent.Ended ended -> ended.description();
                        default -> null;
                    };
            return new FeedEvent(
                    record.partition(),
                    record.offset(),
                    event.getClass().getSimpleName(),
                    event.job(),
                    asked == null ? null : asked.user(),
                    asked == null ? null : asked.account(),
                    new String(record.value(), StandardCharsets.UTF_8),
                    record.timestamp());
        } catch (UnknownEventType | CorruptEvent e) {
            return null;
        }
    }
}
