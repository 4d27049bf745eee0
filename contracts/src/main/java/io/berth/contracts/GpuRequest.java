package io.berth.contracts;

import org.jspecify.annotations.Nullable;

/// Whole GPUs asked for, of one type (`a100`) or, without a type, of any. One form of count is
/// given; the others are 0 or null:
///
/// - `perNode`: so many on every node.
/// - `perTask`: on each node so many times its tasks; nodes with more tasks have more GPUs.
/// - `total`: spread over the nodes as evenly as they divide, the first nodes taking the remainder.
///
/// @param perSocket with `perNode`: so many on each socket that the node gives, so that they share
///   memory with its CPUs; null does not ask
/// @param minMemoryMib memory that each of the GPUs has at least; null does not ask
public record GpuRequest(
        int perNode,
        @Nullable String type,
        @Nullable Integer perTask,
        @Nullable Integer total,
        @Nullable Integer perSocket,
        @Nullable Long minMemoryMib) {

    public static final GpuRequest NONE = new GpuRequest(0, null);

    public GpuRequest {
        if (perNode < 0) {
            throw new IllegalArgumentException("a request for " + perNode + " GPUs is negative");
        }
        int forms = (perNode > 0 ? 1 : 0) + (perTask == null ? 0 : 1) + (total == null ? 0 : 1);
        if (forms > 1
                || (perTask != null && perTask < 1)
                || (total != null && total < 1)
                || (perSocket != null && (perSocket < 1 || perNode % perSocket != 0))) {
            throw new IllegalArgumentException(
                    "GPUs %d per node, %s per task, %s in total, %s per socket: one count of at least 1"
                            .formatted(perNode, perTask, total, perSocket));
        }
    }

    /// So many on every node.
    public GpuRequest(int perNode, @Nullable String type) {
        this(perNode, type, null, null, null, null);
    }

    /// Whether no GPU is asked for.
    public boolean none() {
        return perNode == 0 && perTask == null && total == null;
    }

    public boolean admits(Gpu gpu) {
        return (type == null || type.equals(gpu.type()))
                && (minMemoryMib == null || gpu.memoryMib() >= minMemoryMib);
    }
}
