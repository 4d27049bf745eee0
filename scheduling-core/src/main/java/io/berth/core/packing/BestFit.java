package io.berth.core.packing;

/// Takes the node that has the least left after it: CPUs and GPUs, each as a part of the largest
/// node's, count the same.
///
/// @param cpus the largest node's thousandths of CPUs
/// @param gpuMilli the most thousandths of GPUs that a node has
record BestFit(int cpus, int gpuMilli) implements PackingPolicy {

    @Override
    public long cost(FreeNode node, Shape shape, long gpus) {
        return (long) (node.cpus - shape.cpus()) * gpuMilli
                + (node.freeGpuMilli() - shape.demand()) * cpus;
    }
}
