package io.berth.contracts.event;

import io.berth.contracts.LogPosition;
import java.util.List;

/// Where placement stands in one cell: written with the facts of each round, in the same
/// transaction.
///
/// @param cellTime the round's time in epoch milliseconds; never goes back
/// @param inputs the next record of every input partition
/// @param highestJob the highest job id seen; 0 before the first
/// @param configRevision the configuration in force; 0 before the first
/// @param digest of all job and node records: what is rebuilt from them must have the same
public record CellStatus(
        int cell,
        long round,
        long cellTime,
        List<LogPosition> inputs,
        long highestJob,
        long configRevision,
        String digest) {

    public CellStatus {
        inputs = List.copyOf(inputs);
    }
}
