package io.berth.standalone;

import io.berth.contracts.topic.Topic;
import io.berth.contracts.topic.Topics;
import io.berth.log.KafkaConnection;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// How long submissions lay in the log before placement took them in: from the first word of a job
/// in `submissions` to the first one in `jobs`, by the broker's clock.
final class Waits {

    private Waits() {}

    /// The longest of those of these jobs, which all were taken in.
    static Duration longest(KafkaConnection kafka, List<Long> ids) {
        try (var topics = new WholeTopics(kafka)) {
            Map<Long, Long> submitted = firsts(topics, Topics.SUBMISSIONS);
            Map<Long, Long> taken = firsts(topics, Topics.JOBS);
            return Duration.ofMillis(
                    ids.stream()
                            .mapToLong(id -> at(taken, id) - at(submitted, id))
                            .max()
                            .orElseThrow());
        }
    }

    /// When each job was first spoken of.
    private static Map<Long, Long> firsts(WholeTopics topics, Topic<?> topic) {
        var firsts = new HashMap<Long, Long>();
        topics.read(
                topic,
                (record, _) ->
                        firsts.putIfAbsent(
                                Long.valueOf(WholeTopics.key(record)), record.timestamp()));
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
