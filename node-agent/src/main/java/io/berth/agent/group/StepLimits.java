package io.berth.agent.group;

import io.berth.contracts.IndexSet;

/// What a step may use of what its run may.
///
/// @param cpus the host's CPUs that it is bound to; empty is all of the run
/// @param memoryMib 0 is all of the run
public record StepLimits(IndexSet cpus, long memoryMib) {}
