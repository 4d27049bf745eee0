package io.berth.agent.host;

import io.berth.contracts.Hardware.NumaNode;
import io.berth.contracts.IndexSet;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.List;

/// A machine's cores as Slurm numbers them: socket by socket, in each by the kernel's numbers.
///
/// @param cores the CPUs of each that this process may use, by the node's ids
record HostCores(List<IndexSet> cores, List<NumaNode> numaNodes) {

    private static final String CPUS = "/sys/devices/system/cpu";

    private record Cpu(int id, long socket, long core) {}

    static HostCores read(SystemFiles files, Host host) {
        List<String> all =
                files.names(CPUS).stream().filter(name -> name.matches("cpu[0-9]+")).toList();
        // Of one that is offline the kernel tells nothing.
        List<String> online = all.stream().filter(name -> told(files, name)).toList();
        List<Cpu> cpus =
                (online.isEmpty() ? all : online)
                        .stream()
                                .map(name ->
                                        cpu(
                                                files,
                                                Integer.parseInt(name.substring("cpu".length()))))
                                .sorted(
                                        Comparator.comparingLong(Cpu::socket)
                                                .thenComparingLong(Cpu::core)
                                                .thenComparingInt(Cpu::id))
                                .toList();
        var threads = new ArrayList<BitSet>();
        Cpu last = null;
        for (Cpu cpu : cpus) {
            if (last == null || last.socket() != cpu.socket() || last.core() != cpu.core()) {
                threads.add(new BitSet());
            }
            threads.getLast().set(cpu.id());
            last = cpu;
        }
        return new HostCores(
                threads.stream().map(host::cpusHere).toList(),
                HardwareFiles.numaNodes(files, host));
    }

    private static boolean told(SystemFiles files, String name) {
        return SystemFiles.number(files.text(CPUS + "/" + name + "/topology/core_id")).isPresent();
    }

    /// A CPU of which the kernel tells nothing is a core of its own, in the first socket.
    private static Cpu cpu(SystemFiles files, int id) {
        String folder = CPUS + "/cpu" + id + "/topology";
        return new Cpu(
                id,
                SystemFiles.number(files.text(folder + "/physical_package_id")).orElse(0L),
                SystemFiles.number(files.text(folder + "/core_id")).orElse((long) id));
    }

    int count() {
        return cores.size();
    }

    /// The CPUs of some of them.
    IndexSet cpus(IndexSet numbers) {
        var cpus = new BitSet();
        numbers.toBitSet().stream().forEach(core -> cpus.or(cores.get(core).toBitSet()));
        return IndexSet.of(cpus);
    }

    /// The NUMA node that all these CPUs are in; -1 if there is none such.
    int numaNode(IndexSet cpus) {
        List<NumaNode> near =
                numaNodes.stream()
                        .filter(node -> node.cpus().toBitSet().intersects(cpus.toBitSet()))
                        .toList();
        return near.size() == 1 ? near.getFirst().id() : -1;
    }
}
