package io.berth.agent.host;

import io.berth.contracts.Hardware;
import io.berth.contracts.Hardware.NumaNode;
import io.berth.contracts.IndexSet;
import io.berth.contracts.Inventory;
import io.berth.contracts.Isolation;
import io.berth.contracts.NodeName;
import java.util.BitSet;
import java.util.List;
import java.util.Set;

/// A node that this process stands for.
///
/// @param virtual whether its CPUs and its memory are declared: its runs cannot be bound to CPUs
/// @param hostCpus the host's ids of its CPUs, in the order of the inventory's; empty if virtual
public record LocalNode(NodeName name, boolean virtual, IndexSet hostCpus, Inventory inventory) {

    /// The host itself, with the GPUs that it has.
    public static LocalNode host(Host host, String name, FoundGpus found, Hardware hardware) {
        return new LocalNode(
                name(name),
                false,
                host.cpus(),
                new Inventory(
                        host.sockets(),
                        host.coresPerSocket(),
                        host.threadsPerCore(),
                        host.cpus().size(),
                        host.memoryMib(),
                        found.gpus(),
                        List.of(),
                        false,
                        null,
                        host.os(),
                        host.architecture(),
                        found.links(),
                        hardware,
                        found.migGpus()));
    }

    /// The host itself, pretending to have the GPUs of a profile.
    public static LocalNode declared(
            Host host, String name, GpuProfile profile, Hardware hardware) {
        NodeName node = name(name);
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
                        profile.gpus(node, false),
                        List.of(),
                        true,
                        profile.name(),
                        host.os(),
                        host.architecture(),
                        profile.links(),
                        hardware));
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
                        host.architecture(),
                        profile.links(),
                        null));
    }

    /// The same node, with what the host can enforce.
    public LocalNode enforcing(Set<Isolation> isolation) {
        return with(
                inventory.enforcing(
                        isolation.stream()
                                .filter(it -> !virtual || it != Isolation.CPUSET)
                                .toList()));
    }

    /// The same node with another inventory.
    public LocalNode with(Inventory other) {
        return new LocalNode(name, virtual, hostCpus, other);
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

    /// The NUMA nodes of which the memory is nearest to some of the host's CPUs: those that these
    /// are in, as far as they have memory. None if that is not known.
    public IndexSet memoryNodes(IndexSet onHost) {
        var ids = new BitSet();
        Hardware hardware = inventory.hardware();
        if (hardware != null && !virtual) {
            for (NumaNode node : hardware.numaNodes()) {
                if (node.memoryMib() > 0
                        && onHost(node.cpus()).toBitSet().intersects(onHost.toBitSet())) {
                    ids.set(node.id());
                }
            }
        }
        return IndexSet.of(ids);
    }

    private static NodeName name(String name) {
        try {
            return new NodeName(name);
        } catch (IllegalArgumentException e) {
            throw new StartRefused(e.getMessage() + ": set berth.agent.name");
        }
    }
}
