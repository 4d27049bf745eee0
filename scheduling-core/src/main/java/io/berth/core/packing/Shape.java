package io.berth.core.packing;

/// What one job wants of one node.
///
/// @param cpus thousandths of a CPU
/// @param gpus how many GPUs; 0 for a job without
/// @param gpuMilli thousandths of each of them, 1..1000; 0 without GPUs
/// @param gpuTypes allowed GPU types, bit by bit; -1 allows all
/// @param typed whether it asks for a type, where others would take any
public record Shape(
        int cpus, long memoryMib, int gpus, int gpuMilli, long gpuTypes, boolean typed) {

    /// Thousandths of a whole GPU.
    public static final int WHOLE = 1000;

    public Shape {
        if (cpus < 0 || memoryMib < 0 || gpus < 0) {
            throw new IllegalArgumentException("a shape with less than nothing");
        }
        if (gpus == 0 ? gpuMilli != 0 : gpuMilli < 1 || gpuMilli > WHOLE) {
            throw new IllegalArgumentException(
                    gpus + " GPUs of " + gpuMilli + " thousandths each; 1 to 1000 are possible");
        }
    }

    /// One that asks for a type unless it allows all.
    public Shape(int cpus, long memoryMib, int gpus, int gpuMilli, long gpuTypes) {
        this(cpus, memoryMib, gpus, gpuMilli, gpuTypes, gpuTypes != -1);
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
