package io.berth.contracts;

import org.jspecify.annotations.Nullable;

/// What the processes of a step have used on one node up to a moment, by the kernel's count.
///
/// @param number the step's
/// @param tasks of the step on the node
/// @param cpuMillis CPU time in milliseconds
/// @param maxMemoryMib the peak of memory in MiB
/// @param name of its program, or what `--job-name` gave it; null if it was not told
/// @param beganAt epoch milliseconds of the node's clock; null if it was not told
/// @param each what its tasks used one by one; null if that is not counted
public record StepUsage(
        int number,
        int tasks,
        long cpuMillis,
        long maxMemoryMib,
        @Nullable String name,
        @Nullable Long beganAt,
        @Nullable TasksUsage each) {

    /// Of whose tasks nothing is known.
    public StepUsage(
            int number,
            int tasks,
            long cpuMillis,
            long maxMemoryMib,
            @Nullable String name,
            @Nullable Long beganAt) {
        this(number, tasks, cpuMillis, maxMemoryMib, name, beganAt, null);
    }
}
