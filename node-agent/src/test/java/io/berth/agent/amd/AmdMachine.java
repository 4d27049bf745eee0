package io.berth.agent.amd;

import io.berth.agent.host.SystemFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

/// A machine with AMD GPUs, as the files of the driver tell of it, below a root of its own. GPU 0
/// is at `0000:01:00.0` with the render node 128, and so on.
public final class AmdMachine {

    private static final String NODES = "sys/class/kfd/kfd/topology/nodes/";

    private final Path root;
    private final List<String> nodes = new ArrayList<>();

    private AmdMachine(Path root) {
        this.root = root;
    }

    /// Without any GPUs as yet: node 0 is the CPUs'.
    public static AmdMachine in(Path root) throws IOException {
        var machine = new AmdMachine(root);
        machine.node("0", "cpu_cores_count 96\nsimd_count 0\n");
        return machine;
    }

    /// With the files of this machine that an agent needs beside those of GPUs.
    public static AmdMachine onThisHost(Path root) throws IOException {
        for (String there :
                List.of(
                        "proc/self",
                        "proc/meminfo",
                        "proc/sys",
                        "sys/devices",
                        "sys/fs",
                        "etc",
                        "tmp")) {
            Path link = root.resolve(there);
            Files.createDirectories(Objects.requireNonNull(link.getParent()));
            Files.createSymbolicLink(link, Path.of("/", there));
        }
        return in(root);
    }

    public SystemFiles files() {
        return new SystemFiles(root);
    }

    public static String uuid(int gpu) {
        return "GPU-%016x".formatted(gpu + 1);
    }

    public static String bus(int gpu) {
        return "0000:%02x:00.0".formatted(gpu + 1);
    }

    public static String gpuId(int gpu) {
        return Integer.toString(1000 + gpu);
    }

    /// An MI300X: no temperature at the edge, power as it is now, energy in the table of metrics
    /// that comes with partitions.
    public AmdMachine mi300x(int gpu) throws IOException {
        appear(gpu);
        device(gpu, "product_name", "AMD Instinct MI300X OAM\n");
        device(gpu, "gpu_busy_percent", "97\n");
        device(gpu, "mem_info_vram_total", "206141652992\n");
        device(gpu, "mem_info_vram_used", "40894464000\n");
        monitor(gpu, "power1_input", "750000000\n");
        monitor(gpu, "temp2_input", "61000\n");
        monitor(gpu, "temp2_label", "junction\n");
        monitor(gpu, "temp3_input", "55000\n");
        monitor(gpu, "temp3_label", "mem\n");
        monitor(gpu, "freq1_input", "2100000000\n");
        monitor(gpu, "freq1_label", "sclk\n");
        monitor(gpu, "freq2_input", "1300000000\n");
        monitor(gpu, "freq2_label", "mclk\n");
        energy(gpu, 9_000_000);
        errors(gpu, "umc", 0, 3);
        errors(gpu, "gfx", 0, 1);
        device(gpu, "ras/features", "feature mask: 0x5\n");
        return this;
    }

    /// One of the two dies of an MI250: the second measures no power and no energy.
    public AmdMachine mi250(int gpu) throws IOException {
        boolean second = gpu % 2 == 1;
        appear(gpu);
        device(gpu, "product_name", "AMD INSTINCT MI250 (MCM) OAM AC MBA\n");
        device(gpu, "gpu_busy_percent", "40\n");
        device(gpu, "mem_info_vram_total", "68702699520\n");
        device(gpu, "mem_info_vram_used", "1048576000\n");
        monitor(gpu, "power1_average", second ? "0\n" : "410000000\n");
        monitor(gpu, "temp1_input", "44000\n");
        monitor(gpu, "temp1_label", "edge\n");
        monitor(gpu, "temp2_input", "49000\n");
        monitor(gpu, "temp2_label", "junction\n");
        device(gpu, "pp_dpm_sclk", "0: 500Mhz\n1: 1700Mhz *\n");
        device(gpu, "pp_dpm_mclk", "0: 400Mhz\n1: 1600Mhz *\n");
        metrics(gpu, 3, 120, 24, second ? 0 : 65_536_000);
        errors(gpu, "umc", 0, 0);
        return this;
    }

    /// A card for a desktop: it tells how busy it is, its memory and its temperature.
    public AmdMachine consumer(int gpu) throws IOException {
        appear(gpu);
        device(gpu, "gpu_busy_percent", "5\n");
        device(gpu, "mem_info_vram_used", "524288000\n");
        monitor(gpu, "temp1_input", "38000\n");
        return this;
    }

    /// The compute driver's node and the device files' folder of a GPU, and no more.
    public void appear(int gpu) throws IOException {
        node(
                gpuId(gpu),
                "simd_count 304\nunique_id %d\nlocation_id %d\ndomain 0\ndrm_render_minor %d\n"
                        .formatted(gpu + 1, (gpu + 1) << 8, 128 + gpu));
        render(128 + gpu);
        device(gpu, "power/runtime_status", "active\n");
    }

