package io.berth.simulator.replay;

import io.berth.contracts.event.RoundEvent;
import io.berth.contracts.event.SnapshotEvent;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Predicate;

/// What a cell has kept of its rounds.
public interface RecordedCell {

    /// All records of the `snapshots` topic, oldest first.
    void snapshots(Consumer<SnapshotEvent> reader);

    /// All records of the `rounds` topic, oldest first, until the reader has enough.
    ///
    /// @param reader false has enough
    void rounds(Predicate<RoundEvent> reader);

    /// All records of the `rounds` topic, oldest first, and those that come, until the reader has
    /// enough.
    ///
    /// @param pause is asked again and again once all that there were have been read; false ends it
    void follow(Predicate<RoundEvent> reader, BooleanSupplier pause);
}
