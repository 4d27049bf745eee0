package io.berth.placement.kafka;

import io.berth.contracts.LogPosition;
import io.berth.contracts.NodeName;
import io.berth.contracts.event.CellStatus;
import io.berth.contracts.topic.Topic;
import io.berth.contracts.topic.Topics;
import io.berth.core.state.CellState;
import io.berth.log.LogClients;
import io.berth.log.TopicDeclarations;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.function.BooleanSupplier;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.InterruptException;
import org.jspecify.annotations.Nullable;

/// One who follows a cell and can take it over: reads its state topics, and the tables among its
/// inputs, as they are written.
public final class Standby implements AutoCloseable {

    private static final Duration POLL = Duration.ofMillis(100);

    /// How long who takes over may wait for the tables, behind a fetch of states alone.
    private static final Duration ANSWERED = Duration.ofSeconds(1);

    /// Records that are kept as they are: of the state, until it is known whether later ones of the
    /// same jobs follow; of the tables, until a round uses them up. A backlog of them all would not
    /// fit into memory.
    private static final int MOST_RECORDS = 2_000;

    private static final List<Topic<?>> STATES =
            List.of(Topics.JOB_STATES, Topics.NODE_STATES, Topics.CELL_STATES);

    private final LogClients clients;
    private final CellLog log;
    private final int most;

    /// Asks where the log ends: over the consumer's connection an answer would wait behind a fetch
    /// that waits for what comes.
    private final Admin admin;

    private final Map<String, String> topicIds;
    private final Consumer<byte[], byte[]> consumer;
    private final List<TopicPartition> statePartitions;
    private final List<TopicPartition> tablePartitions;
    private final Set<String> stateTopics = new HashSet<>();
    private final LastStates states;
    private final LastTables tables = new LastTables();
    private Map<TopicPartition, Long> firstEnds = Map.of();
    private boolean caughtUp;

    /// Waits until all topics that a cell needs are there, and begins to read them.
    public Standby(LogClients clients, CellLog log) {
        this(clients, log, MOST_RECORDS);
    }

    /// @param most records that are kept as they are, of the state and of the tables each
    public Standby(LogClients clients, CellLog log, int most) {
        this.clients = clients;
        this.log = log;
        this.most = most;
        this.states = new LastStates(log.cell());
        this.admin = clients.admin();
        this.topicIds = topicIds();
        this.statePartitions = STATES.stream().map(log::partition).toList();
        STATES.forEach(topic -> stateTopics.add(topic.name()));
        this.consumer = clients.follower(ANSWERED);
        this.tablePartitions = LastTables.TOPICS.stream().map(log::partition).toList();
        var followed = new ArrayList<>(statePartitions);
        followed.addAll(tablePartitions);
        consumer.assign(followed);
        consumer.seekToBeginning(followed);
    }

    /// Reads on; returns when something was read, or after that time. Whether something was.
    ///
    /// @throws Fatal if a record cannot be understood
    public boolean follow(Duration timeout) {
        if (firstEnds.isEmpty()) {
            firstEnds = ends(statePartitions, OffsetSpec.latest());
        }
        if (tables.ahead() < most) {
            consumer.resume(tablePartitions);
        } else {
            consumer.pause(tablePartitions);
        }
        var records = consumer.poll(timeout);
        records.forEach(this::add);
        caughtUp = caughtUp || reached(firstEnds);
        if (caughtUp || records.isEmpty()) {
            settle();
        }
        return !records.isEmpty();
    }

    /// Whether everything that there was at the beginning has been read.
    public boolean caughtUp() {
        return caughtUp;
    }

    /// What a newer version wrote into the cell's state that this one does not know: as long as
    /// there is any, another instance must lead.
    public Optional<String> unknown() {
        return states.unknown();
    }

    /// Takes the cell over: fences the predecessor, reads to the end, and stands where the last
    /// round stopped. It follows no more after that.
    ///
    /// The order matters. `initTransactions` ends what the predecessor left open; only then are the
    /// ends of the state topics read. The inputs go on from the offsets in `cell-states`, which
    /// alone count.
    ///
    /// @param alive asked now and then; false means to give up
    /// @throws Outdated if a newer version wrote some of the state
    /// @throws Fatal if the log is not the one that the last round stood in, or the rebuilt state
    ///   is not the one that was written
    public Recovered takeOver(BooleanSupplier alive) {
        Producer<byte[], byte[]> producer =
                clients.transactionalProducer("berth-placement-" + log.cell());
        try {
            producer.initTransactions();
            consumer.pause(tablePartitions);
            readTo(ends(statePartitions, OffsetSpec.latest()), alive);
            CellStatus last = states.settle();
            CellState state = states.rebuild();
            Map<TopicPartition, Long> next = nextInputs(last);
            consumer.resume(tablePartitions);
            readTo(tableEnds(next), alive);
            tables.settle(next);
            tables.replayInto(state);
            close();
            return new Recovered(
                    state,
                    last,
                    new InputReader(log, inputs(next), topicIds, tables.assembler()),
                    new RoundWriter(log, producer, states.digest(), it -> sealFor(state, it)));
        } catch (RuntimeException e) {
            producer.close(Duration.ZERO);
            throw e;
        }
    }