    /// A GPU is split into so many parts, of which the first stands for it so far.
    public void split(int gpu, int parts) throws IOException {
        for (int part = 1; part < parts; part++) {
            node(
                    Integer.toString(2000 + part),
                    "simd_count 38\nunique_id %d\nlocation_id %d\ndomain 0\ndrm_render_minor %d\n"
                            .formatted(
                                    100 + part,
                                    ((long) part << 28) | ((gpu + 1) << 8),
                                    200 + part));
            render(200 + part);
        }
    }

    /// It leaves the machine.
    public void vanish(int gpu) throws IOException {
        delete("sys/bus/pci/devices/" + bus(gpu));
        delete("sys/class/drm/renderD" + (128 + gpu));
    }

    private void node(String gpuId, String properties) throws IOException {
        if (!nodes.contains(gpuId)) {
            nodes.add(gpuId);
        }
        String node = NODES + nodes.indexOf(gpuId);
        file(node + "/properties", properties);
        file(node + "/gpu_id", gpuId + "\n");
    }

    private void render(int minor) throws IOException {
        file("sys/class/drm/renderD%d/dev".formatted(minor), "226:%d\n".formatted(minor));
    }

    /// A file of the device.
    public void device(int gpu, String name, String text) throws IOException {
        file("sys/bus/pci/devices/" + bus(gpu) + "/" + name, text);
    }

    /// A file of its sensors.
    public void monitor(int gpu, String name, String text) throws IOException {
        device(gpu, "hwmon/hwmon7/" + name, text);
    }

    public void errors(int gpu, String block, long uncorrectable, long corrected)
            throws IOException {
        device(
                gpu,
                "ras/" + block + "_err_count",
                "ue: %d\nce: %d\n".formatted(uncorrectable, corrected));
    }

    /// Of an MI300X.
    public void energy(int gpu, long millijoules) throws IOException {
        metrics(gpu, 6, 1664, 16, millijoules * 65_536 / 1000);
    }

    /// The table of metrics.
    public void metrics(int gpu, int content, int size, int at, long units) throws IOException {
        ByteBuffer table = ByteBuffer.allocate(size).order(ByteOrder.LITTLE_ENDIAN);
        table.putShort(0, (short) size).put(2, (byte) 1).put(3, (byte) content).putLong(at, units);
        write(path(gpu, "gpu_metrics"), table.array());
    }

    /// A process has so much of a GPU's memory.
    public void process(long number, int gpu, long bytes) throws IOException {
        file(
                "sys/class/kfd/kfd/proc/%d/vram_%s".formatted(number, gpuId(gpu)),
                "%d\n".formatted(bytes));
    }

    /// A process has a queue on a GPU.
    public void queue(long number, int gpu) throws IOException {
        file("sys/class/kfd/kfd/proc/%d/queues/3/gpuid".formatted(number), gpuId(gpu));
    }

    /// The kernel keeps a dump of a GPU that was reset.
    public void dump(int number, int gpu) throws IOException {
        Path dump = root.resolve("sys/class/devcoredump/devcd" + number);
        Files.createDirectories(dump);
        Files.createSymbolicLink(dump.resolve("failing_device"), Path.of("../../../", bus(gpu)));
    }

    /// Who reads that file of a device gets EIO from now on.
    public void silence(int gpu, String name) throws IOException {
        Files.delete(path(gpu, name));
        Files.createSymbolicLink(path(gpu, name), Path.of("/proc/self/mem"));
    }

    /// All files of a device that ask the GPU give EIO.
    public void silence(int gpu) throws IOException {
        silence(gpu, "gpu_busy_percent");
        for (String name : files().names("/sys/bus/pci/devices/" + bus(gpu) + "/hwmon/hwmon7")) {
            if (name.endsWith("_input")) {
                silence(gpu, "hwmon/hwmon7/" + name);
            }
        }
    }

    public void delete(String path) throws IOException {
        try (Stream<Path> all = Files.walk(root.resolve(path))) {
            for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(each);
            }
        }
    }

    public Path path(int gpu, String name) {
        return root.resolve("sys/bus/pci/devices").resolve(bus(gpu)).resolve(name);
    }

    private void file(String path, String text) throws IOException {
        write(root.resolve(path), text.getBytes(StandardCharsets.UTF_8));
    }

    /// At once: who reads it sees the old or the new.
    private static void write(Path file, byte[] bytes) throws IOException {
        Path folder = Objects.requireNonNull(file.getParent());
        Files.createDirectories(folder);
        Path changed = Files.createTempFile(folder, ".", "");
        Files.write(changed, bytes);
        Files.move(changed, file, StandardCopyOption.ATOMIC_MOVE);
    }
}
