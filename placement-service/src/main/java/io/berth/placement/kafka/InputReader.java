package io.berth.placement.kafka;

import io.berth.contracts.DeadLetter;
import io.berth.contracts.LogPosition;
import io.berth.contracts.config.ConfigurationAssembler;
import io.berth.contracts.event.NodeSeen;
import io.berth.contracts.json.EventCodec.CorruptEvent;
import io.berth.contracts.json.EventCodec.UnknownEventType;
import io.berth.contracts.topic.Topic;
import io.berth.contracts.topic.Topics;
import io.berth.core.state.Input;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.common.TopicPartition;

/// Reads the inputs of a cell in the order in which a round applies them.
public final class InputReader implements AutoCloseable {

    /// A record of the log: an input, or what cannot be one.
    public sealed interface Read {

        /// An input, with the record that it came in.
        record Applicable(Input input, ConsumerRecord<byte[], byte[]> record) implements Read {}

        record Poisonous(DeadLetter letter) implements Read {}
    }

    private final CellLog log;
    private final Consumer<byte[], byte[]> consumer;
    private final Map<String, String> topicIds;
    private final ConfigurationAssembler configuration;

    /// Fetched and not yet passed, in the order of [CellLog#INPUTS].
    private final Queue<ConsumerRecord<byte[], byte[]>> waiting = new ArrayDeque<>();

    /// @param consumer assigned and sought to the next input of each partition
    /// @param configuration that has read the configuration up to there
    InputReader(
            CellLog log,
            Consumer<byte[], byte[]> consumer,
            Map<String, String> topicIds,
            ConfigurationAssembler configuration) {
        this.log = log;
        this.consumer = consumer;
        this.topicIds = topicIds;
        this.configuration = configuration;
    }

    /// Waits so long until there are inputs, if none are left of the last time.
    public void fetch(Duration timeout) {
        if (!waiting.isEmpty()) {
            return;
        }
        ConsumerRecords<byte[], byte[]> records = consumer.poll(timeout);
        for (Topic<?> topic : CellLog.INPUTS) {
            records.records(log.partition(topic)).forEach(waiting::add);
        }
    }

    /// The next of the fetched inputs; empty when there are no more.
    public Optional<Read> next() {
        while (!waiting.isEmpty()) {
            ConsumerRecord<byte[], byte[]> record = waiting.remove();
            if (record.value() == null) {
                continue;
            }
            if (registers(record) && comesBeforeItsReports(record)) {
                waiting.removeIf(InputReader::registers);
                continue;
            }
            Optional<Read> read = read(record);
            if (read.isPresent()) {
                return read;
            }
        }
        return Optional.empty();
    }

    /// The first record of every input partition that [#next] has not passed.
    public List<LogPosition> positions() {
        var first = new HashMap<TopicPartition, Long>();
        for (var record : waiting) {
            first.putIfAbsent(
                    new TopicPartition(record.topic(), record.partition()), record.offset());
        }
        return log.inputs().stream()
                .map(partition ->
                        new LogPosition(
                                partition.topic(),
                                topicIds.getOrDefault(partition.topic(), ""),
                                partition.partition(),
                                first.computeIfAbsent(partition, consumer::position)))
                .toList();
    }

    /// How many records of each input topic wait to be read, as far as it is known.
    public Map<String, Long> unread() {
        var unread = new TreeMap<String, Long>();
        for (TopicPartition partition : log.inputs()) {
            consumer.currentLag(partition)
                    .ifPresent(records -> unread.put(partition.topic(), records));
        }
        waiting.forEach(record -> unread.merge(record.topic(), 1L, Long::sum));
        return unread;
    }

    /// Waits for no answer: after a time of standing still one may not come, and a new leader
    /// waits.
    @Override
    public void close() {
        consumer.close(CloseOptions.timeout(Duration.ZERO));
    }

    private static boolean registers(ConsumerRecord<byte[], byte[]> record) {
        return record.topic().equals(Topics.NODES.name());
    }

    /// Whether reports that the registration builds on are still to be read. Then it is left for a
    /// later poll.
    private boolean comesBeforeItsReports(ConsumerRecord<byte[], byte[]> record) {
        TopicPartition runs = log.partition(Topics.RUNS);
        try {
            NodeSeen seen = CellLog.NODES.event(record);
            if (seen.reportsEnd() <= consumer.position(runs)) {
                return false;
            }
        } catch (UnknownEventType | CorruptEvent e) {
            return false;
        }
        consumer.seek(log.partition(Topics.NODES), record.offset());
        return true;
    }

    /// The dead letter of a record that cannot be applied.
    public static DeadLetter letter(ConsumerRecord<byte[], byte[]> record, Exception cause) {
        return letter(record, cause.toString());
    }

    /// The same.
    ///
    /// @param cause in one line
    public static DeadLetter letter(ConsumerRecord<byte[], byte[]> record, String cause) {
        return DeadLetter.of(
                record.topic(), record.partition(), record.offset(), cause, record.value());
    }

    private Optional<Read> read(ConsumerRecord<byte[], byte[]> record) {
        try {
            return input(record).map(input -> new Read.Applicable(input, record));
        } catch (CorruptEvent e) {
            return Optional.of(new Read.Poisonous(letter(record, e)));
        } catch (UnknownEventType e) {
            throw new Fatal(
                    "%s at offset %d: a newer service wrote it; this one stops rather than skip it"
                            .formatted(e.getMessage(), record.offset()),
                    e);
        }
    }

    private Optional<Input> input(ConsumerRecord<byte[], byte[]> record)
            throws UnknownEventType, CorruptEvent {
        String topic = record.topic();
        if (topic.equals(Topics.SUBMISSIONS.name())) {
            return Optional.of(new Input.Asked(CellLog.SUBMISSIONS.event(record), record.offset()));
        }
        if (topic.equals(Topics.RANKINGS.name())) {
            return Optional.of(new Input.RankingRead(CellLog.RANKINGS.event(record)));
        }
        if (topic.equals(Topics.RUNS.name())) {
            return Optional.of(new Input.Reported(CellLog.RUNS.event(record)));
        }
        if (topic.equals(Topics.NODES.name())) {
            return Optional.of(new Input.Registered(CellLog.NODES.event(record)));
        }
        if (topic.equals(Topics.NODE_REQUESTS.name())) {
            return Optional.of(new Input.NodeAsked(CellLog.NODE_REQUESTS.event(record)));
        }
        if (topic.equals(Topics.FAIR_SHARES.name())) {
            return Optional.of(new Input.SharesRead(CellLog.FAIR_SHARES.event(record)));
        }
        if (topic.equals(Topics.CONFIG.name())) {
            return configuration.add(CellLog.CONFIG.event(record)).map(Input.Configured::new);
        }
        throw new IllegalStateException("read an input: " + topic + " is none");
    }
}
