package io.berth.agent.host;

import io.berth.contracts.Hardware;
import io.berth.contracts.Hardware.HugePages;
import io.berth.contracts.Hardware.NumaNode;
import io.berth.contracts.IndexSet;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// What the kernel tells of a machine besides its CPUs and GPUs.
public final class HardwareFiles {

    private static final String NODES = "/sys/devices/system/node";
    private static final String CPUS = "/sys/devices/system/cpu";
    private static final String HUGE_PAGES = "/sys/kernel/mm/hugepages";

    private static final String IMEX_CHANNELS = "/dev/nvidia-caps-imex-channels";

    private HardwareFiles() {}

    public static Hardware read(SystemFiles files, Host host, FoundGpus gpus) {
        return new Hardware(
                numaNodes(files, host),
                hugePages(files),
                tmpMib(files.root().resolve("tmp")),
                gpus.drivers(),
                gpus.outOfService(),
                imexChannels(files),
                cores(files, host));
    }

    /// Of each CPU that this process may use, the number of its core, as the kernel tells which
    /// threads are siblings; none where it tells of one nothing.
    private static List<Integer> cores(SystemFiles files, Host host) {
        var numbers = new LinkedHashMap<String, Integer>();
        var cores = new ArrayList<Integer>();
        for (int cpu : host.cpus().toBitSet().stream().toArray()) {
            String siblings =
                    files.text(CPUS + "/cpu" + cpu + "/topology/thread_siblings_list").orElse("");
            if (siblings.isEmpty()) {
                return List.of();
            }
            cores.add(numbers.computeIfAbsent(siblings, _ -> numbers.size()));
        }
        return cores;
    }

    /// Those for which the operator has made device files.
    private static @Nullable IndexSet imexChannels(SystemFiles files) {
        var channels = new BitSet();
        files.names(IMEX_CHANNELS).stream()
                .filter(name -> name.matches("channel[0-9]{1,4}"))
                .forEach(
                        name -> channels.set(Integer.parseInt(name.substring("channel".length()))));
        return channels.isEmpty() ? null : IndexSet.of(channels);
    }

    static List<NumaNode> numaNodes(SystemFiles files, Host host) {
        return files.names(NODES).stream()
                .filter(name -> name.matches("node[0-9]+"))
                .map(name -> {
                    int id = Integer.parseInt(name.substring("node".length()));
                    String folder = NODES + "/" + name;
                    IndexSet cpus =
                            files.text(folder + "/cpulist")
                                    .map(host::cpusHere)
                                    .orElse(IndexSet.EMPTY);
                    long kib =
                            SystemFiles.number(
                                            files.field(
                                                    folder + "/meminfo",
                                                    "Node " + id + " MemTotal"))
                                    .orElse(0L);
                    return new NumaNode(id, cpus, kib / 1024);
                })
                .sorted(Comparator.comparingInt(NumaNode::id))
                .toList();
    }

    private static List<HugePages> hugePages(SystemFiles files) {
        return files.names(HUGE_PAGES).stream()
                .filter(name -> name.matches("hugepages-[0-9]+kB"))
                .map(name ->
                        new HugePages(
                                Long.parseLong(name.replaceAll("[^0-9]", "")),
                                SystemFiles.number(
                                                files.text(
                                                        HUGE_PAGES + "/" + name + "/nr_hugepages"))
                                        .orElse(0L)))
                .filter(pages -> pages.count() > 0)
                .toList();
    }

    private static long tmpMib(Path tmp) {
        try {
            return Files.getFileStore(tmp).getTotalSpace() >> 20;
        } catch (IOException e) {
            return 0;
        }
    }
}
