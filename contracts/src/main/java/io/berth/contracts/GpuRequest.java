package io.berth.contracts;

import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// GPUs asked for, of one type (`a100`, `a100_1g.5gb`, or `1g.5gb` for that MIG instance of any
/// GPU) or, without a type, of any: whole ones, or a part of one. One form of count is given; the
/// others are 0 or null:
///
/// - `perNode`: so many on every node.
/// - `perTask`: on each node so many times its tasks; nodes with more tasks have more GPUs.
/// - `total`: spread over the nodes as evenly as they divide, the first nodes taking the remainder.
///
/// @param perSocket with `perNode`: so many on each socket that the node gives, so that they share
///   memory with its CPUs; null does not ask
/// @param minMemoryMib memory that each of the GPUs has at least; null does not ask
/// @param share a part of one GPU, in the place of whole ones; null does not ask
public record GpuRequest(
        int perNode,
        @Nullable String type,
        @Nullable Integer perTask,
        @Nullable Integer total,
        @Nullable Integer perSocket,
        @Nullable Long minMemoryMib,
        @Nullable ShareRequest share) {

    private static final Pattern PROFILE =
            Pattern.compile("[0-9]{1,2}(c\\.[0-9]{1,2})?g\\.[0-9]{1,4}gb([+-][a-z0-9.]+)?");

    public static final GpuRequest NONE = new GpuRequest(0, null);

    public GpuRequest {
        if (perNode < 0) {
            throw new IllegalArgumentException("a request for " + perNode + " GPUs is negative");
        }
        int forms = (perNode > 0 ? 1 : 0) + (perTask == null ? 0 : 1) + (total == null ? 0 : 1);
        forms += share == null ? 0 : 1;
        if (forms > 1
                || (perTask != null && perTask < 1)
                || (total != null && total < 1)
                || (perSocket != null && (perSocket < 1 || perNode % perSocket != 0))) {
            throw new IllegalArgumentException(
                    "GPUs %d per node, %s per task, %s in total, %s per socket, a part %s: one count of at least 1"
                            .formatted(perNode, perTask, total, perSocket, share));
        }
    }

    /// So many on every node.
    public GpuRequest(int perNode, @Nullable String type) {
        this(perNode, type, null, null, null, null);
    }

    /// Whole GPUs.
    public GpuRequest(
            int perNode,
            @Nullable String type,
            @Nullable Integer perTask,
            @Nullable Integer total,
            @Nullable Integer perSocket,
            @Nullable Long minMemoryMib) {
        this(perNode, type, perTask, total, perSocket, minMemoryMib, null);
    }

    /// A part of one GPU.
    public static GpuRequest of(ShareRequest share, @Nullable String type) {
        return new GpuRequest(0, type, null, null, null, null, share);
    }

    /// The same of another type.
    public GpuRequest ofType(@Nullable String other) {
        return new GpuRequest(perNode, other, perTask, total, perSocket, minMemoryMib, share);
    }

    /// The same, whatever sockets they are on.
    public GpuRequest onAnySockets() {
        return new GpuRequest(perNode, type, perTask, total, null, minMemoryMib, share);
    }

    /// Whether no whole GPU is asked for.
    public boolean none() {
        return perNode == 0 && perTask == null && total == null;
    }

    /// Whether a type is the profile of MIG instances alone, such as `1g.10gb`: those of any GPU.
    public static boolean isProfile(String type) {
        return PROFILE.matcher(type).matches();
    }

    /// Whether the type is that of instances of GPUs that are split: `1g.10gb`, `h100_1g.10gb`.
    public boolean ofInstances() {
        return type != null && isProfile(type.substring(type.lastIndexOf('_') + 1));
    }

    private static boolean named(String type, String full) {
        return type.equals(full) || (isProfile(type) && full.endsWith("_" + type));
    }

    public boolean admits(Gpu gpu) {
        return (type == null || named(type, gpu.type()))
                && (minMemoryMib == null || gpu.memoryMib() >= minMemoryMib);
    }

    /// Whether an instance of that profile would do, if the GPU were split into such. A request
    /// that names no type, or a whole GPU's, asks for none.
    public boolean admits(MigGpu gpu, MigProfile profile) {
        return type != null
                && share == null
                && (type.equals(profile.name()) || type.equals(gpu.type() + "_" + profile.name()))
                && (minMemoryMib == null || profile.memoryMib() >= minMemoryMib);
    }
}
