package io.berth.contracts;

import org.jspecify.annotations.Nullable;

/// One GPU of a node, or one MIG instance of a GPU that is split.
///
/// @param index its place in PCI order, from 0: what `SLURM_JOB_GPUS` names. GPUs that are out of
///   service leave gaps, and one in MIG mode takes as many as it may have instances
/// @param uuid the driver's UUID, `GPU-…` or `MIG-…`
/// @param type the type that requests name, such as `a100`, or `a100_1g.5gb` for a MIG instance
/// @param name the product's name
/// @param minor number of its device file `/dev/nvidiaN`; -1 if it has none
/// @param memoryMib its memory in MiB
/// @param numaNode the NUMA node it hangs on; -1 if unknown
/// @param hardware what else the driver tells of it; null if it is declared, or written by an older
///   agent
public record Gpu(
        int index,
        String uuid,
        String type,
        String name,
        int minor,
        long memoryMib,
        int numaNode,
        @Nullable GpuHardware hardware) {

    /// A GPU of which no more is known.
    public Gpu(
            int index,
            String uuid,
            String type,
            String name,
            int minor,
            long memoryMib,
            int numaNode) {
        this(index, uuid, type, name, minor, memoryMib, numaNode, null);
    }

    /// UUID of the GPU that it is a MIG instance of; null for a whole one.
    public @Nullable String parent() {
        return hardware == null || hardware.mig() == null ? null : hardware.mig().parent();
    }
}
