package io.berth.accounting.http;

import io.berth.accounting.db.PeriodCapacity;
import io.berth.accounting.db.PeriodUsage;
import io.berth.contracts.Tres;
import java.util.List;
import java.util.function.ToLongFunction;

/// What became of the cluster's resources in a time, in resources × seconds.
///
/// @param start and
/// @param end bound the time, in epoch milliseconds
public record UtilizationView(long start, long end, List<Row> resources) {

    /// One resource.
    ///
    /// @param allocated what runs held
    /// @param down what nodes had that were down or drained
    /// @param idle the rest
    /// @param reported all that nodes had
    public record Row(String resource, long allocated, long down, long idle, long reported) {}

    static UtilizationView of(
            long start, long end, List<PeriodUsage> usage, List<PeriodCapacity> capacity) {
        return new UtilizationView(
                start,
                end,
                List.of(
                        row(
                                Tres.CPU,
                                usage,
                                PeriodUsage::cpuSeconds,
                                capacity,
                                PeriodCapacity::cpuSeconds),
                        row(
                                Tres.MEMORY,
                                usage,
                                PeriodUsage::memoryMibSeconds,
                                capacity,
                                PeriodCapacity::memoryMibSeconds),
                        row(
                                Tres.GPU,
                                usage,
                                PeriodUsage::gpuSeconds,
                                capacity,
                                PeriodCapacity::gpuSeconds),
                        row(
                                Tres.NODE,
                                usage,
                                PeriodUsage::nodeSeconds,
                                capacity,
                                PeriodCapacity::nodeSeconds)));
    }

    private static Row row(
            String resource,
            List<PeriodUsage> usage,
            ToLongFunction<PeriodUsage> used,
            List<PeriodCapacity> capacity,
            ToLongFunction<PeriodCapacity> had) {
        long allocated = usage.stream().mapToLong(used).sum();
        long down = capacity.stream().filter(it -> !it.up()).mapToLong(had).sum();
        long reported = capacity.stream().mapToLong(had).sum();
        return new Row(
                resource, allocated, down, Math.max(0, reported - down - allocated), reported);
    }
}
