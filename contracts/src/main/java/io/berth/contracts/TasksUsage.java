package io.berth.contracts;

import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// What the tasks of a step used on one node, each counted for itself by the kernel.
///
/// @param tasks that were counted
/// @param cpuMillis CPU time of all together, in milliseconds
/// @param memoryMib the sum of the peaks of their memory, in MiB
/// @param readMib read from block devices by all together, in MiB; null if it was not counted
/// @param writtenMib the same of what was written
/// @param leastCpu the task with the least CPU time, in milliseconds
/// @param mostMemory the task with the highest peak of memory, in MiB
/// @param mostRead the task that read most, in MiB; null if it was not counted
/// @param mostWritten the same of what was written
public record TasksUsage(
        int tasks,
        long cpuMillis,
        long memoryMib,
        @Nullable Long readMib,
        @Nullable Long writtenMib,
        OfTask leastCpu,
        OfTask mostMemory,
        @Nullable OfTask mostRead,
        @Nullable OfTask mostWritten) {

    private static final Comparator<OfTask> BY_AMOUNT = Comparator.comparingLong(OfTask::amount);

    /// @param rank of the task in its step
    public record OfTask(int rank, long amount) {}

    /// Of some tasks by their ranks, at least one. Of equals the first is named.
    public static TasksUsage of(Map<Integer, Consumption> each) {
        List<OfTask> cpu = amounts(each, Consumption::cpuMillis);
        List<OfTask> memory = amounts(each, Consumption::maxMemoryMib);
        List<OfTask> read = amounts(each, Consumption::readMib);
        List<OfTask> written = amounts(each, Consumption::writtenMib);
        return new TasksUsage(
                each.size(),
                sum(cpu),
                sum(memory),
                read.isEmpty() ? null : Long.valueOf(sum(read)),
                written.isEmpty() ? null : Long.valueOf(sum(written)),
                cpu.stream().min(BY_AMOUNT).orElseThrow(),
                memory.stream().max(BY_AMOUNT).orElseThrow(),
                read.stream().max(BY_AMOUNT).orElse(null),
                written.stream().max(BY_AMOUNT).orElse(null));
    }

    /// What is counted of a task.
    @FunctionalInterface
    private interface Count {
        @Nullable Long of(Consumption used);
    }

    private static List<OfTask> amounts(Map<Integer, Consumption> each, Count count) {
        return each.entrySet().stream()
                .sorted(Map.Entry.comparingByKey())
                .<OfTask>mapMulti((task, found) -> {
                    Long amount = count.of(task.getValue());
                    if (amount != null) {
                        found.accept(new OfTask(task.getKey(), amount));
                    }
                })
                .toList();
    }

    private static long sum(List<OfTask> amounts) {
        return amounts.stream().mapToLong(OfTask::amount).sum();
    }
}
