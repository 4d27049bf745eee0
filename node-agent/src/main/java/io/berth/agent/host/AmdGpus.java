package io.berth.agent.host;

import io.berth.contracts.Gpu;
import io.berth.contracts.GpuHardware;
import io.berth.contracts.GpuHardware.Vendor;
import io.berth.contracts.Hardware.GpuDriver;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/// AMD's GPUs of this machine, as the kernel's compute driver tells of them under /sys/class/kfd.
/// No library is asked. How they reach one another is not told.
///
/// Source: Linux, `Documentation/gpu/amdgpu` and the driver's topology files.
public final class AmdGpus {

    private static final String NODES = "/sys/class/kfd/kfd/topology/nodes";

    private AmdGpus() {}

    public static FoundGpus find(SystemFiles files, Host host) {
        var gpus = new ArrayList<Gpu>();
        for (String node : files.names(NODES)) {
            String folder = NODES + "/" + node;
            // A CPU is a node too, without multiprocessors.
            if (property(files, folder, "simd_count") > 0) {
                gpus.add(gpu(files, host, folder, gpus.size()));
            }
        }
        if (gpus.isEmpty()) {
            return FoundGpus.NONE;
        }
        String version = files.text("/sys/module/amdgpu/version").orElse(null);
        var driver = new GpuDriver(Vendor.AMD, version, null, null);
        return new FoundGpus(gpus, null, List.of(driver), List.of(), List.of());
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
