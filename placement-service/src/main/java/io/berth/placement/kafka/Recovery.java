package io.berth.placement.kafka;

import io.berth.contracts.LogPosition;
import io.berth.contracts.config.ConfigurationAssembler;
import io.berth.contracts.event.CellStatus;
import io.berth.contracts.event.Ranked;
import io.berth.contracts.json.EventCodec.CorruptEvent;
import io.berth.contracts.json.EventCodec.UnknownEventType;
import io.berth.contracts.topic.Topic;
import io.berth.contracts.topic.Topics;
import io.berth.core.state.CellState;
import io.berth.core.state.Fact;
import io.berth.log.Events;
import io.berth.log.KafkaConnection;
import io.berth.log.LogReader;
import io.berth.log.TopicDeclarations;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;

/// Begins a tenure: fences the predecessor, rebuilds the state from its topics, and stands where
/// the last round stopped.
///
/// The order matters. `initTransactions` ends what the predecessor left open; only then are the
/// ends of the state topics read. The inputs go on from the offsets in `cell-states`, which alone
/// count.
public final class Recovery {

    /// What a tenure begins with.
    ///
    /// @param last the cell's last round, or round 0
    public record Recovered(
            CellState state, CellStatus last, InputReader inputs, RoundWriter rounds) {}

    private final KafkaConnection kafka;
    private final CellLog log;
    private final CellState state = new CellState();
    private final StateDigest digest = new StateDigest();
    private final ConfigurationAssembler configuration = new ConfigurationAssembler();

    private Recovery(KafkaConnection kafka, CellLog log) {
        this.kafka = kafka;
        this.log = log;
    }

    /// Rebuilds the cell. The caller closes what it gets.
    ///
    /// @throws Fatal if the log is not the one that the last round stood in, or the rebuilt state
    ///   is not the one that was written
    public static Recovered recover(KafkaConnection kafka, CellLog log) {
        return new Recovery(kafka, log).recover();
    }

    private Recovered recover() {
        Map<String, String> topicIds = topicIds();
        Producer<byte[], byte[]> producer =
                kafka.transactionalProducer("berth-placement-" + log.cell());
        var consumer = kafka.consumer();
        try {
            producer.initTransactions();
            CellStatus last = readStates(consumer);
            Map<TopicPartition, Long> next = nextInputs(consumer, last, topicIds);
            readTables(consumer, next);
            consumer.assign(log.inputs());
            next.forEach(consumer::seek);
            return new Recovered(
                    state,
                    last,
                    new InputReader(log, consumer, topicIds, configuration),
                    new RoundWriter(log, producer, digest));
        } catch (RuntimeException e) {
            consumer.close();
            producer.close();
            throw e;
        }
    }

    private Map<String, String> topicIds() {
        try (Admin admin = kafka.admin()) {
            var ids = new TreeMap<String, String>();
            TopicDeclarations.await(admin, CellLog.read())
                    .forEach(
                            (name, topic) -> ids.put(name, nullToZero(topic.topicId()).toString()));
            return ids;
        }
    }

    private static Uuid nullToZero(Uuid id) {
        return id == null ? Uuid.ZERO_UUID : id;
    }

    /// Reads job-states, node-states and cell-states to their ends.
    private CellStatus readStates(Consumer<byte[], byte[]> consumer) {
        read(consumer, CellLog.NODE_STATES, status -> state.replay(new Fact.NodeChanged(status)));
        read(consumer, CellLog.JOB_STATES, status -> state.replay(new Fact.JobChanged(status)));
        var cells = latest(consumer, Topics.CELL_STATES);
        CellStatus last =
                cells.values().stream()
                        .map(record -> decode(CellLog.CELL_STATES, record))
                        .findFirst()
                        .orElse(
                                new CellStatus(
                                        log.cell(), 0, 0, List.of(), 0, 0, digest.toString()));
        if (!last.digest().equals(digest.toString())) {
            throw new Fatal(
                    "the state of cell %d rebuilt from its topics has digest %s, but round %d wrote %s: it is not led"
                            .formatted(log.cell(), digest, last.round(), last.digest()));
        }
        state.seenUpTo(last.highestJob());
        return last;
    }

