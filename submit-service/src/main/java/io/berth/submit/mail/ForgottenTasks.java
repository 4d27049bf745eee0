package io.berth.submit.mail;

import io.berth.contracts.ArrayTask;
import io.berth.contracts.JobId;
import io.berth.contracts.event.JobEvent;
import io.berth.contracts.event.JobEvent.Ended;
import io.berth.contracts.json.EventCodec.CorruptEvent;
import io.berth.contracts.json.EventCodec.UnknownEventType;
import io.berth.contracts.topic.Topics;
import io.berth.log.Events;
import io.berth.log.KafkaConnection;
import io.berth.submit.Deadline;
import io.berth.submit.Job;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// How those tasks of an array ended that no gateway shows any more: they are read again in the
/// topic `jobs`, from the array's submission on.
final class ForgottenTasks {
    private static final Logger LOG = LoggerFactory.getLogger(ForgottenTasks.class);
    private static final Duration POLL = Duration.ofMillis(100);

    /// Other mail waits for it.
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    /// By how much a service's clock may be ahead of the one that stamps records.
    private static final Duration CLOCKS_APART = Duration.ofMinutes(10);

    private final KafkaConnection kafka;
    private final Events<JobEvent> events = new Events<>(Topics.JOBS, "submit-service");

    ForgottenTasks(KafkaConnection kafka) {
        this.kafka = kafka;
    }

    /// The last end of each task of the array but of those that are shown, in the order of the
    /// tasks' ids. What the topic does not hold any more, or does not tell within a minute, is left
    /// out.
    List<Ended> ends(ArrayTask array, Collection<Job> shown) {
        if (shown.isEmpty() || shown.size() >= array.count()) {
            return List.of();
        }
        Job known = shown.iterator().next();
        var partition = new TopicPartition(Topics.JOBS.name(), known.cell());
        Map<JobId, Ended> ends = new TreeMap<>();
        try (var consumer = kafka.consumer()) {
            consumer.assign(List.of(partition));
            long end = consumer.endOffsets(List.of(partition)).getOrDefault(partition, 0L);
            long since = Math.max(0, known.submittedAt() - CLOCKS_APART.toMillis());
            var from = consumer.offsetsForTimes(Map.of(partition, since)).get(partition);
            consumer.seek(partition, from == null ? end : from.offset());
            Deadline due = Deadline.in(PATIENCE);
            while (consumer.position(partition) < end) {
                if (due.passed()) {
                    LOG.atWarn()
                            .addKeyValue("job", array.array())
                            .log("Mail about an array does without its oldest tasks");
                    break;
                }
                for (var record : consumer.poll(POLL)) {
                    Ended ended = ended(record, array.array());
                    if (ended != null) {
                        ends.put(ended.job(), ended);
                    }
                }
            }
        }
        shown.forEach(it -> ends.remove(it.id()));
        return new ArrayList<>(ends.values());
    }

    /// The record's event if it is the end of one of the array's tasks.
    private @Nullable Ended ended(ConsumerRecord<byte[], byte[]> record, JobId array) {
        try {
            return record.value() != null
                            && events.event(record) instanceof Ended it
                            && it.description().array() != null
                            && it.description().array().array().equals(array)
                    ? it
                    : null;
        } catch (UnknownEventType | CorruptEvent e) {
            return null;
        }
    }
}
