package io.berth.agent.group;

import java.util.OptionalInt;

/// How much memory and swap groups let those take who were given some memory.
///
/// Source: cgroup.conf(5), AllowedRAMSpace, AllowedSwapSpace, MaxRAMPercent, MaxSwapPercent,
/// MemorySwappiness.
///
/// @param ramPercent of the memory given, that may be RAM
/// @param swapPercent of the memory given, that may be swap besides
/// @param mostRam in bytes, whatever was given
/// @param mostSwap in bytes
/// @param swappiness as the kernel has it for groups of version 1; none is the machine's own
public record MemoryRule(
        double ramPercent,
        double swapPercent,
        long mostRam,
        long mostSwap,
        OptionalInt swappiness) {

    /// As much RAM as was given, and no swap.
    public static final MemoryRule AS_GIVEN =
            new MemoryRule(100, 0, Long.MAX_VALUE, Long.MAX_VALUE, OptionalInt.empty());

    private static final double HUNDRED = 100;
    private static final long MIB = 1L << 20;

    /// What is allowed.
    ///
    /// @param ram in bytes
    /// @param swap in bytes
    /// @param high in bytes: who takes more than that, and less than `ram`, is slowed down and made
    ///   to give back; as much as `ram` where that is no more than was given
    record Allowed(long ram, long swap, long high) {
        long both() {
            return Math.addExact(ram, swap);
        }
    }

    /// Of so many bytes, in whole MiB, as kernels count in pages.
    Allowed of(long given) {
        long ram = Math.max(MIB, Math.min(mostRam, part(given, ramPercent)) / MIB * MIB);
        long swap = Math.min(mostSwap, part(given, swapPercent)) / MIB * MIB;
        return new Allowed(ram, swap, Math.min(ram, given));
    }

    private static long part(long given, double percent) {
        return percent == HUNDRED ? given : (long) (given / HUNDRED * percent);
    }
}
