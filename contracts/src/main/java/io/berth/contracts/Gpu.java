package io.berth.contracts;

/// One GPU of a node.
///
/// @param index its place in PCI order, from 0: what `SLURM_JOB_GPUS` names
/// @param uuid NVML's UUID, `GPU-…`
/// @param type the type that requests name, such as `a100`
/// @param name the product's name
/// @param minor number of its device file `/dev/nvidiaN`; -1 if it has none
/// @param memoryMib its memory in MiB
/// @param numaNode the NUMA node it hangs on; -1 if unknown
public record Gpu(
        int index,
        String uuid,
        String type,
        String name,
        int minor,
        long memoryMib,
        int numaNode) {}
