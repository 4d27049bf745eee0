package io.berth.core.packing;

/// Keeps jobs of one kind of GPU demand together: on nodes with that kind alone, then on nodes with
/// it among others, then on nodes without any, last on nodes with other kinds; the fullest of each.
///
/// Source: Gandiva's affinity, Xiao et al. (OSDI 2018), as the FGD paper compares with it.
record GpuClustering() implements PackingPolicy {

    /// More than a node's free GPUs in thousandths.
    private static final long CASE = 1 << 20;

    @Override
    public long cost(FreeNode node, Shape shape, long gpus) {
        if (shape.gpus() == 0) {
            return 0;
        }
        long kind = kind(shape);
        int rank;
        if (node.kinds == kind) {
            rank = 0;
        } else if ((node.kinds & kind) != 0) {
            rank = 1;
        } else {
            rank = node.kinds == 0 ? 2 : 3;
        }
        return rank * CASE + node.freeGpuMilli();
    }

    static long kind(Shape shape) {
        return shape.isWhole() ? 1L << shape.gpus() : 1;
    }
}
