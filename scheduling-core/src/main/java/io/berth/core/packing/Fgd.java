package io.berth.core.packing;

/// Fragmentation gradient descent: a free GPU is unusable to a shape if the node cannot take the
/// shape now, or the GPU has too little left for it.
///
/// Source: Weng et al., "Beware of Fragmentation: Scheduling GPU-Sharing Workloads with
/// Fragmentation Gradient Descent" (USENIX ATC 2023), section 3, with the mix learned from what has
/// arrived, in whole numbers, and ties to the tightest node.
final class Fgd extends Gradient {

    @Override
    long unusable(FreeNode node, long free) {
        long unusable = 0;
        for (int place = 0; place < mix.shapes().size(); place++) {
            Shape shape = mix.shapes().get(place);
            long usable = node.fits(shape) ? node.freeGpuMilliFor(shape) : 0;
            unusable += mix.weight(place) * (free - usable);
        }
        return unusable;
    }
}
