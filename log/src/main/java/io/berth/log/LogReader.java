package io.berth.log;

import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;

/// Reads whole partitions, from their beginning to their end and on.
public final class LogReader {

    private static final Duration POLL = Duration.ofMillis(100);

    private LogReader() {}

    /// What is done with a record.
    @FunctionalInterface
    public interface Handler {
        void handle(ConsumerRecord<byte[], byte[]> record);

        /// A [LogView] has read all that there was of a partition when it fetched from it last.
        default void atEnd(TopicPartition partition) {}
    }

    /// Assigns the partitions, from their beginning, and reads them to the end that they have now.
    public static void readAll(
            Consumer<byte[], byte[]> consumer,
            Collection<TopicPartition> partitions,
            Handler handler) {
        consumer.assign(partitions);
        consumer.seekToBeginning(partitions);
        readTo(consumer, consumer.endOffsets(partitions), handler);
    }

    /// How many records of the assigned partitions wait to be read, as far as the brokers have told
    /// the consumer: it does not ask them.
    public static long unread(Consumer<byte[], byte[]> consumer) {
        return consumer.assignment().stream()
                .mapToLong(partition -> consumer.currentLag(partition).orElse(0))
                .sum();
    }

    /// Reads the assigned partitions until each is at the offset given for it, and hands on what
    /// stands below that.
    public static void readTo(
            Consumer<byte[], byte[]> consumer, Map<TopicPartition, Long> ends, Handler handler) {
        while (ends.entrySet().stream()
                .anyMatch(end -> consumer.position(end.getKey()) < end.getValue())) {
            for (var record : consumer.poll(POLL)) {
                Long end = ends.get(new TopicPartition(record.topic(), record.partition()));
                if (end != null && record.offset() < end) {
                    handler.handle(record);
                }
            }
        }
        // A poll may have fetched past an end; go back there.
        ends.forEach(consumer::seek);
    }
}
