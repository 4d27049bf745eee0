package io.berth.contracts;

/// What the processes of a step have used on one node up to a moment, by the kernel's count.
///
/// @param number the step's
/// @param tasks of the step on the node
/// @param cpuMillis CPU time in milliseconds
/// @param maxMemoryMib the peak of memory in MiB
public record StepUsage(int number, int tasks, long cpuMillis, long maxMemoryMib) {}
