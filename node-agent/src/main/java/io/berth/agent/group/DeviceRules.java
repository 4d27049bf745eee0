package io.berth.agent.group;

import io.berth.contracts.Gpu;
import io.berth.contracts.GpuHardware;
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

/// Which device files a run may open: those that every program needs, the network of the cluster,
/// and of the GPUs only its own.
public final class DeviceRules {

    /// null, zero, full, random, urandom, tty, console, ptmx, fuse and the pseudo-terminals.
    private static final List<String> ALWAYS =
            List.of("1:3", "1:5", "1:7", "1:8", "1:9", "5:0", "5:1", "5:2", "10:229", "136:*");

    /// What a holder of any NVIDIA GPU opens besides it: nvidiactl and nvidia-modeset.
    private static final List<Integer> NVIDIA_CONTROL = List.of(255, 254);

    /// Of no device: GPUs have those up to 247.
    private static final int NVIDIA_UNUSED = 253;

    private static final int NVIDIA_DEFAULT_MAJOR = 195;
    private static final int DRM_MAJOR = 226;

    private static final Path DRIVERS = Path.of("/proc/devices");

    private final Map<String, Integer> majors;
    private final Set<String> guarded;

    /// Tells them as they are now: a driver that is loaded, or loaded anew, has another number than
    /// before.
    @FunctionalInterface
    public interface Source {
        DeviceRules now() throws IOException;
    }

    private DeviceRules(Map<String, Integer> majors, Set<String> guarded) {
        this.majors = majors;
        this.guarded = guarded;
    }

    public static DeviceRules read() throws IOException {
        return read(DRIVERS);
    }

    /// @param drivers that are loaded, in the form of /proc/devices
    public static DeviceRules read(Path drivers) throws IOException {
        return parse(Files.readAllLines(drivers));
    }

    static DeviceRules parse(List<String> lines) {
        var majors = new TreeMap<String, Integer>();
        for (String line : lines) {
            if (line.startsWith("Block devices")) {
                break;
            }
            String[] words = line.strip().split(" +", 2);
            if (words.length == 2 && words[0].chars().allMatch(Character::isDigit)) {
                majors.putIfAbsent(words[1], Integer.valueOf(words[0]));
            }
        }
        return new DeviceRules(majors, Set.of());
    }

    /// The same where devices are given out one by one: of the cluster's network, if one of them is
    /// of it, a run opens no others.
    ///
    /// @param numbers of all that the machine has, as [io.berth.agent.host.DeviceFile#number] names
    ///   them
    public DeviceRules guarding(Set<String> numbers) {
        return new DeviceRules(majors, Set.copyOf(numbers));
    }

    /// The rules for a run that holds these GPUs.
    public List<String> allowing(List<Gpu> gpus) {
        return allowing(gpus, List.of());
    }

    /// The rules for a run that holds these GPUs, and other devices.
    ///
    /// @param own of those that are given out, as [io.berth.agent.host.DeviceFile#number] names
    ///   them
    public List<String> allowing(List<Gpu> gpus, Collection<String> own) {
        var rules = new ArrayList<String>();
        ALWAYS.forEach(device -> rules.add(rule(device)));
        majors.forEach((name, major) -> {
            boolean network = name.startsWith("infiniband") || name.startsWith("ucm");
            if (network && guarded.stream().noneMatch(it -> it.startsWith("c " + major + ":"))) {
                rules.add(rule(major + ":*"));
            }
        });
        gpus.stream()
                .flatMap(gpu -> devices(gpu).stream())
                .distinct()
                .forEach(it -> rules.add(rule(it)));
        shared(gpus).forEach(device -> rules.add(rule(device)));
        own.forEach(device -> rules.add(device + " rw"));
        return rules;
    }

    /// Whether rules let a device be opened.
    ///
    /// @param number `major:minor`
    public static boolean allow(Collection<String> rules, String number) {
        return rules.contains(rule(number))
                || rules.contains(rule(number.replaceFirst(":.*", ":*")));
    }

    /// The numbers of devices of which each run is refused one at least: one that none is given,
    /// and two IMEX channels where the driver has any, as a run has one at most.
    public List<String> foreign() {
        var devices = new ArrayList<String>();
        devices.add(nvidiaMajor() + ":" + NVIDIA_UNUSED);
        major("nvidia-caps-imex-channels")
                .ifPresent(major -> devices.addAll(List.of(major + ":0", major + ":1")));
        return devices;
    }

    /// The rule for an IMEX channel; nothing where the driver has none.
    public Optional<String> imexChannel(int channel) {
        return major("nvidia-caps-imex-channels").map(major -> rule(major + ":" + channel));
    }

    /// The numbers of the device files that all holders of GPUs of a vendor open, and nobody else:
    /// `major:minor`, where the minor may be `*`.
    public List<String> shared(Collection<Gpu> gpus) {
        var devices = new ArrayList<String>();
        if (gpus.stream().anyMatch(gpu -> gpu.minor() >= 0)) {
            NVIDIA_CONTROL.forEach(minor -> devices.add(nvidiaMajor() + ":" + minor));
            major("nvidia-uvm").ifPresent(major -> devices.add(major + ":*"));
        }
        if (gpus.stream().anyMatch(gpu -> renderMinor(gpu).isPresent())) {
            major("kfd").ifPresent(major -> devices.add(major + ":0"));
        }
        return devices;
    }

    /// The numbers of the device files that are a GPU's own, `major:minor`: that of the GPU, for a
    /// MIG instance those of its capabilities too, and AMD's render node. None if it has no file.
    public List<String> devices(Gpu gpu) {
        var devices = new ArrayList<String>();
        if (gpu.minor() >= 0) {
            devices.add(nvidiaMajor() + ":" + gpu.minor());
        }
        Integer capabilities = majors.get("nvidia-caps");
        GpuHardware hardware = gpu.hardware();
        if (hardware != null && hardware.mig() != null && capabilities != null) {
            hardware.mig().capabilities().toBitSet().stream()
                    .forEach(minor -> devices.add(capabilities + ":" + minor));
        }
        renderMinor(gpu).ifPresent(minor -> devices.add(DRM_MAJOR + ":" + minor));
        return devices;
    }

    /// The major number of GPU device files.
    public int nvidiaMajor() {
        Integer major = majors.getOrDefault("nvidia", majors.get("nvidia-frontend"));
        return major == null ? NVIDIA_DEFAULT_MAJOR : major;
    }

    private Optional<Integer> major(String driver) {
        return Optional.ofNullable(majors.get(driver));
    }

    private static Optional<Integer> renderMinor(Gpu gpu) {
        return Optional.ofNullable(gpu.hardware()).map(GpuHardware::renderMinor);
    }

    private static String rule(String device) {
        return "c " + device + " rw";
    }
}
