package io.berth.core.packing;

import java.util.Arrays;

/// What is free on one node: a mutable vector, confined to who packs.
public final class FreeNode {

    final int gpuType;
    final int[] gpus;
    int cpus;
    long memoryMib;

    /// Which kinds of GPU demand were placed here so far, bit by bit: bit 0 for a share of a GPU,
    /// bit n for n whole GPUs.
    long kinds;

    /// @param cpus thousandths of a CPU
    /// @param gpuType its place among the cluster's types, 0..62
    /// @param gpuMilli free thousandths of each GPU, at most 63 GPUs
    public FreeNode(int cpus, long memoryMib, int gpuType, int[] gpuMilli) {
        if (gpuMilli.length >= Long.SIZE || gpuType < 0 || gpuType >= Long.SIZE - 1) {
            throw new IllegalArgumentException(
                    gpuMilli.length
                            + " GPUs of type "
                            + gpuType
                            + " on a node; 63 of each are possible");
        }
        this.cpus = cpus;
        this.memoryMib = memoryMib;
        this.gpuType = gpuType;
        this.gpus = gpuMilli.clone();
    }

    FreeNode copy() {
        var copy = new FreeNode(cpus, memoryMib, gpuType, gpus);
        copy.kinds = kinds;
        return copy;
    }

    public boolean fits(Shape shape) {
        return shape.cpus() <= cpus
                && shape.memoryMib() <= memoryMib
                && shape.admits(gpuType)
                && (shape.gpus() == 0 || gpusWith(shape.gpuMilli()) >= shape.gpus());
    }

    /// How many GPUs have at least that much free.
    int gpusWith(int milli) {
        int count = 0;
        for (int free : gpus) {
            if (free >= milli) {
                count++;
            }
        }
        return count;
    }

    /// Free thousandths of all GPUs in sum.
    public long freeGpuMilli() {
        long sum = 0;
        for (int free : gpus) {
            sum += free;
        }
        return sum;
    }

    /// What is free on the GPUs that have at least that much free.
    long freeGpuMilliWhere(int milli) {
        long sum = 0;
        for (int free : gpus) {
            if (free >= milli) {
                sum += free;
            }
        }
        return sum;
    }

    boolean isEmpty() {
        for (int free : gpus) {
            if (free < Shape.WHOLE) {
                return false;
            }
        }
        return true;
    }

    /// Takes the shape's demand, a share of each GPU whose bit is set.
    public void take(Shape shape, long chosen) {
        cpus -= shape.cpus();
        memoryMib -= shape.memoryMib();
        for (long rest = chosen; rest != 0; rest &= rest - 1) {
            gpus[Long.numberOfTrailingZeros(rest)] -= shape.gpuMilli();
        }
    }

    /// Gives back what [#take] took.
    public void give(Shape shape, long chosen) {
        cpus += shape.cpus();
        memoryMib += shape.memoryMib();
        for (long rest = chosen; rest != 0; rest &= rest - 1) {
            gpus[Long.numberOfTrailingZeros(rest)] += shape.gpuMilli();
        }
    }

    /// The first GPUs with room, as bits. The shape must fit.
    long firstGpus(Shape shape) {
        long chosen = 0;
        int missing = shape.gpus();
        for (int gpu = 0; missing > 0; gpu++) {
            if (gpus[gpu] >= shape.gpuMilli()) {
                chosen |= 1L << gpu;
                missing--;
            }
        }
        return chosen;
    }

    /// The GPUs with room that have the least free, the first of equals, as bits. The shape must
    /// fit.
    long tightestGpus(Shape shape) {
        long chosen = 0;
        for (int missing = shape.gpus(); missing > 0; missing--) {
            int best = -1;
            for (int gpu = 0; gpu < gpus.length; gpu++) {
                if (gpus[gpu] >= shape.gpuMilli()
                        && (chosen >> gpu & 1) == 0
                        && (best < 0 || gpus[gpu] < gpus[best])) {
                    best = gpu;
                }
            }
            chosen |= 1L << best;
        }
        return chosen;
    }

    @Override
    public String toString() {
        return cpus + "m CPUs, " + memoryMib + " MiB, GPUs " + Arrays.toString(gpus);
    }
}
