import io.berth.agent.amd.AmdSensors;
import io.berth.agent.host.SystemFiles;
import io.berth.contracts.Hardware.Health;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;

/// Measures how long an agent takes to sample eight AMD GPUs, in files such as those of eight MI300X with a process each. What the driver takes to fill its files is not in it.
///
/// `java -cp "node-agent/target/quarkus-app/app/*:node-agent/target/quarkus-app/lib/main/*" benchmarks/AmdTelemetry.java FOLDER`, where FOLDER is to be made, in memory for choice.
class AmdTelemetry {

    private static final int GPUS = 8;
    private static final int SAMPLES = 1000;

    /// What an MI300X has errors of.
    private static final String[] BLOCKS = {"umc", "sdma", "gfx", "mmhub", "pcie_bif", "hdp", "xgmi_wafl", "mca_mp0", "vcn", "jpeg"};

    public static void main(String[] arguments) throws Exception {
        Path root = Path.of(arguments[0]);
        for (int gpu = 0; gpu < GPUS; gpu++) {
            make(root, gpu);
        }
        System.out.println("load " + Files.readString(Path.of("/proc/loadavg")).split(" ")[0]);
        try (AmdSensors sensors = AmdSensors.open(new SystemFiles(root)).orElseThrow()) {
            var took = new double[SAMPLES];
            int samples = 0;
            var threads = ManagementFactory.getThreadMXBean();
            long worked = 0;
            for (int i = -SAMPLES / 10; i < SAMPLES; i++) {
                worked = i == 0 ? threads.getCurrentThreadCpuTime() : worked;
                long before = System.nanoTime();
                samples = 0;
                for (String uuid : sensors.uuids()) {
                    samples += sensors.read(uuid, Health.HEALTHY).size();
                }
                took[Math.max(0, i)] = (System.nanoTime() - before) / 1e6;
            }
            double processor = (threads.getCurrentThreadCpuTime() - worked) / 1e6 / SAMPLES;
            Arrays.sort(took);
            System.out.printf("telemetry of %d GPUs: processor %.2f ms, p50 %.2f ms, p99 %.2f ms, worst %.2f ms of %d%n", samples, processor, took[SAMPLES / 2], took[SAMPLES * 99 / 100], took[SAMPLES - 1], SAMPLES);
        }
    }

    private static void make(Path root, int gpu) throws IOException {
        String kfd = "sys/class/kfd/kfd/";
        String device = "sys/bus/pci/devices/0000:%02x:00.0/".formatted(gpu + 1);
        String monitor = device + "hwmon/hwmon%d/".formatted(gpu);
        Map<String, String> files = new TreeMap<>(Map.of(
                kfd + "topology/nodes/%d/properties".formatted(gpu), "simd_count 1216\nunique_id %d\nlocation_id %d\ndomain 0\ndrm_render_minor %d\n".formatted(gpu + 1, gpu + 1 << 8, 128 + gpu),
                kfd + "topology/nodes/%d/gpu_id".formatted(gpu), "%d\n".formatted(1000 + gpu),
                "sys/class/drm/renderD%d/dev".formatted(128 + gpu), "226:%d\n".formatted(128 + gpu),
                device + "power/runtime_status", "active\n",
                device + "gpu_busy_percent", "97\n",
                device + "mem_info_vram_total", "206141652992\n",
                device + "mem_info_vram_used", "40894464000\n",
                monitor + "power1_input", "750000000\n"));
        files.putAll(Map.of(
                monitor + "temp2_label", "junction\n",
                monitor + "temp2_input", "61000\n",
                monitor + "freq1_label", "sclk\n",
                monitor + "freq1_input", "2100000000\n",
                monitor + "freq2_label", "mclk\n",
                monitor + "freq2_input", "1300000000\n"));
        for (String block : BLOCKS) {
            files.put(device + "ras/" + block + "_err_count", "ue: 0\nce: 3\n");
        }
        for (int other = 0; other < GPUS; other++) {
            files.put(kfd + "proc/%d/vram_%d".formatted(4711 + gpu, 1000 + other), gpu == other ? "1610612736\n" : "0\n");
        }
        files.put(kfd + "proc/%d/queues/0/gpuid".formatted(4711 + gpu), "%d".formatted(1000 + gpu));
        for (Map.Entry<String, String> file : files.entrySet()) {
            Files.createDirectories(root.resolve(file.getKey()).getParent());
            Files.writeString(root.resolve(file.getKey()), file.getValue());
        }
        byte[] metrics = new byte[1664];
        metrics[2] = 1;
        metrics[3] = 7;
        metrics[24] = 1;
        Files.write(root.resolve(device + "gpu_metrics"), metrics);
    }
}
