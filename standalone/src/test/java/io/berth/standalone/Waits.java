package io.berth.standalone;

import io.berth.contracts.topic.Topic;
import io.berth.contracts.topic.Topics;
import io.berth.log.KafkaConnection;
import io.berth.log.LogReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.common.TopicPartition;

/// How long submissions lay in the log before placement took them in: from the first word of a job
/// in `submissions` to the first one in `jobs`, by the broker's clock.
final class Waits {

    private Waits() {}

    /// The longest of those of these jobs, which all were taken in.
    static Duration longest(KafkaConnection kafka, List<Long> ids) {
        try (var consumer = kafka.consumer()) {
            Map<Long, Long> submitted = firsts(consumer, Topics.SUBMISSIONS);
            Map<Long, Long> taken = firsts(consumer, Topics.JOBS);
            return Duration.ofMillis(
                    ids.stream()
                            .mapToLong(id -> at(taken, id) - at(submitted, id))
                            .max()
                            .orElseThrow());
        }
    }

    /// When each job was first spoken of.
    private static Map<Long, Long> firsts(Consumer<byte[], byte[]> consumer, Topic<?> topic) {
        var firsts = new HashMap<Long, Long>();
        LogReader.readAll(
                consumer,
                List.of(new TopicPartition(topic.name(), 0)),
                record ->
                        firsts.putIfAbsent(
                                Long.valueOf(new String(record.key(), StandardCharsets.UTF_8)),
                                record.timestamp()));
        return firsts;
    }

    private static long at(Map<Long, Long> times, long id) {
        Long at = times.get(id);
        if (at == null) {
            throw new AssertionError("nothing is told of job " + id);
        }
        return at;
    }
}