    private <E> void read(
            Consumer<byte[], byte[]> consumer,
            Events<E> events,
            java.util.function.Consumer<E> replay) {
        latest(consumer, events.topic())
                .forEach((key, record) -> {
                    digest.put(record.topic(), key, record.value());
                    replay.accept(decode(events, record));
                });
    }

    /// The last record of each key that is no tombstone, in the order of the log.
    private Map<String, ConsumerRecord<byte[], byte[]>> latest(
            Consumer<byte[], byte[]> consumer, Topic<?> topic) {
        var latest = new LinkedHashMap<String, ConsumerRecord<byte[], byte[]>>();
        LogReader.readAll(
                consumer,
                List.of(log.partition(topic)),
                record -> {
                    String key = new String(record.key(), StandardCharsets.UTF_8);
                    latest.remove(key);
                    if (record.value() != null) {
                        latest.put(key, record);
                    }
                });
        return latest;
    }

    private static <E> E decode(Events<E> events, ConsumerRecord<byte[], byte[]> record) {
        try {
            return events.event(record);
        } catch (UnknownEventType | CorruptEvent e) {
            throw new Fatal(
                    "%s, offset %d: %s".formatted(record.topic(), record.offset(), e.getMessage()),
                    e);
        }
    }

    /// Where the inputs go on: from the last round, or from the beginning of a new cell.
    private Map<TopicPartition, Long> nextInputs(
            Consumer<byte[], byte[]> consumer, CellStatus last, Map<String, String> topicIds) {
        Collection<TopicPartition> partitions = log.inputs();
        Map<TopicPartition, Long> next = new LinkedHashMap<>(consumer.beginningOffsets(partitions));
        Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
        for (LogPosition position : last.inputs()) {
            var partition = new TopicPartition(position.topic(), position.partition());
            if (!position.topicId().equals(topicIds.get(position.topic()))) {
                throw new Fatal(
                        "topic %s is not the one that round %d read: it was deleted and made again"
                                .formatted(position.topic(), last.round()));
            }
            boolean cut =
                    position.offset() < next.getOrDefault(partition, 0L) && !compacted(partition);
            if (cut || position.offset() > ends.getOrDefault(partition, 0L)) {
                throw new Fatal(
                        "round %d stopped at offset %d of %s, which is not in the log any more (%d to %d)"
                                .formatted(
                                        last.round(),
                                        position.offset(),
                                        partition,
                                        next.get(partition),
                                        ends.get(partition)));
            }
            next.put(partition, position.offset());
        }
        return next;
    }

    private static boolean compacted(TopicPartition partition) {
        return CellLog.INPUTS.stream()
                .anyMatch(topic ->
                        topic.name().equals(partition.topic())
                                && topic.cleanup() == Topic.Cleanup.COMPACT);
    }

    /// Reads what the tables among the inputs said below the last round's offsets: configuration,
    /// fair shares, and rankings that wait for their job.
    private void readTables(Consumer<byte[], byte[]> consumer, Map<TopicPartition, Long> next) {
        readTable(
                consumer,
                next,
                CellLog.CONFIG,
                entry ->
                        configuration
                                .add(entry)
                                .ifPresent(it -> state.replay(new Fact.ConfigurationTaken(it))));
        readTable(
                consumer,
                next,
                CellLog.FAIR_SHARES,
                shares -> state.replay(new Fact.FairSharesTaken(shares)));
        readTable(consumer, next, CellLog.RANKINGS, this::keepIfEarly);
    }

    private void keepIfEarly(Ranked ranked) {
        if (state.job(ranked.job()).isEmpty()) {
            state.replay(new Fact.RankKept(ranked.job(), ranked.rank()));
        }
    }

    private <E> void readTable(
            Consumer<byte[], byte[]> consumer,
            Map<TopicPartition, Long> next,
            Events<E> events,
            java.util.function.Consumer<E> replay) {
        TopicPartition partition = log.partition(events.topic());
        consumer.assign(List.of(partition));
        consumer.seekToBeginning(List.of(partition));
        LogReader.readTo(
                consumer,
                Map.of(partition, next.getOrDefault(partition, 0L)),
                record -> {
                    if (record.value() != null) {
                        replay.accept(decode(events, record));
                    }
                });
    }
}
