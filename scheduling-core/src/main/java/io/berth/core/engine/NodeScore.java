package io.berth.core.engine;

/// A policy's opinion of giving a node to a part of a job: the node with the least score is taken,
/// the first by index of those that score the same.
@FunctionalInterface
public interface NodeScore {

    /// Leaves the least on the node: GPUs first, then CPUs, then memory. The engine's default.
    NodeScore BEST_FIT =
            (free, demand, node) -> {
                long gpus = 0;
                for (int lane = 2; lane < free.length; lane++) {
                    gpus += free[lane];
                }
                long cpus = Math.clamp(free[0] - demand.cpus(), 0, (1 << 20) - 1);
                long gib = Math.clamp((free[1] - demand.memoryMib()) >> 10, 0, (1 << 24) - 1);
                return Math.max(0, gpus - demand.gpus()) << 44 | cpus << 24 | gib;
            };

    /// The first node that has room.
    NodeScore FIRST_FIT =
            new NodeScore() {
                @Override
                public long score(long[] free, Demand demand, int node) {
                    return node;
                }

                @Override
                public boolean comparesAll() {
                    return true;
                }
            };

    /// The node with the most free CPUs: Slurm's LLN.
    NodeScore LEAST_LOADED =
            new NodeScore() {
                @Override
                public long score(long[] free, Demand demand, int node) {
                    return -free[0];
                }

                @Override
                public boolean comparesAll() {
                    return true;
                }
            };

    /// @param free what is free on the node before: CPUs, memory in MiB, then whole GPUs by type.
    ///   Must not be changed
    /// @param demand what the part would take
    /// @param node its index
    long score(long[] free, Demand demand, int node);

    /// Whether all nodes with room must be compared, and not only the tightest few.
    default boolean comparesAll() {
        return false;
    }
}