    private static @Nullable String sealFor(CellState state, NodeName node) {
        return state.node(node).map(it -> it.seen().sealFor()).orElse(null);
    }

    /// A consumer of its own: this one's last fetch still waits for states.
    private Consumer<byte[], byte[]> inputs(Map<TopicPartition, Long> next) {
        Consumer<byte[], byte[]> inputs = clients.follower();
        inputs.assign(next.keySet());
        next.forEach(inputs::seek);
        return inputs;
    }

    @Override
    public void close() {
        consumer.close(CloseOptions.timeout(Duration.ZERO));
        admin.close(Duration.ZERO);
    }

    private void add(ConsumerRecord<byte[], byte[]> record) {
        if (stateTopics.contains(record.topic())) {
            states.add(record);
        } else {
            tables.add(record);
        }
        if (states.unsettled() >= most) {
            settle();
        }
    }

    private void settle() {
        tables.settle(positions(states.settle()));
    }

    private boolean reached(Map<TopicPartition, Long> ends) {
        return ends.entrySet().stream()
                .allMatch(end -> consumer.position(end.getKey()) >= end.getValue());
    }

    private void readTo(Map<TopicPartition, Long> ends, BooleanSupplier alive) {
        while (!reached(ends)) {
            if (!alive.getAsBoolean()) {
                throw new IllegalStateException(
                        "take over cell " + log.cell() + ": the election was lost meanwhile");
            }
            consumer.poll(POLL).forEach(this::add);
        }
    }

    private static Map<TopicPartition, Long> positions(CellStatus last) {
        var positions = new LinkedHashMap<TopicPartition, Long>();
        for (LogPosition position : last.inputs()) {
            positions.put(
                    new TopicPartition(position.topic(), position.partition()), position.offset());
        }
        return positions;
    }

    private Map<TopicPartition, Long> tableEnds(Map<TopicPartition, Long> next) {
        var ends = new LinkedHashMap<TopicPartition, Long>();
        for (Topic<?> topic : LastTables.TOPICS) {
            TopicPartition partition = log.partition(topic);
            ends.put(partition, next.getOrDefault(partition, 0L));
        }
        return ends;
    }

    private Map<String, String> topicIds() {
        var ids = new TreeMap<String, String>();
        try {
            TopicDeclarations.await(admin, CellLog.read())
                    .forEach(
                            (name, topic) -> ids.put(name, nullToZero(topic.topicId()).toString()));
            return ids;
        } catch (RuntimeException e) {
            admin.close(Duration.ZERO);
            throw e;
        }
    }

    /// @throws KafkaException if the brokers do not answer
    private Map<TopicPartition, Long> ends(Collection<TopicPartition> partitions, OffsetSpec end) {
        var asked = new LinkedHashMap<TopicPartition, OffsetSpec>();
        partitions.forEach(it -> asked.put(it, end));
        var options = new ListOffsetsOptions(IsolationLevel.READ_COMMITTED);
        var ends = new LinkedHashMap<TopicPartition, Long>();
        try {
            admin.listOffsets(asked, options)
                    .all()
                    .get()
                    .forEach((partition, found) -> ends.put(partition, found.offset()));
        } catch (ExecutionException e) {
            throw new KafkaException("where the log of cell " + log.cell() + " ends", e.getCause());
        } catch (InterruptedException e) {
            throw new InterruptException(e);
        }
        return ends;
    }

    private static Uuid nullToZero(Uuid id) {
        return id == null ? Uuid.ZERO_UUID : id;
    }

    /// Where the inputs go on: from the last round, or from the beginning of a new cell.
    private Map<TopicPartition, Long> nextInputs(CellStatus last) {
        Collection<TopicPartition> partitions = log.inputs();
        Map<TopicPartition, Long> next = ends(partitions, OffsetSpec.earliest());
        Map<TopicPartition, Long> ends = ends(partitions, OffsetSpec.latest());
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
}
