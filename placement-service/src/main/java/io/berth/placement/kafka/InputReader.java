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
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
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

    /// The next inputs; none if there are none within that time.
    public List<Read> poll(Duration timeout) {
        ConsumerRecords<byte[], byte[]> records = consumer.poll(timeout);
        var read = new ArrayList<Read>(records.count());
        for (Topic<?> topic : CellLog.INPUTS) {
            for (var record : records.records(log.partition(topic))) {
                if (record.value() == null) {
                    continue;
                }
                if (topic.equals(Topics.NODES) && comesBeforeItsReports(record)) {
                    break;
                }
                read(record).ifPresent(read::add);
            }
        }
        return read;
    }

    /// The next record of every input partition.
    public List<LogPosition> positions() {
        return log.inputs().stream()
                .map(partition ->
                        new LogPosition(
                                partition.topic(),
                                topicIds.getOrDefault(partition.topic(), ""),
                                partition.partition(),
                                consumer.position(partition)))
                .toList();
    }

    /// How many records of each input topic wait to be read, as far as it is known.
    public Map<String, Long> unread() {
        var unread = new TreeMap<String, Long>();
        for (TopicPartition partition : log.inputs()) {
            consumer.currentLag(partition)
                    .ifPresent(records -> unread.put(partition.topic(), records));
        }
        return unread;
    }

    @Override
    public void close() {
        consumer.close();
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
        return new DeadLetter(
                record.topic(),
                record.partition(),
                record.offset(),
                cause.toString(),
                Base64.getEncoder().encodeToString(record.value()));
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
