package io.berth.agent.host;

import io.berth.contracts.Gpu;
import io.berth.contracts.Hardware;
import io.berth.contracts.Hardware.NumaNode;
import io.berth.contracts.IndexSet;
import io.berth.contracts.Inventory;
import io.berth.contracts.Isolation;
import io.berth.contracts.NodeName;
import io.berth.slurm.GresConf;
import io.berth.slurm.GresConf.GpuLine;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/// A node that this process stands for.
///
/// @param virtual whether its CPUs and its memory are declared: its runs cannot be bound to CPUs
/// @param hostCpus the host's ids of its CPUs, in the order of the inventory's; empty if virtual
/// @param said what a gres.conf says of its resources
public record LocalNode(
        NodeName name, boolean virtual, IndexSet hostCpus, Inventory inventory, GresConf said) {

    public LocalNode(NodeName name, boolean virtual, IndexSet hostCpus, Inventory inventory) {
        this(name, virtual, hostCpus, inventory, GresConf.NONE);
    }

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
        return new LocalNode(name, virtual, hostCpus, other, said);
    }

    /// The same node, of which a gres.conf says that.
    public LocalNode saying(GresConf other) {
        return new LocalNode(name, virtual, hostCpus, inventory.having(other.others()), other);
    }

    /// The device files that a gres.conf says go with a GPU.
    public List<String> besides(Gpu gpu) {
        return PinnedGpus.line(said, gpu).map(GpuLine::besides).orElse(List.of());
    }

    /// The variables that tell programs some of the node's GPUs, each with the UUIDs of those that
    /// it tells: as the line on a GPU says, else as its vendor's programs look for it. Those that
    /// tell of GPUs of the node and of none of these are there too, and empty.
    public SortedMap<String, String> variables(List<String> held) {
        var telling = new TreeMap<String, List<String>>();
        Map<String, List<String>> byGpu =
                inventory.gpus().stream()
                        .collect(
                                Collectors.toMap(
                                        Gpu::uuid, gpu -> PinnedGpus.variables(said, gpu)));
        (byGpu.isEmpty() ? List.of(PinnedGpus.NVIDIA) : byGpu.values())
                .forEach(those -> those.forEach(it -> telling.put(it, new ArrayList<>())));
        List<String> all = List.copyOf(telling.keySet());
        for (String uuid : held) {
            byGpu.getOrDefault(uuid, all)
                    .forEach(it -> Objects.requireNonNull(telling.get(it)).add(uuid));
        }
        var text = new TreeMap<String, String>();
        telling.forEach((variable, those) -> text.put(variable, String.join(",", those)));
        return text;
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
