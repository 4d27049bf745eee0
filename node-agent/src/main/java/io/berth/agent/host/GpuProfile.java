package io.berth.agent.host;

import io.berth.contracts.Gpu;
import io.berth.contracts.GpuLinks;
import io.berth.contracts.NodeName;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Properties;
import java.util.UUID;
import java.util.stream.Collectors;

/// A declared kind of GPU server, such as `dgx-a100`: what a node pretends to have in a trial.
///
/// @param numaNodes the NUMA node of each GPU, by index
/// @param links how the GPUs reach one another
/// @param memoryMib memory of a virtual node of this kind
public record GpuProfile(
        String name,
        String type,
        String product,
        long gpuMemoryMib,
        List<Integer> numaNodes,
        GpuLinks links,
        int sockets,
        int coresPerSocket,
        int threadsPerCore,
        long memoryMib) {

    public GpuProfile {
        numaNodes = List.copyOf(numaNodes);
    }

    /// The profile of that name.
    ///
    /// @throws StartRefused if there is none; it names those that there are
    public static GpuProfile named(String name) {
        Properties all = load();
        if (!all.containsKey(name + ".type")) {
            throw new StartRefused(
                    "unknown GPU profile '%s': there are %s".formatted(name, names(all)));
        }
        return new GpuProfile(
                name,
                text(all, name, "type"),
                text(all, name, "product"),
                number(all, name, "gpu-memory-mib"),
                Arrays.stream(text(all, name, "gpu-numa-nodes").split(","))
                        .map(Integer::valueOf)
                        .toList(),
                new GpuLinks(Arrays.asList(text(all, name, "links").split(","))),
                Math.toIntExact(number(all, name, "sockets")),
                Math.toIntExact(number(all, name, "cores-per-socket")),
                Math.toIntExact(number(all, name, "threads-per-core")),
                number(all, name, "memory-mib"));
    }

    public int cpus() {
        return sockets * coresPerSocket * threadsPerCore;
    }

    /// The GPUs of a node of this kind. Their UUIDs are always the same for the same node name;
    /// they have no device file.
    ///
    /// @param numa whether the node has the profile's NUMA nodes
    public List<Gpu> gpus(NodeName node, boolean numa) {
        var gpus = new ArrayList<Gpu>();
        for (int index = 0; index < numaNodes.size(); index++) {
            String seed = node + "/gpu/" + index;
            UUID uuid = UUID.nameUUIDFromBytes(seed.getBytes(StandardCharsets.UTF_8));
            int numaNode = numa ? numaNodes.get(index) : -1;
            gpus.add(new Gpu(index, "GPU-" + uuid, type, product, -1, gpuMemoryMib, numaNode));
        }
        return gpus;
    }

    private static Properties load() {
        var properties = new Properties();
        try (InputStream in = GpuProfile.class.getResourceAsStream("gpu-profiles.properties")) {
            if (in == null) {
                throw new IllegalStateException("gpu-profiles.properties is not packaged");
            }
            properties.load(in);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return properties;
    }

    private static String names(Properties all) {
        return all.stringPropertyNames().stream()
                .filter(key -> key.endsWith(".type"))
                .map(key -> key.substring(0, key.indexOf('.')))
                .sorted()
                .collect(Collectors.joining(", "));
    }

    private static long number(Properties all, String name, String key) {
        return Long.parseLong(text(all, name, key));
    }

    private static String text(Properties all, String name, String key) {
        String value = all.getProperty(name + "." + key);
        if (value == null) {
            throw new IllegalStateException("GPU profile " + name + " has no " + key);
        }
        return value.strip();
    }
}
