package io.berth.agent.host;

import io.berth.contracts.Gpu;
import io.berth.contracts.GpuHardware;
import io.berth.contracts.GpuHardware.Vendor;
import io.berth.contracts.GpuLinks;
import io.berth.contracts.Hardware.GpuDriver;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/// AMD's GPUs of this machine, as the kernel's compute driver tells of them under /sys/class/kfd.
/// No library is asked.
///
/// Two GPUs that XGMI joins straight have a link of that type between their nodes, which weighs 15
/// for each hop. Of the way over PCI the NUMA nodes of both tell.
///
/// Source: Linux, `Documentation/gpu/amdgpu` and the driver's topology files (`kfd_crat.c`).
public final class AmdGpus {

    private static final String NODES = "/sys/class/kfd/kfd/topology/nodes";
    private static final int XGMI = 11;
    private static final int ONE_HOP = 15;

    private AmdGpus() {}

    public static FoundGpus find(SystemFiles files, Host host) {
        var gpus = new ArrayList<Gpu>();
        var nodes = new ArrayList<Integer>();
        for (int node : numbers(files, NODES)) {
            String folder = NODES + "/" + node;
            // A CPU is a node too, without multiprocessors.
            if (property(files, folder, "simd_count") > 0) {
                nodes.add(node);
                gpus.add(gpu(files, host, folder, gpus.size()));
            }
        }
        if (gpus.isEmpty()) {
            return FoundGpus.NONE;
        }
        String version = files.text("/sys/module/amdgpu/version").orElse(null);
        var driver = new GpuDriver(Vendor.AMD, version, null, null);
        return new FoundGpus(
                gpus, links(files, nodes, gpus), List.of(driver), List.of(), List.of());
    }

    private static GpuLinks links(SystemFiles files, List<Integer> nodes, List<Gpu> gpus) {
        List<Set<Long>> joined = nodes.stream().map(node -> joined(files, node)).toList();
        return FoundGpus.matrix(
                gpus.size(),
                (from, to) ->
                        joined.get(from).contains(nodes.get(to).longValue())
                                ? "XGMI"
                                : pciWord(gpus.get(from).numaNode(), gpus.get(to).numaNode()));
    }

    /// The nodes that XGMI joins a GPU's to straight.
    private static Set<Long> joined(SystemFiles files, int node) {
        String links = NODES + "/" + node + "/io_links";
        return files.names(links).stream()
                .map(link -> links + "/" + link)
                .filter(link ->
                        property(files, link, "type") == XGMI
                                && property(files, link, "weight") <= ONE_HOP)
                .map(link -> property(files, link, "node_to"))
                .collect(Collectors.toSet());
    }

    private static String pciWord(int from, int to) {
        return from < 0 || to < 0 ? "?" : from == to ? "NODE" : "SYS";
    }

    private static Gpu gpu(SystemFiles files, Host host, String folder, int index) {
        long location = property(files, folder, "location_id");
        String busId =
                "%04x:%02x:%02x.%d"
                        .formatted(
                                property(files, folder, "domain"),
                                location >> 8,
                                location >> 3 & 0x1f,
                                location & 7);
        String pci = "/sys/bus/pci/devices/" + busId;
        String product =
                files.text(pci + "/product_name")
                        .filter(name -> !name.isEmpty())
                        .or(() -> files.text(folder + "/name"))
                        .orElse("AMD GPU");
        int numaNode =
                SystemFiles.number(files.text(pci + "/numa_node")).map(Math::toIntExact).orElse(-1);
        return new Gpu(
                index,
                "GPU-%016x".formatted(property(files, folder, "unique_id")),
                GpuTypes.of(product),
                product,
                -1,
                memoryMib(files, folder),
                numaNode,
                new GpuHardware(
                        Vendor.AMD,
                        busId,
                        null,
                        null,
                        files.text(pci + "/local_cpulist").map(host::cpusHere).orElse(null),
                        null,
                        null,
                        Map.of(),
                        null,
                        null,
                        Math.toIntExact(property(files, folder, "drm_render_minor"))));
    }

    /// The folders there whose names are numbers, in order.
    private static List<Integer> numbers(SystemFiles files, String folder) {
        return files.names(folder).stream()
                .filter(name -> name.matches("[0-9]{1,9}"))
                .map(Integer::valueOf)
                .sorted()
                .toList();
    }

    /// The banks of its own memory: those of heap 1 or 2.
    private static long memoryMib(SystemFiles files, String folder) {
        String banks = folder + "/mem_banks";
        return files.names(banks).stream()
                        .map(bank -> banks + "/" + bank)
                        .filter(bank ->
                                List.of(1L, 2L).contains(property(files, bank, "heap_type")))
                        .mapToLong(bank -> property(files, bank, "size_in_bytes"))
                        .sum()
                >> 20;
    }

    /// A number of a `properties` file; it may use all 64 bits.
    private static long property(SystemFiles files, String folder, String name) {
        return files.field(folder + "/properties", name)
                .filter(text -> text.matches("[0-9]{1,20}"))
                .map(Long::parseUnsignedLong)
                .orElse(0L);
    }
}
