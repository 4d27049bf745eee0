package io.berth.agent.launch;

import io.berth.agent.group.DeviceRules;
import io.berth.contracts.Gpu;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Device files of GPUs that tasks try to open, to prove which they cannot. They stand in the
/// agents' home: a GPU's own file may be missing from /dev, and a job could make one for itself.
public final class ProbeDevices {

    private static final Logger LOG = LoggerFactory.getLogger(ProbeDevices.class);

    private final Path folder;
    private final Map<String, Gpu> known = new TreeMap<>();
    private final Map<String, Path> byNumber = new TreeMap<>();

    private ProbeDevices(Path folder) {
        this.folder = folder;
    }

    /// What the task of a run tries.
    ///
    /// @param foreign what its rules do not name: of other GPUs, and always what no run is given
    /// @param own of the GPUs that it holds, each with the UUID of one that has it
    public record Trial(List<Path> all, List<Path> foreign, Map<Path, String> own) {}

    /// Makes the files of these GPUs, and what no run is given. Without the right to make any,
    /// there is nothing to try and nothing is proven.
    public static ProbeDevices make(Path home, DeviceRules rules, Collection<Gpu> gpus)
            throws IOException {
        var probes = new ProbeDevices(Files.createDirectories(home.resolve("devices")));
        probes.cover(rules, gpus);
        return probes;
    }

    /// What a run is to try that holds some of these GPUs.
    ///
    /// @param rules as they are now
    /// @param allowed the run's own, as [io.berth.agent.group.Limits] has them
    public synchronized Trial trial(
            DeviceRules rules, Collection<Gpu> gpus, Collection<Gpu> held, List<String> allowed)
            throws IOException {
        cover(rules, gpus);
        var foreign = new ArrayList<Path>();
        byNumber.forEach((number, file) -> {
            if (!DeviceRules.allow(allowed, number)) {
                foreign.add(file);
            }
        });
        var own = new TreeMap<Path, String>();
        for (Gpu gpu : held) {
            for (String number : rules.devices(gpu)) {
                Optional.ofNullable(byNumber.get(number))
                        .ifPresent(file -> own.put(file, gpu.uuid()));
            }
        }
        return new Trial(List.copyOf(byNumber.values()), foreign, own);
    }

    /// Makes the files that are not there yet: a GPU that is divided anew has other instances, and
    /// a driver that is loaded anew another number. The one that it had may be some other driver's.
    private void cover(DeviceRules rules, Collection<Gpu> gpus) throws IOException {
        gpus.forEach(gpu -> known.put(gpu.uuid(), gpu));
        Set<String> numbers = numbers(rules, known.values());
        byNumber.keySet().retainAll(numbers);
        for (String number : numbers) {
            add(number);
        }
    }

    private void add(String number) throws IOException {
        Path device = folder.resolve("gpu-" + number.replace(':', '-'));
        if (!byNumber.containsKey(number) && (Files.exists(device) || mknod(device, number))) {
            byNumber.put(number, device);
        }
    }

    private static Set<String> numbers(DeviceRules rules, Collection<Gpu> gpus) {
        var numbers = new TreeSet<>(rules.foreign());
        gpus.forEach(gpu -> numbers.addAll(rules.devices(gpu)));
        rules.shared(gpus).forEach(number -> numbers.add(number.replace("*", "0")));
        return numbers;
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
