package io.berth.core.packing;

/// Takes the node whose free vector has the least dot product with the demand, each resource as a
/// part of the largest node's.
///
/// Source: Grandl et al., "Multi-resource Packing for Cluster Schedulers" (SIGCOMM 2014), turned
/// around as in the FGD paper's baseline: the least product packs tighter.
///
/// @param cpus the largest node's thousandths of CPUs
/// @param gpuMilli the most thousandths of GPUs that a node has
record DotProduct(int cpus, int gpuMilli) implements PackingPolicy {

    private static final long SCALE = 1 << 15;

    @Override
    public long cost(FreeNode node, Shape shape, long gpus) {
        return node.cpus * SCALE / cpus * (shape.cpus() * SCALE / cpus)
                + node.freeGpuMilli() * SCALE / gpuMilli * (shape.demand() * SCALE / gpuMilli);
    }
}
