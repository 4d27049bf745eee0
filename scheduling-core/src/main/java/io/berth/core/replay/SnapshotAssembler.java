package io.berth.core.replay;

import io.berth.contracts.event.SnapshotEvent;
import io.berth.contracts.event.SnapshotEvent.Complete;
import io.berth.contracts.event.SnapshotEvent.Held;
import io.berth.contracts.json.EventCodec.CorruptEvent;
import io.berth.contracts.json.EventCodec.UnknownEventType;
import io.berth.core.state.CellState;
import java.util.Optional;

/// Puts the records of the `snapshots` topic together. One that was not written to its end, or that
/// another writer broke into, is left out.
public final class SnapshotAssembler {

    private CellState state = new CellState();
    private Recordings recordings = new Recordings();
    private long round;
    private int records;
    private boolean broken = true;

    /// A cell as a round left it.
    ///
    /// @param at the round's time, epoch milliseconds
    public record Snapshot(long round, long at, CellState state) {}

    /// Takes the next record of the topic; the snapshot that it ends.
    ///
    /// @throws UnknownEventType if a newer version wrote it
    public Optional<Snapshot> add(SnapshotEvent event) throws UnknownEventType, CorruptEvent {
        return switch (event) {
            case Held held -> {
                hold(held);
                yield Optional.empty();
            }
            case Complete complete -> complete(complete);
        };
    }

    private void hold(Held held) throws UnknownEventType, CorruptEvent {
        if (held.number() == 0) {
            begin(held.round());
        }
        broken |= held.round() != round || held.number() != records;
        if (!broken) {
            recordings.fact(held.part()).ifPresent(state::replay);
            records++;
        }
    }

    private void begin(long number) {
        state = new CellState();
        recordings = new Recordings();
        round = number;
        records = 0;
        broken = false;
    }

    private Optional<Snapshot> complete(Complete complete) {
        boolean empty = complete.parts() == 0;
        if (empty) {
            begin(complete.round());
        }
        boolean whole = !broken && complete.round() == round && complete.parts() == records;
        broken = true;
        if (!whole) {
            return Optional.empty();
        }
        state.seenUpTo(complete.highestJob());
        return Optional.of(new Snapshot(complete.round(), complete.at(), state));
    }
}
