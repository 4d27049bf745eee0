package io.berth.core.packing;

/// Takes the node that is left with the least: GPUs first, then CPUs, then memory. For a part of a
/// GPU what is left of that GPU comes first.
record Tightest() implements PackingPolicy {

    private static final int CPU_BITS = 23;
    private static final int GIB_BITS = 24;

    @Override
    public long cost(FreeNode node, Shape shape, long gpus) {
        long free =
                shape.gpus() == 0 || shape.isWhole()
                        ? node.freeWholeMilli()
                        : node.gpus[Long.numberOfTrailingZeros(gpus)];
        long cpus = clamp((node.cpus - shape.cpus()) / 1000L, CPU_BITS);
        long gib = clamp((node.memoryMib - shape.memoryMib()) >> 10, GIB_BITS);
        long gpu = Math.max(0, free - shape.demand());
        return gpu << (CPU_BITS + GIB_BITS) | cpus << GIB_BITS | gib;
    }

    private static long clamp(long value, int bits) {
        return Math.clamp(value, 0, (1 << bits) - 1);
    }

    @Override
    public boolean comparesAll() {
        return false;
    }
}
