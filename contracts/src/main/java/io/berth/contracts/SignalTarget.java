package io.berth.contracts;

/// Which processes of a run get a signal.
public enum SignalTarget {
    /// All but the batch script's own process.
    STEPS,
    /// The batch script's own process alone.
    BATCH,
    /// All.
    ALL
}
