package io.berth.core.packing;

import java.util.Arrays;

/// What is free on one node: a mutable vector, confined to who packs.
public final class FreeNode {

    /// The most GPUs of a node that are told apart, and the most types of a cluster's GPUs.
    public static final int MOST = Long.SIZE - 1;

    /// The type of each GPU; those of one type stand together.
    final int[] types;

    final int[] gpus;
    int cpus;
    long memoryMib;

    /// Which kinds of GPU demand have been placed here, bit by bit: bit 0 for a share of a GPU, bit
    /// n for n whole GPUs.
    long kinds;

    /// All its types, as bits.
    final long allTypes;

    /// What tells nodes of other types apart.
    final long layout;

    private final int whole;

    /// Its place among the cluster's nodes.
    int number;

    /// @param cpus thousandths of a CPU
    /// @param gpuType its place among the cluster's types, 0..62
    /// @param gpuMilli free thousandths of each GPU, at most 63 GPUs
    public FreeNode(int cpus, long memoryMib, int gpuType, int[] gpuMilli) {
        this(cpus, memoryMib, filled(gpuMilli.length, gpuType), gpuMilli, gpuMilli.length);
    }

    /// @param cpus thousandths of a CPU
    /// @param types of each GPU, its place among the cluster's types, 0..62; those of one type
    ///   stand together
    /// @param gpuMilli free thousandths of each GPU, at most 63 GPUs
    /// @param whole how many of them, from the first one on, may be given out whole
    public FreeNode(int cpus, long memoryMib, int[] types, int[] gpuMilli, int whole) {
        if (gpuMilli.length > MOST || Arrays.stream(types).anyMatch(it -> it < 0 || it >= MOST)) {
            throw new IllegalArgumentException(
                    gpuMilli.length
                            + " GPUs of types "
                            + Arrays.toString(types)
                            + " on a node; 63 of each are possible");
        }
        this.cpus = cpus;
        this.memoryMib = memoryMib;
        this.types = types.clone();
        this.gpus = gpuMilli.clone();
        this.whole = whole;
        long all = 0;
        long tells = 0;
        for (int type : types) {
            all |= 1L << type;
            tells = Draws.mix(tells + type + 1);
        }
        this.allTypes = all;
        this.layout = tells;
    }

    private static int[] filled(int length, int value) {
        var array = new int[length];
        Arrays.fill(array, value);
        return array;
    }

    /// The same again, at that place among the cluster's nodes.
    public FreeNode copy(int at) {
        var copy = new FreeNode(cpus, memoryMib, types, gpus, whole);
        copy.kinds = kinds;
        copy.number = at;
        return copy;
    }

    /// It has that much free.
    ///
    /// @param cpusMilli thousandths of a CPU
    /// @param demands the kinds of GPU demand that are there: bit 0 for a share of a GPU, bit n for
    ///   n whole GPUs
    public void set(long cpusMilli, long mib, long demands) {
        cpus = Math.clamp(cpusMilli, 0, Integer.MAX_VALUE);
        memoryMib = mib;
        kinds = demands;
    }

    /// Of the GPUs in a row so many are free, and the others are held.
    public void set(int from, int to, long free) {
        for (int gpu = from; gpu < to; gpu++) {
            gpus[gpu] = gpu - from < free ? Shape.WHOLE : 0;
        }
    }

    /// So many thousandths of a GPU are free.
    public void set(int gpu, int milli) {
        gpus[gpu] = Math.max(0, milli);
    }

    public boolean fits(Shape shape) {
        return shape.cpus() <= cpus
                && shape.memoryMib() <= memoryMib
                && (shape.gpus() == 0
                        || (shape.each().isEmpty()
                                ? firstWithRoom(shape.gpus(), shape.gpuMilli(), shape.gpuTypes())
                                        >= 0
                                : firstGpus(shape) != 0));
    }

    /// Where the first type begins, of some types, of which enough GPUs have room; -1 if none has.
    private int firstWithRoom(int wanted, int milli, long ofTypes) {
        for (int from = 0, to; from < gpus.length; from = to) {
            to = end(from);
            int count = 0;
            boolean admitted = (ofTypes >> types[from] & 1) != 0;
            for (int gpu = from; gpu < to && admitted; gpu++) {
                count += gpus[gpu] >= milli ? 1 : 0;
            }
            if (count >= wanted) {
                return from;
            }
        }
        return -1;
    }

    /// Behind the last GPU of the type of one.
    private int end(int from) {
        int to = from + 1;
        while (to < types.length && types[to] == types[from]) {
            to++;
        }
        return to;
    }

    /// Free thousandths of all GPUs in sum.
    public long freeGpuMilli() {
        return sum(gpus.length);
    }

    /// The same of those that may be given out whole.
    long freeWholeMilli() {
        return sum(whole);
    }

    private long sum(int count) {
        long sum = 0;
        for (int gpu = 0; gpu < count; gpu++) {
            sum += gpus[gpu];
        }
        return sum;
    }

    /// What is free on the GPUs that have room for what a shape wants of one.
    long freeGpuMilliFor(Shape shape) {
        long sum = 0;
        for (int gpu = 0; gpu < gpus.length; gpu++) {
            if (gpus[gpu] >= shape.gpuMilli() && shape.admits(types[gpu])) {
                sum += gpus[gpu];
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

    /// The first GPUs with room, as bits, all of one type or so many of each; none where they are
    /// too few.
    long firstGpus(Shape shape) {
        if (shape.each().isEmpty()) {
            return firstGpus(shape.gpus(), shape.gpuMilli(), shape.gpuTypes());
        }
        long chosen = 0;
        for (Shape.OfType some : shape.each()) {
            long of = firstGpus(some.gpus(), shape.gpuMilli(), some.gpuTypes());
            if (of == 0) {
                return 0;
            }
            chosen |= of;
        }
        return chosen;
    }

    private long firstGpus(int wanted, int milli, long ofTypes) {
        long chosen = 0;
        int first = firstWithRoom(wanted, milli, ofTypes);
        int missing = first < 0 ? 0 : wanted;
        for (int gpu = first; missing > 0; gpu++) {
            if (gpus[gpu] >= milli) {
                chosen |= 1L << gpu;
                missing--;
            }
        }
        return chosen;
    }

    /// The GPUs with room that have the least free, the first of equals, as bits, all of one type;
    /// none where they are too few.
    long tightestGpus(Shape shape) {
        if (shape.gpus() == 0 || shape.isWhole()) {
            return firstGpus(shape);
        }
        long chosen = 0;
        int first = firstWithRoom(shape.gpus(), shape.gpuMilli(), shape.gpuTypes());
        int end = first < 0 ? 0 : end(first);
        for (int missing = first < 0 ? 0 : shape.gpus(); missing > 0; missing--) {
            int best = -1;
            for (int gpu = first; gpu < end; gpu++) {
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
