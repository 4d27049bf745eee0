package io.berth.core.engine;

/// Who gives way first, of runs that rank alike.
public enum VictimOrder {
    /// Those who lose the least GPU time together; without GPUs, the least CPU time.
    LEAST_LOST,
    /// Those who began last: Slurm's `youngest_first`.
    YOUNGEST_FIRST
}
