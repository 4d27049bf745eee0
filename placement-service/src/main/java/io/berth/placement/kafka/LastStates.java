package io.berth.placement.kafka;

import io.berth.contracts.event.CellStatus;
import io.berth.contracts.event.JobStatus;
import io.berth.contracts.event.NodeStatus;
import io.berth.contracts.json.EventCodec.CorruptEvent;
import io.berth.contracts.json.EventCodec.UnknownEventType;
import io.berth.contracts.topic.Topics;
import io.berth.core.state.CellState;
import io.berth.core.state.Fact;
import io.berth.log.Events;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The last record of each job, of each node and of the cell, as far as they were read, with their
/// digest.
///
/// Records are read as they come and understood in [#settle]: of many records of one job in a log
/// that is not compacted, only the last one is.
final class LastStates {

    private static final Logger LOG = LoggerFactory.getLogger(LastStates.class);

    private final int cellNumber;
    private final SequencedMap<String, JobStatus> jobs = new LinkedHashMap<>();
    private final SequencedMap<String, NodeStatus> nodes = new LinkedHashMap<>();
    private final SequencedMap<String, ConsumerRecord<byte[], byte[]>> unsettled =
            new LinkedHashMap<>();
    private final StateDigest digest = new StateDigest();

    /// What is not understood, by the record that says it, as long as that is the last one.
    private final SequencedMap<String, String> unknown = new LinkedHashMap<>();

    private CellStatus cell;

    LastStates(int cellNumber) {
        this.cellNumber = cellNumber;
        this.cell = new CellStatus(cellNumber, 0, 0, List.of(), 0, 0, digest.toString());
    }

    void add(ConsumerRecord<byte[], byte[]> record) {
        String name = record.topic() + "/" + key(record);
        unsettled.remove(name);
        unsettled.put(name, record);
    }

    /// Understands what was read since the last time, on all processors; the cell's last round.
    ///
    /// @throws Fatal if a record cannot be understood
    CellStatus settle() {
        unsettled.values().parallelStream()
                .map(LastStates::understood)
                .toList()
                .forEach(this::take);
        unsettled.clear();
        return cell;
    }

    /// A record whose author knew more than this version, and what it has that is not known here.
    /// Who wrote it anew would lose that.
    Optional<String> unknown() {
        return unknown.values().stream().findFirst();
    }

    /// How many records wait to be understood.
    int unsettled() {
        return unsettled.size();
    }

    /// The state that all this makes: to be called once, when all three topics were read to the
    /// same round. What was read is let go of, but for its digest.
    ///
    /// @throws Outdated if a newer version wrote some of it
    /// @throws Fatal if it is not what the last round wrote, as far as that can be compared
    CellState rebuild() {
        unknown()
                .ifPresent(it -> {
                    throw new Outdated(it);
                });
        if (!StateDigest.comparable(cell.digest())) {
            LOG.atWarn()
                    .addKeyValue("cell", cell.cell())
                    .addKeyValue("round", cell.round())
                    .log(
                            "The state is not compared: a version before wrote its digest another way");
        } else if (!cell.digest().equals(digest.toString())) {
            throw new Fatal(
                    "the state of cell %d rebuilt from its topics has digest %s, but round %d wrote %s: it is not led"
                            .formatted(cellNumber, digest, cell.round(), cell.digest()));
        }
        var state = new CellState();
        nodes.values().forEach(status -> state.replay(new Fact.NodeChanged(status)));
        jobs.values().forEach(status -> state.replay(new Fact.JobChanged(status)));
        state.seenUpTo(cell.highestJob());
        nodes.clear();
        jobs.clear();
        return state;
    }

    StateDigest digest() {
        return digest;
    }

    /// A record that was understood.
    ///
    /// @param event null if it is a tombstone, or unknown
    /// @param unknown what a newer version wrote; null if nothing
    /// @param digest its part in the digest
    private record Understood(
            String topic,
            String key,
            @Nullable Object event,
            @Nullable String unknown,
            long digest) {}

    private static Understood understood(ConsumerRecord<byte[], byte[]> record) {
        String topic = record.topic();
        String key = key(record);
        Events<?> events =
                topic.equals(Topics.JOB_STATES.name())
                        ? CellLog.JOB_STATES
                        : topic.equals(Topics.NODE_STATES.name())
                                ? CellLog.NODE_STATES
                                : CellLog.CELL_STATES;
        Object event = null;
        String unknown = null;
        try {
            event = record.value() == null ? null : events.event(record);
        } catch (UnknownEventType e) {
            unknown = "%s, key %s: %s".formatted(topic, key, e.getMessage());
        } catch (CorruptEvent e) {
            throw new Fatal(
                    "%s, offset %d: %s".formatted(topic, record.offset(), e.getMessage()), e);
        }
        return new Understood(
                topic, key, event, unknown, StateDigest.part(topic, key, record.value()));
    }

    private void take(Understood it) {
        put(unknown, it.topic() + "/" + it.key(), it.unknown());
        if (it.topic().equals(Topics.CELL_STATES.name())) {
            cell = it.event() instanceof CellStatus status ? status : cell;
            return;
        }
        digest.put(it.topic(), it.key(), it.digest());
        if (it.topic().equals(Topics.JOB_STATES.name())) {
            put(jobs, it.key(), (JobStatus) it.event());
        } else {
            put(nodes, it.key(), (NodeStatus) it.event());
        }
    }

    private static <E> void put(Map<String, E> last, String key, @Nullable E it) {
        last.remove(key);
        if (it != null) {
            last.put(key, it);
        }
    }

    private static String key(ConsumerRecord<byte[], byte[]> record) {
        return new String(record.key(), StandardCharsets.UTF_8);
    }
}
