package io.berth.agent.launch;

import io.berth.agent.group.DeviceRules;
import io.berth.contracts.Gpu;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Device files of GPUs that tasks try to open, to prove which they cannot. They stand in the
/// agents' home: a GPU's own file may be missing from /dev, and a job could make one for itself.
public final class ProbeDevices {

    private static final Logger LOG = LoggerFactory.getLogger(ProbeDevices.class);

    private final Path folder;
    private final DeviceRules rules;
    private final Map<String, Path> byNumber = new ConcurrentSkipListMap<>();

    private ProbeDevices(Path folder, DeviceRules rules) {
        this.folder = folder;
        this.rules = rules;
    }

    /// Makes the files of these GPUs; that of NVIDIA's first if none of them has one. Without the
    /// right to make any, there is nothing to try and nothing is proven.
    public static ProbeDevices make(Path home, DeviceRules rules, Collection<Gpu> gpus)
            throws IOException {
        var probes = new ProbeDevices(Files.createDirectories(home.resolve("devices")), rules);
        probes.cover(gpus);
        if (numbers(rules, gpus).findAny().isEmpty()) {
            probes.add(rules.nvidiaMajor() + ":0");
        }
        return probes;
    }

    /// Makes the files that are not there yet: a GPU that is divided anew has other instances. Runs
    /// are launched side by side, and a file is made once.
    public synchronized void cover(Collection<Gpu> gpus) throws IOException {
        for (String number : numbers(rules, gpus).distinct().toList()) {
            add(number);
        }
    }

    private void add(String number) throws IOException {
        Path device = folder.resolve("gpu-" + number.replace(':', '-'));
        if (!byNumber.containsKey(number) && (Files.exists(device) || mknod(device, number))) {
            byNumber.put(number, device);
        }
    }

    public Collection<Path> all() {
        return byNumber.values();
    }

    /// Those that a run does not hold: of other GPUs, and if it has none, those by which all GPUs
    /// are controlled.
    public List<Path> foreign(Collection<Gpu> held) {
        List<Path> admitted =
                numbers(rules, held).map(byNumber::get).flatMap(Stream::ofNullable).toList();
        return byNumber.values().stream().filter(device -> !admitted.contains(device)).toList();
    }

    /// Those of the GPUs that it holds.
    public List<Path> own(Collection<Gpu> held) {
        return held.stream()
                .flatMap(gpu -> rules.devices(gpu).stream())
                .map(byNumber::get)
                .flatMap(Stream::ofNullable)
                .distinct()
                .toList();
    }

    private static Stream<String> numbers(DeviceRules rules, Collection<Gpu> gpus) {
        return Stream.concat(
                gpus.stream().flatMap(gpu -> rules.devices(gpu).stream()),
                rules.shared(gpus).stream().map(number -> number.replace("*", "0")));
    }

    private static boolean mknod(Path device, String number) throws IOException {
        String[] parts = number.split(":");
        Process process =
                new ProcessBuilder("mknod", "-m", "600", device.toString(), "c", parts[0], parts[1])
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
