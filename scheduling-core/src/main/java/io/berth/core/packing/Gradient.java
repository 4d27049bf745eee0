package io.berth.core.packing;

/// A policy that knows how much of a node's free GPUs the mix of shapes could not use, and takes
/// the node and the GPU where an arrival adds the least to it. Among equals the tightest node.
abstract class Gradient implements PackingPolicy {

    /// More than the tightness of any node: costs differ by it only where unusable parts are equal.
    private static final long TIGHTNESS = 1 << 20;

    final Mix mix = new Mix();

    /// Free GPU thousandths that the mix cannot use, times a scale.
    abstract long unusable(FreeNode node);

    @Override
    public void arrived(Shape shape) {
        mix.add(shape);
    }

    @Override
    public final int version() {
        return mix.version();
    }

    @Override
    public final long cost(FreeNode node, Shape shape) {
        long added = after(node, shape, gpus(node, shape)) - unusable(node);
        long left = (node.cpus - shape.cpus()) / 1000 + (node.freeGpuMilli() - shape.demand()) / 16;
        return added * TIGHTNESS + Math.min(left, TIGHTNESS - 1);
    }

    /// One GPU that is shared is chosen by the gradient, tightest among equals; whole ones are all
    /// the same.
    @Override
    public final long gpus(FreeNode node, Shape shape) {
        long tightest = node.tightestGpus(shape);
        if (shape.gpus() != 1 || shape.isWhole()) {
            return tightest;
        }
        long best = tightest;
        long least = after(node, shape, tightest);
        int tightestRoom = node.gpus[Long.numberOfTrailingZeros(tightest)];
        for (int gpu = 0; gpu < node.gpus.length; gpu++) {
            int room = node.gpus[gpu];
            if (room > tightestRoom && isFirstWith(node, gpu, room)) {
                long unusable = after(node, shape, 1L << gpu);
                if (unusable < least
                        || (unusable == least
                                && room < node.gpus[Long.numberOfTrailingZeros(best)])) {
                    least = unusable;
                    best = 1L << gpu;
                }
            }
        }
        return best;
    }

    private static boolean isFirstWith(FreeNode node, int gpu, int room) {
        for (int earlier = 0; earlier < gpu; earlier++) {
            if (node.gpus[earlier] == room) {
                return false;
            }
        }
        return true;
    }

    private long after(FreeNode node, Shape shape, long chosen) {
        node.take(shape, chosen);
        long unusable = unusable(node);
        node.give(shape, chosen);
        return unusable;
    }
}
