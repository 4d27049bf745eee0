package io.berth.contracts;

import org.jspecify.annotations.Nullable;

/// A step of a run: tasks that `srun` started in its script, on the script's node. Times are the
/// node's clock in epoch milliseconds, within the run's.
///
/// @param number from 0, in the order of their starts
/// @param name of its program, or what `--job-name` gave it
/// @param cpus that its tasks could use
/// @param gpus that its tasks could see
/// @param exit the highest of its tasks'; null if it was ended with its run, or with its srun
/// @param cpuMillis CPU time of its tasks and of its srun, in milliseconds; null if it was not
///   counted
/// @param maxMemoryMib the peak of their memory in MiB; null if it was not counted
/// @param outOfMemory whether the kernel killed one of them for want of memory; null is not
/// @param each what its tasks used one by one; null if that was not counted
public record Step(
        int number,
        String name,
        int tasks,
        int cpus,
        int gpus,
        long beganAt,
        long endedAt,
        @Nullable ExitStatus exit,
        @Nullable Long cpuMillis,
        @Nullable Long maxMemoryMib,
        @Nullable Boolean outOfMemory,
        @Nullable TasksUsage each) {

    /// Of which no more was counted.
    public Step(
            int number,
            String name,
            int tasks,
            int cpus,
            int gpus,
            long beganAt,
            long endedAt,
            @Nullable ExitStatus exit,
            @Nullable Long cpuMillis) {
        this(number, name, tasks, cpus, gpus, beganAt, endedAt, exit, cpuMillis, null, null, null);
    }

    /// The same by the kernel's count.
    public Step counted(long cpu, long memoryMib, boolean killed, @Nullable TasksUsage ofTasks) {
        return new Step(
                number,
                name,
                tasks,
                cpus,
                gpus,
                beganAt,
                endedAt,
                exit,
                cpu,
                memoryMib,
                killed ? true : null,
                ofTasks);
    }
}
