package io.berth.agent.launch;

import io.berth.contracts.Gpu;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Device files of GPUs that tasks try to open, to prove which they cannot. They stand in the
/// agents' home: a GPU's own file may be missing from /dev, and a job could make one for itself.
public final class ProbeDevices {

    private static final Logger LOG = LoggerFactory.getLogger(ProbeDevices.class);

    private final TreeMap<Integer, Path> byMinor;

    private ProbeDevices(TreeMap<Integer, Path> byMinor) {
        this.byMinor = byMinor;
    }

    /// Makes the files of these GPUs; that of minor 0 if none of them has one. Without the right to
    /// make any, there is nothing to try and nothing is proven.
    public static ProbeDevices make(Path home, int major, Collection<Gpu> gpus) throws IOException {
        Path folder = Files.createDirectories(home.resolve("devices"));
        List<Integer> minors =
                gpus.stream().map(Gpu::minor).filter(minor -> minor >= 0).distinct().toList();
        var byMinor = new TreeMap<Integer, Path>();
        for (int minor : minors.isEmpty() ? List.of(0) : minors) {
            Path device = folder.resolve("nvidia-" + major + "-" + minor);
            if (Files.exists(device) || mknod(device, major, minor)) {
                byMinor.put(minor, device);
            }
        }
        return new ProbeDevices(byMinor);
    }

    public Collection<Path> all() {
        return byMinor.values();
    }

    /// Those of the GPUs that a run does not hold.
    public List<Path> foreign(Collection<Gpu> held) {
        List<Path> own = own(held);
        return byMinor.values().stream().filter(device -> !own.contains(device)).toList();
    }

    /// Those of the GPUs that it holds.
    public List<Path> own(Collection<Gpu> held) {
        return held.stream()
                .map(gpu -> byMinor.get(gpu.minor()))
                .flatMap(Stream::ofNullable)
                .toList();
    }

    private static boolean mknod(Path device, int major, int minor) throws IOException {
        Process process =
                new ProcessBuilder(
                                "mknod",
                                "-m",
                                "600",
                                device.toString(),
                                "c",
                                Integer.toString(major),
                                Integer.toString(minor))
                        .redirectErrorStream(true)
                        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                        .start();
        try {
            if (process.waitFor(10, TimeUnit.SECONDS) && process.exitValue() == 0) {
                return true;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        process.destroyForcibly();
        LOG.atInfo().addKeyValue("device", device).log("Device file for the check cannot be made");
        return false;
    }
}
