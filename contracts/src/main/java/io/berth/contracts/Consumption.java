package io.berth.contracts;

import org.jspecify.annotations.Nullable;

/// What the processes of a run used, by the kernel's count.
///
/// @param cpuMillis CPU time in milliseconds
/// @param maxMemoryMib the peak of memory in MiB; of several nodes the highest
/// @param readMib read from block devices, in MiB; null if it was not counted
/// @param writtenMib written to block devices, in MiB; null if it was not counted
/// @param gpu what its GPUs did; null if they were not measured
public record Consumption(
        long cpuMillis,
        long maxMemoryMib,
        @Nullable Long readMib,
        @Nullable Long writtenMib,
        @Nullable GpuConsumption gpu) {

    public static final Consumption NONE = new Consumption(0, 0);

    public Consumption(long cpuMillis, long maxMemoryMib) {
        this(cpuMillis, maxMemoryMib, null, null);
    }

    public Consumption(
            long cpuMillis, long maxMemoryMib, @Nullable Long readMib, @Nullable Long writtenMib) {
        this(cpuMillis, maxMemoryMib, readMib, writtenMib, null);
    }

    /// The same processes, with what their GPUs did.
    public Consumption with(GpuConsumption gpus) {
        return new Consumption(cpuMillis, maxMemoryMib, readMib, writtenMib, gpus);
    }

    /// That of both, on different nodes.
    public Consumption and(Consumption other) {
        return new Consumption(
                Math.addExact(cpuMillis, other.cpuMillis),
                Math.max(maxMemoryMib, other.maxMemoryMib),
                sum(readMib, other.readMib),
                sum(writtenMib, other.writtenMib),
                gpu == null || other.gpu == null ? first(gpu, other.gpu) : gpu.and(other.gpu));
    }

    static @Nullable Long sum(@Nullable Long one, @Nullable Long other) {
        if (one == null || other == null) {
            return first(one, other);
        }
        return Math.addExact(one, other);
    }

    /// The one that there is.
    static <T> @Nullable T first(@Nullable T one, @Nullable T other) {
        return one == null ? other : one;
    }
}
