package io.berth.agent.group;

import io.berth.contracts.IndexSet;
import java.util.List;

/// What a step may use of what its run may, or a task of what its step may.
///
/// @param cpus the host's CPUs that it is bound to; empty is all of them
/// @param memoryMib 0 is all of it
/// @param devices the device files that it may open, as [Limits] has them; empty is all of them. It
///   opens none that its parent may not
/// @param memoryNodes ids of the NUMA nodes of which it has its memory; empty is all of its
///   parent's, and so are those of which its parent has none
public record ChildLimits(
        IndexSet cpus, long memoryMib, List<String> devices, IndexSet memoryNodes) {

    public ChildLimits {
        devices = List.copyOf(devices);
    }

    /// With memory of all NUMA nodes.
    public ChildLimits(IndexSet cpus, long memoryMib, List<String> devices) {
        this(cpus, memoryMib, devices, IndexSet.EMPTY);
    }
}
