package io.berth.contracts;

import java.util.List;

/// What a run holds on one node.
///
/// @param index the node's place in the run, from 0: `SLURM_NODEID`
/// @param tasks tasks on this node
/// @param cpus the CPUs' ids
/// @param memoryMib memory in MiB
/// @param gpus UUIDs of the GPUs, in the order of the node's inventory
public record Allocation(
        NodeName node, int index, int tasks, IndexSet cpus, long memoryMib, List<String> gpus) {

    public Allocation {
        gpus = List.copyOf(gpus);
    }

    /// The same without its CPUs.
    public Allocation withoutCpus() {
        return new Allocation(node, index, tasks, IndexSet.EMPTY, memoryMib, gpus);
    }
}
