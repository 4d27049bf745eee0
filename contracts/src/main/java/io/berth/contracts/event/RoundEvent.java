package io.berth.contracts.event;

import org.jspecify.annotations.Nullable;

/// What placement did in one round, for those who do it again: first what it took in, in the order
/// in which it was applied, then one [Decided]. Written with the round's facts, in the same
/// transaction; rounds that decided nothing are not written.
public sealed interface RoundEvent {

    int cell();

    /// The round's number, as in [CellStatus#round].
    long round();

    /// An input.
    ///
    /// @param number in the round, from 0
    record Took(int cell, long round, int number, Recorded input) implements RoundEvent {}

    /// The end of a round.
    ///
    /// @param at the round's time, epoch milliseconds
    /// @param inputs how many were taken in
    /// @param pass `START` or `PLAN`; null if nothing was to be placed
    /// @param backfill `OFF`, `EASY` or `CONSERVATIVE`
    /// @param depth how many jobs have an expected start at most
    /// @param version of placement
    /// @param digest checksum of all that was decided, in hexadecimal digits
    record Decided(
            int cell,
            long round,
            long at,
            int inputs,
            @Nullable String pass,
            String backfill,
            int depth,
            String version,
            String digest)
            implements RoundEvent {

        /// The same with so many inputs and that digest.
        public Decided digested(int taken, String decisions) {
            return new Decided(cell, round, at, taken, pass, backfill, depth, version, decisions);
        }
    }
}
