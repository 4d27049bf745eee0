package io.berth.agent.host;

import io.berth.contracts.Gpu;
import io.berth.contracts.IndexSet;
import io.berth.contracts.Inventory;
import io.berth.contracts.Isolation;
import io.berth.contracts.NodeName;
import java.util.BitSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// A node that this process stands for.
///
/// @param virtual whether its CPUs and its memory are declared: its runs cannot be bound to CPUs
/// @param hostCpus the host's ids of its CPUs, in the order of the inventory's; empty if virtual
public record LocalNode(NodeName name, boolean virtual, IndexSet hostCpus, Inventory inventory) {

    /// The host itself, with the GPUs of a profile if one is given.
    public static LocalNode host(Host host, String name, @Nullable GpuProfile profile) {
        NodeName node = name(name);
        List<Gpu> gpus = profile == null ? List.of() : profile.gpus(node, false);
        return new LocalNode(
                node,
                false,
                host.cpus(),
                new Inventory(
                        host.sockets(),
                        host.coresPerSocket(),
                        host.threadsPerCore(),
                        host.cpus().size(),
                        host.memoryMib(),
                        gpus,
                        List.of(),
                        profile != null,
                        profile == null ? null : profile.name(),
                        host.os(),
                        host.architecture()));
    }

    /// A node that is declared whole.
    public static LocalNode virtual(Host host, String name, GpuProfile profile) {
        NodeName node = name(name);
        return new LocalNode(
                node,
                true,
                IndexSet.EMPTY,
                new Inventory(
                        profile.sockets(),
                        profile.coresPerSocket(),
                        profile.threadsPerCore(),
                        profile.cpus(),
                        profile.memoryMib(),
                        profile.gpus(node, true),
                        List.of(),
                        true,
                        profile.name(),
                        host.os(),
                        host.architecture()));
    }

    /// The same node, with what the host can enforce.
    public LocalNode enforcing(Set<Isolation> isolation) {
        Inventory had = inventory;
        return new LocalNode(
                name,
                virtual,
                hostCpus,
                new Inventory(
                        had.sockets(),
                        had.coresPerSocket(),
                        had.threadsPerCore(),
                        had.cpus(),
                        had.memoryMib(),
                        had.gpus(),
                        isolation.stream()
                                .filter(it -> !virtual || it != Isolation.CPUSET)
                                .toList(),
                        had.simulated(),
                        had.profile(),
                        had.os(),
                        had.architecture()));
    }

    /// The host's ids of some CPUs of the node.
    public IndexSet onHost(IndexSet cpus) {
        int[] ids = hostCpus.toBitSet().stream().toArray();
        var bits = new BitSet();
        cpus.toBitSet().stream()
                .forEach(cpu -> {
                    if (cpu >= ids.length) {
                        throw new IllegalStateException(
                                "binding to CPU %d of %s, which has %d"
                                        .formatted(cpu, name, ids.length));
                    }
                    bits.set(ids[cpu]);
                });
        return IndexSet.of(bits);
    }

    private static NodeName name(String name) {
        try {
            return new NodeName(name);
        } catch (IllegalArgumentException e) {
            throw new StartRefused(e.getMessage() + ": set berth.agent.name");
        }
    }
}
