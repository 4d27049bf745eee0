package io.berth.placement.kafka;

import io.berth.contracts.event.CellStatus;
import io.berth.contracts.event.JobStatus;
import io.berth.contracts.event.NodeStatus;
import io.berth.contracts.topic.Topics;
import io.berth.core.state.CellState;
import io.berth.core.state.Fact;
import io.berth.log.Events;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/// The last record of each job, of each node and of the cell, as far as they were read, with their
/// digest.
///
/// Records are read as they come and understood in [#settle]: of many records of one job in a log
/// that is not compacted, only the last one is.
final class LastStates {

    private final int cellNumber;
    private final SequencedMap<String, JobStatus> jobs = new LinkedHashMap<>();
    private final SequencedMap<String, NodeStatus> nodes = new LinkedHashMap<>();
    private final SequencedMap<String, ConsumerRecord<byte[], byte[]>> unsettled =
            new LinkedHashMap<>();
    private final StateDigest digest = new StateDigest();
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

    /// Understands what was read since the last time; the cell's last round.
    ///
    /// @throws Fatal if a record cannot be understood
    CellStatus settle() {
        unsettled.values().forEach(this::settle);
        unsettled.clear();
        return cell;
    }

    /// The state that all this makes: to be called when all three topics were read to the same
    /// round.
    ///
    /// @throws Fatal if it is not what the last round wrote
    CellState rebuild() {
        if (!cell.digest().equals(digest.toString())) {
            throw new Fatal(
                    "the state of cell %d rebuilt from its topics has digest %s, but round %d wrote %s: it is not led"
                            .formatted(cellNumber, digest, cell.round(), cell.digest()));
        }
        var state = new CellState();
        nodes.values().forEach(status -> state.replay(new Fact.NodeChanged(status)));
        jobs.values().forEach(status -> state.replay(new Fact.JobChanged(status)));
        state.seenUpTo(cell.highestJob());
        return state;
    }

    StateDigest digest() {
        return digest;
    }

    private void settle(ConsumerRecord<byte[], byte[]> record) {
        if (record.topic().equals(Topics.CELL_STATES.name())) {
            cell = CellLog.understood(CellLog.CELL_STATES, record);
            return;
        }
        digest.put(record.topic(), key(record), record.value());
        if (record.topic().equals(Topics.JOB_STATES.name())) {
            put(jobs, record, CellLog.JOB_STATES);
        } else {
            put(nodes, record, CellLog.NODE_STATES);
        }
    }

    private static <E> void put(
            Map<String, E> states, ConsumerRecord<byte[], byte[]> record, Events<E> events) {
        String key = key(record);
        states.remove(key);
        if (record.value() != null) {
            states.put(key, CellLog.understood(events, record));
        }
    }

    private static String key(ConsumerRecord<byte[], byte[]> record) {
        return new String(record.key(), StandardCharsets.UTF_8);
    }
}
