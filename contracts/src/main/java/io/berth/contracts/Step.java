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
public record Step(
        int number,
        String name,
        int tasks,
        int cpus,
        int gpus,
        long beganAt,
        long endedAt,
        @Nullable ExitStatus exit,
        @Nullable Long cpuMillis) {}
