package io.berth.contracts;

import org.jspecify.annotations.Nullable;

/// What the processes of a run used, by the kernel's count.
///
/// @param cpuMillis CPU time in milliseconds
/// @param maxMemoryMib the peak of memory in MiB; of several nodes the highest
/// @param readMib read from block devices, in MiB; null if it was not counted
/// @param writtenMib written to block devices, in MiB; null if it was not counted
public record Consumption(
        long cpuMillis, long maxMemoryMib, @Nullable Long readMib, @Nullable Long writtenMib) {

    public static final Consumption NONE = new Consumption(0, 0);

    public Consumption(long cpuMillis, long maxMemoryMib) {
        this(cpuMillis, maxMemoryMib, null, null);
    }

    /// That of both, on different nodes.
    public Consumption and(Consumption other) {
        return new Consumption(
                Math.addExact(cpuMillis, other.cpuMillis),
                Math.max(maxMemoryMib, other.maxMemoryMib),
                sum(readMib, other.readMib),
                sum(writtenMib, other.writtenMib));
    }

    private static @Nullable Long sum(@Nullable Long one, @Nullable Long other) {
        if (one == null || other == null) {
            return one == null ? other : one;
        }
        return Math.addExact(one, other);
    }
}
