package io.berth.core.packing;

/// Fills GPUs in use before free ones, and nodes in use before empty ones.
///
/// Source: the packing of MLaaS, Weng et al., "MLaaS in the Wild" (NSDI 2022), as the FGD paper
/// compares with it.
record GpuPacking() implements PackingPolicy {

    /// More than any cost within one of the three cases.
    private static final long CASE = 1 << 20;

    @Override
    public long cost(FreeNode node, Shape shape, long gpus) {
        if (shape.gpus() == 0) {
            return 0;
        }
        if (node.isEmpty()) {
            return 2 * CASE + node.gpus.length;
        }
        int freeTaken = 0;
        int room = 0;
        for (long rest = gpus; rest != 0; rest &= rest - 1) {
            int free = node.gpus[Long.numberOfTrailingZeros(rest)];
            room += free;
            freeTaken += free == Shape.WHOLE ? 1 : 0;
        }
        return freeTaken > 0 ? CASE + freeTaken : room;
    }
}
