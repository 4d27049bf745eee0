package io.berth.contracts;

import org.jspecify.annotations.Nullable;

/// What the GPUs of a run did while its code ran, as their driver tells. A null was not measured.
///
/// @param gpus how many the run held
/// @param usePercent the share of the time in which they worked, the mean of all
/// @param maxMemoryMib the peak of memory in use on one of them, in MiB
/// @param millijoules energy that all of them took
public record GpuConsumption(
        int gpus,
        @Nullable Integer usePercent,
        @Nullable Long maxMemoryMib,
        @Nullable Long millijoules) {

    /// That of both, on different nodes.
    public GpuConsumption and(GpuConsumption other) {
        return new GpuConsumption(
                Math.addExact(gpus, other.gpus),
                mean(other),
                maxMemoryMib == null || other.maxMemoryMib == null
                        ? Consumption.first(maxMemoryMib, other.maxMemoryMib)
                        : Long.valueOf(Math.max(maxMemoryMib, other.maxMemoryMib)),
                Consumption.sum(millijoules, other.millijoules));
    }

    private @Nullable Integer mean(GpuConsumption other) {
        if (usePercent == null || other.usePercent == null) {
            return Consumption.first(usePercent, other.usePercent);
        }
        long all = (long) usePercent * gpus + (long) other.usePercent * other.gpus;
        return Math.round((float) all / (gpus + other.gpus));
    }
}
