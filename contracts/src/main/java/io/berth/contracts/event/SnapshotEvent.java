package io.berth.contracts.event;

/// A cell's whole state after one round, in parts. Only with its [Complete] it is one.
public sealed interface SnapshotEvent {

    int cell();

    /// The last round that is in it.
    long round();

    /// Something that is so.
    ///
    /// @param number in the snapshot, from 0
    record Held(int cell, long round, int number, Recorded part) implements SnapshotEvent {}

    /// The end of a snapshot.
    ///
    /// @param at the round's time, epoch milliseconds
    /// @param parts how many it has
    /// @param highestJob the highest job id seen; 0 before the first
    record Complete(int cell, long round, long at, int parts, long highestJob)
            implements SnapshotEvent {}
}
