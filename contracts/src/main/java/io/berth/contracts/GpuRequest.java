package io.berth.contracts;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonInclude.Include;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// GPUs asked for, of one type (`a100`, `a100_1g.5gb`, or `1g.5gb` for that MIG instance of any
/// GPU) or, without a type, of any: whole ones, or a part of one. One form of count is given; the
/// others are 0 or null:
///
/// - `perNode`: so many on every node.
/// - `perTask`: on each node so many times its tasks; nodes with more tasks have more GPUs.
/// - `total`: spread over the nodes as evenly as they divide, the first nodes taking the remainder.
///
/// Whole GPUs of several types are counted in one of these ways too, each type by itself: so that
/// of those in total the first nodes have what is left over of each. Each socket gives as many of
/// each as any other.
///
/// @param perSocket with `perNode`: so many on each socket that the node gives, so that they share
///   memory with its CPUs; null does not ask
/// @param minMemoryMib memory that each of the GPUs has at least; null does not ask
/// @param share a part of one GPU, in the place of whole ones; null does not ask
/// @param byType how many of that count are of each of several types, none of instances; empty for
///   those of one type, or of any
public record GpuRequest(
        int perNode,
        @Nullable String type,
        @Nullable Integer perTask,
        @Nullable Integer total,
        @Nullable Integer perSocket,
        @Nullable Long minMemoryMib,
        @Nullable ShareRequest share,
        @Added @JsonInclude(Include.NON_EMPTY) Map<String, Integer> byType) {

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
                || (perSocket != null
                        && (perSocket < 1 || perNode < perSocket || perNode % perSocket != 0))) {
            throw new IllegalArgumentException(
                    "GPUs %d per node, %s per task, %s in total, %s per socket, a part %s: one count of at least 1"
                            .formatted(perNode, perTask, total, perSocket, share));
        }
        byType = byType == null ? Map.of() : Collections.unmodifiableMap(new TreeMap<>(byType));
        long sum = byType.values().stream().mapToLong(Integer::longValue).sum();
        int counted = counted(perNode, perTask, total);
        if (!byType.isEmpty()
                && (byType.size() == 1
                        || type != null
                        || share != null
                        || sum != counted
                        || byType.keySet().stream().anyMatch(GpuRequest::ofInstances)
                        || byType.values().stream().anyMatch(it -> it < 1))) {
            throw new IllegalArgumentException(
                    "%d GPUs of %s: whole ones of several types, at least 1 of each"
                            .formatted(counted, byType));
        }
        int sockets = perSocket == null ? 1 : perNode / perSocket;
        if (byType.values().stream().anyMatch(it -> it % sockets != 0)) {
            throw new IllegalArgumentException(
                    "%s GPUs on %d sockets: as many of each type on each"
                            .formatted(text(byType), sockets));
        }
    }

    private static int counted(int perNode, @Nullable Integer perTask, @Nullable Integer total) {
        return perTask != null ? perTask : total != null ? total : perNode;
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
        this(perNode, type, perTask, total, perSocket, minMemoryMib, null, Map.of());
    }

    /// So many of each type on every node.
    public static GpuRequest ofTypes(Map<String, Integer> byType, @Nullable Long minMemoryMib) {
        return new GpuRequest(1, null, null, null, null, minMemoryMib).of(byType);
    }

    /// So many of each of these types, counted in the same way.
    public GpuRequest of(Map<String, Integer> types) {
        int sum = Math.toIntExact(types.values().stream().mapToLong(Integer::longValue).sum());
        boolean one = types.size() == 1;
        return new GpuRequest(
                perNode == 0 ? 0 : sum,
                one ? types.keySet().iterator().next() : null,
                perTask == null ? null : (Integer) sum,
                total == null ? null : (Integer) sum,
                perSocket == null ? null : (Integer) (sum / sockets()),
                minMemoryMib,
                null,
                one ? Map.of() : types);
    }

    /// A part of one GPU.
    public static GpuRequest of(ShareRequest share, @Nullable String type) {
        return new GpuRequest(0, type, null, null, null, null, share, Map.of());
    }

    /// The same of another type.
    public GpuRequest ofType(@Nullable String other) {
        return new GpuRequest(
                perNode, other, perTask, total, perSocket, minMemoryMib, share, Map.of());
    }

    /// The same of GPUs with whatever memory.
    public GpuRequest ofAnyMemory() {
        return ofMemory(null);
    }

    /// The same of GPUs with so much memory at least.
    ///
    /// @param mib null does not ask
    public GpuRequest ofMemory(@Nullable Long mib) {
        return new GpuRequest(perNode, type, perTask, total, perSocket, mib, share, byType);
    }

    /// So many of one type, or of any, in total.
    public GpuRequest inAll(int count) {
        return new GpuRequest(0, type, null, count, null, minMemoryMib);
    }

    /// What it asks for of each type, counted in the same way: itself, unless it names several.
    public List<GpuRequest> ofEach() {
        return byType.isEmpty()
                ? List.of(this)
                : byType.entrySet().stream()
                        .map(it -> of(Map.of(it.getKey(), it.getValue())))
                        .toList();
    }

    /// How many it asks for, in whichever way they are counted.
    public int counted() {
        return counted(perNode, perTask, total);
    }

    /// How many sockets of a node give them; 1 where that is not asked.
    public int sockets() {
        return perSocket == null ? 1 : perNode / perSocket;
    }

    /// On how many nodes each has one at least of those in total, of several types the one that
    /// there are most of; any number where they are counted otherwise.
    public int mostNodes() {
        return total == null
                ? Integer.MAX_VALUE
                : byType.values().stream().max(Integer::compare).orElse(total);
    }

    /// How many it asks for in words: `4`, `a100:4`, `a100:2,v100:1`.
    public String text() {
        return textOfPart(1);
    }

    /// The same of one of its sockets.
    public String textOnSocket() {
        return textOfPart(sockets());
    }

    private String textOfPart(int parts) {
        var types = new TreeMap<>(byType);
        types.replaceAll((_, count) -> count / parts);
        return types.isEmpty() ? (type == null ? "" : type + ":") + counted() / parts : text(types);
    }

    /// GPUs of several types in words: `a100:2,v100:1`.
    public static String text(Map<String, Integer> types) {
        return types.entrySet().stream()
                .map(it -> it.getKey() + ":" + it.getValue())
                .collect(Collectors.joining(","));
    }

    /// The same, whatever sockets they are on.
    public GpuRequest onAnySockets() {
        return new GpuRequest(perNode, type, perTask, total, null, minMemoryMib, share, byType);
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
        return type != null && ofInstances(type);
    }

    private static boolean ofInstances(String type) {
        return isProfile(type.substring(type.lastIndexOf('_') + 1));
    }

    private static boolean named(String type, String full) {
        return type.equals(full) || (isProfile(type) && full.endsWith("_" + type));
    }

    public boolean admits(Gpu gpu) {
        boolean named =
                byType.isEmpty()
                        ? type == null || named(type, gpu.type())
                        : byType.containsKey(gpu.type());
        return named && (minMemoryMib == null || gpu.memoryMib() >= minMemoryMib);
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
