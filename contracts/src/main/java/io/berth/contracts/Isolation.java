package io.berth.contracts;

/// A part of a run's isolation that the agent has set and checked.
public enum Isolation {
    /// The run cannot open GPUs that it does not hold.
    DEVICES,
    /// The run is bound to its CPUs.
    CPUSET,
    /// The run cannot use more than its memory.
    MEMORY
}
