package io.berth.agent.host;

import io.berth.contracts.Gpu;
import io.berth.contracts.GpuHardware;
import io.berth.contracts.GpuHardware.Vendor;
import io.berth.contracts.GpuLinks;
import io.berth.contracts.Hardware.GpuDriver;
import io.berth.contracts.Hardware.Health;
import io.berth.contracts.Hardware.OutOfService;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/// AMD's GPUs of this machine, as the kernel's compute driver tells of them under /sys/class/kfd.
/// No library is asked.
///
/// Two GPUs that XGMI joins straight have a link of that type between their nodes, which weighs 15
/// for each hop. Of the way over PCI the NUMA nodes of both tell.
///
/// Source: Linux, `Documentation/gpu/amdgpu` and the driver's topology files (`kfd_crat.c`).
public final class AmdGpus {

    private static final String NODES = "/sys/class/kfd/kfd/topology/nodes";
    private static final String VENDOR_ID = "0x1002";
    private static final int XGMI = 11;
    private static final int ONE_HOP = 15;

    /// Above the PCI address in a location stands the number of a part.
    private static final int PART_SHIFT = 28;

    /// The lowest number of a render node's device file.
    private static final int FIRST_RENDER_MINOR = 128;

    private AmdGpus() {}

    /// Where the kernel tells more of a GPU that jobs may use.
    ///
    /// @param gpuId the compute driver's number of it
    /// @param part whether it is one of several parts of the GPU at its PCI address
    public record Device(String uuid, String busId, String gpuId, long renderMinor, boolean part) {}

    /// Those GPUs, by their indices.
    public static List<Device> devices(SystemFiles files) {
        List<Integer> nodes = nodes(files);
        List<String> names = names(files, nodes);
        List<String> buses = nodes.stream().map(node -> busId(files, NODES + "/" + node)).toList();
        var devices = new ArrayList<Device>();
        for (int index = 0; index < nodes.size(); index++) {
            String folder = NODES + "/" + nodes.get(index);
            long renderMinor = property(files, folder, "drm_render_minor");
            if (renderMinor >= FIRST_RENDER_MINOR) {
                String bus = buses.get(index);
                devices.add(
                        new Device(
                                names.get(index),
                                bus,
                                files.text(folder + "/gpu_id").orElse(""),
                                renderMinor,
                                Collections.frequency(buses, bus) > 1));
            }
        }
        return devices;
    }

    /// The compute driver's nodes that are GPUs: a CPU is one too, without multiprocessors.
    private static List<Integer> nodes(SystemFiles files) {
        return numbers(files, NODES).stream()
                .filter(node -> property(files, NODES + "/" + node, "simd_count") > 0)
                .toList();
    }

    public static FoundGpus find(SystemFiles files, Host host) {
        List<Integer> found = nodes(files);
        String version = files.text("/sys/module/amdgpu/version").orElse(null);
        if (found.isEmpty()) {
            return without(files, version);
        }
        List<String> names = names(files, found);
        var gpus = new ArrayList<Gpu>();
        var nodes = new ArrayList<Integer>();
        var out = new ArrayList<OutOfService>();
        for (int index = 0; index < found.size(); index++) {
            String folder = NODES + "/" + found.get(index);
            long renderMinor = property(files, folder, "drm_render_minor");
            if (renderMinor >= FIRST_RENDER_MINOR) {
                nodes.add(found.get(index));
                gpus.add(gpu(files, host, folder, index, names.get(index), renderMinor));
            } else {
                out.add(
                        new OutOfService(
                                index,
                                names.get(index),
                                busId(files, folder),
                                Health.DRAINED,
                                folder + "/properties tells no drm_render_minor"));
            }
        }
        var driver = new GpuDriver(Vendor.AMD, version, null, null);
        return new FoundGpus(gpus, links(files, nodes, gpus), List.of(driver), out, List.of());
    }

    /// Where the compute driver tells of none.
    private static FoundGpus without(SystemFiles files, @Nullable String version) {
        int there = files.gpus(VENDOR_ID);
        if (there == 0 || !files.names(NODES).isEmpty()) {
            return FoundGpus.NONE;
        }
        String problem =
                "%d on the PCI bus, but no %s: load the driver, amdgpu".formatted(there, NODES);
        var driver = new GpuDriver(Vendor.AMD, version, null, problem);
        return new FoundGpus(List.of(), null, List.of(driver), List.of(), List.of());
    }

    /// What each is called: by its unique id or, where it has none of its own, by its PCI address.
    private static List<String> names(SystemFiles files, List<Integer> nodes) {
        List<String> folders = nodes.stream().map(node -> NODES + "/" + node).toList();
        List<Long> ids =
                folders.stream().map(folder -> property(files, folder, "unique_id")).toList();
        return IntStream.range(0, ids.size())
                .mapToObj(place -> {
                    long id = ids.get(place);
                    return id != 0 && Collections.frequency(ids, id) == 1
                            ? "GPU-%016x".formatted(id)
                            : "GPU-" + address(files, folders.get(place));
                })
                .toList();
    }

    /// The PCI address without colons, with the number of the part of a GPU that is partitioned.
    private static String address(SystemFiles files, String folder) {
        long part = property(files, folder, "location_id") >> PART_SHIFT;
        return busId(files, folder).replaceAll("[:.]", "-") + (part == 0 ? "" : "-" + part);
    }

    private static String busId(SystemFiles files, String folder) {
        long location = property(files, folder, "location_id");
        return "%04x:%02x:%02x.%d"
                .formatted(
                        property(files, folder, "domain"),
                        location >> 8 & 0xff,
                        location >> 3 & 0x1f,
                        location & 7);
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

    private static Gpu gpu(
            SystemFiles files, Host host, String folder, int index, String uuid, long renderMinor) {
        String busId = busId(files, folder);
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
                uuid,
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
                        Math.toIntExact(renderMinor)));
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

    /// A number of a `properties` file, which may use all 64 bits; 0 if it is not told.
    private static long property(SystemFiles files, String folder, String name) {
        return files.field(folder + "/properties", name)
                .filter(text -> text.matches("[0-9]{1,20}"))
                .map(Long::parseUnsignedLong)
                .orElse(0L);
    }
}
