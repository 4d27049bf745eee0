package io.berth.core.packing;

import java.util.List;

/// A policy that knows how much of a node's free GPUs the mix of shapes could not use, and takes
/// the node and the GPU where an arrival adds the least to it. Among equals the tightest node.
///
/// What it has found out is remembered by what is free on a node until the mix is read anew.
abstract class Gradient implements PackingPolicy {

    /// More than the tightness of any node: costs differ by it only where unusable parts are equal.
    private static final long TIGHTNESS = 1 << 20;

    final FreeStates known = new FreeStates();
    Mix mix = new Mix();

    /// Free GPU thousandths that the mix cannot use, times a scale. Some are free, and the mix is
    /// not empty.
    abstract long unusable(FreeNode node, long free);

    /// The mix is another one, and not empty.
    void refreshed() {}

    @Override
    public final void arrived(Shape shape) {
        if (mix.add(shape)) {
            refresh();
        }
    }

    @Override
    public final boolean learns() {
        return true;
    }

    @Override
    public final void learn(List<Shape> arrivals) {
        mix = Mix.of(arrivals);
        refresh();
    }

    private void refresh() {
        known.clear();
        if (mix.sum() > 0) {
            refreshed();
        }
    }

    @Override
    public final int version() {
        return mix.version();
    }

    @Override
    public final boolean comparesAll() {
        return false;
    }

    @Override
    public final long cost(FreeNode node, Shape shape, long gpus) {
        long added = after(node, shape, gpus) - unusable(node);
        long left = (node.cpus - shape.cpus()) / 1000 + (node.freeGpuMilli() - shape.demand()) / 16;
        return added * TIGHTNESS + Math.clamp(left, 0, TIGHTNESS - 1);
    }

    private long unusable(FreeNode node) {
        long free = node.freeGpuMilli();
        if (free == 0 || mix.sum() == 0) {
            return 0;
        }
        long key = known.key(node);
        long unusable = known.get(key);
        if (unusable < 0) {
            unusable = unusable(node, free);
            known.put(key, unusable);
        }
        return unusable;
    }

    /// One GPU that is shared is chosen by the gradient, tightest among equals; whole ones are all
    /// the same.
    @Override
    public final long gpus(FreeNode node, Shape shape) {
        long tightest = node.tightestGpus(shape);
        if (shape.gpus() != 1 || shape.isWhole() || tightest == 0) {
            return tightest;
        }
        long best = tightest;
        long least = after(node, shape, tightest);
        int tightestRoom = node.gpus[Long.numberOfTrailingZeros(tightest)];
        for (int gpu = 0; gpu < node.gpus.length; gpu++) {
            int room = node.gpus[gpu];
            if (room > tightestRoom
                    && shape.admits(node.types[gpu])
                    && isFirstWith(node, gpu, room)) {
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
            if (node.gpus[earlier] == room && node.types[earlier] == node.types[gpu]) {
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
