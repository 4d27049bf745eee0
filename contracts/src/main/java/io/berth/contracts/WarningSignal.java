package io.berth.contracts;

/// The signal that a run gets some time before its limit: `--signal=[B:]number@seconds`.
///
/// @param batchOnly whether only the batch script's own process gets it
public record WarningSignal(int number, long secondsBefore, boolean batchOnly) {

    /// How long before the limit if nothing is said.
    public static final long DEFAULT_SECONDS = 60;
}
