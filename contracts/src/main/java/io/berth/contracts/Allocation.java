package io.berth.contracts;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonInclude.Include;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// What a run holds on one node.
///
/// @param index the node's place in the run, from 0: `SLURM_NODEID`
/// @param tasks tasks on this node
/// @param cpus the CPUs' ids
/// @param memoryMib memory in MiB
/// @param gpus UUIDs of the GPUs, in the order of the node's inventory
/// @param share the part of the only GPU that it holds; null if it holds them whole
/// @param gres what it holds of other resources, one of a name and type, with their device files
public record Allocation(
        NodeName node,
        int index,
        int tasks,
        IndexSet cpus,
        long memoryMib,
        List<String> gpus,
        @Nullable GpuShare share,
        @Added @JsonInclude(Include.NON_EMPTY) List<Gres> gres) {

    public Allocation {
        gpus = List.copyOf(gpus);
        gres = gres == null ? List.of() : List.copyOf(gres);
        if (share != null && gpus.size() != 1) {
            throw new IllegalArgumentException("a part of the GPUs " + gpus + ": it is of one");
        }
    }

    /// GPUs alone, or none.
    public Allocation(
            NodeName node,
            int index,
            int tasks,
            IndexSet cpus,
            long memoryMib,
            List<String> gpus,
            @Nullable GpuShare share) {
        this(node, index, tasks, cpus, memoryMib, gpus, share, List.of());
    }

    /// Whole GPUs, or none.
    public Allocation(
            NodeName node, int index, int tasks, IndexSet cpus, long memoryMib, List<String> gpus) {
        this(node, index, tasks, cpus, memoryMib, gpus, null);
    }

    /// The same without its CPUs.
    public Allocation withoutCpus() {
        return new Allocation(node, index, tasks, IndexSet.EMPTY, memoryMib, gpus, share, gres);
    }

    /// The same with a part of one GPU, in the place of whole ones.
    public Allocation with(String gpu, GpuShare part) {
        return new Allocation(node, index, tasks, cpus, memoryMib, List.of(gpu), part, gres);
    }

    /// How many GPUs it holds whole.
    public int wholeGpus() {
        return share == null ? gpus.size() : 0;
    }

    /// How much of GPUs it holds, in units of which each has [GpuShare#WHOLE].
    public long gpuUnits() {
        return share == null ? (long) GpuShare.WHOLE * gpus.size() : share.units();
    }

    /// GPU-milliseconds of that time; of a part of a GPU that part of them, rounded down.
    public long gpuMillis(long millis) {
        return share == null ? gpus.size() * millis : share.partOf(millis);
    }
}
