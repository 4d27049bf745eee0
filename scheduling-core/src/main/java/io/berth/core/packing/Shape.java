package io.berth.core.packing;

import java.util.List;

/// What one job wants of one node.
///
/// @param cpus thousandths of a CPU
/// @param gpus how many GPUs, of all types; 0 for a job without
/// @param gpuMilli thousandths of each of them, 1..1000; 0 without GPUs
/// @param gpuTypes allowed GPU types, bit by bit; -1 allows all
/// @param typed whether it asks for a type, where others would take any
/// @param each how many of the GPUs are of which types, if it wants some of one and some of
///   another: all are of one type each, and of no other's; empty for GPUs that are all of one type
public record Shape(
        int cpus,
        long memoryMib,
        int gpus,
        int gpuMilli,
        long gpuTypes,
        boolean typed,
        List<OfType> each) {

    /// Thousandths of a whole GPU.
    public static final int WHOLE = 1000;

    /// Some of the GPUs.
    ///
    /// @param gpus how many, all of one type
    /// @param gpuTypes of which, bit by bit
    public record OfType(int gpus, long gpuTypes) {}

    public Shape {
        if (cpus < 0 || memoryMib < 0 || gpus < 0) {
            throw new IllegalArgumentException("a shape with less than nothing");
        }
        if (gpus == 0 ? gpuMilli != 0 : gpuMilli < 1 || gpuMilli > WHOLE) {
            throw new IllegalArgumentException(
                    gpus + " GPUs of " + gpuMilli + " thousandths each; 1 to 1000 are possible");
        }
    }

    /// One whose GPUs are all of one type.
    public Shape(int cpus, long memoryMib, int gpus, int gpuMilli, long gpuTypes, boolean typed) {
        this(cpus, memoryMib, gpus, gpuMilli, gpuTypes, typed, List.of());
    }

    /// One that asks for a type unless it allows all.
    public Shape(int cpus, long memoryMib, int gpus, int gpuMilli, long gpuTypes) {
        this(cpus, memoryMib, gpus, gpuMilli, gpuTypes, gpuTypes != -1);
    }

    /// One that wants so many whole GPUs of each of several types.
    public static Shape ofTypes(int cpus, long memoryMib, List<OfType> each) {
        int gpus = each.stream().mapToInt(OfType::gpus).sum();
        long types = each.stream().mapToLong(OfType::gpuTypes).reduce(0, (a, b) -> a | b);
        return new Shape(cpus, memoryMib, gpus, WHOLE, types, true, List.copyOf(each));
    }

    /// Thousandths of GPUs in sum.
    public long demand() {
        return (long) gpus * gpuMilli;
    }

    /// Whether it wants GPUs that it shares with nobody.
    boolean isWhole() {
        return gpuMilli == WHOLE;
    }

    boolean admits(int gpuType) {
        return (gpuTypes >> gpuType & 1) != 0;
    }
}
