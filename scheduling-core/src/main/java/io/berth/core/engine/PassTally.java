package io.berth.core.engine;

/// What a pass did, for those who watch the cell. Nothing is decided by it.
///
/// @param tried how often a job was looked for room for: the depth to which the pass went
/// @param backfilled jobs that started while another one of their partition, which stands before
///   them, kept its expected start
/// @param planned jobs that have an expected start after it; of a set one for all
public record PassTally(int tried, int backfilled, int planned) {

    /// Before the first pass.
    public static final PassTally NONE = new PassTally(0, 0, 0);
}
