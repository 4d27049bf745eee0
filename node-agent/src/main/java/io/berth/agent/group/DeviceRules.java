package io.berth.agent.group;

import io.berth.contracts.Gpu;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// Which device files a run may open: those that every program needs, the network of the cluster,
/// and of the GPUs only its own.
public final class DeviceRules {

    /// null, zero, full, random, urandom, tty, console, ptmx, fuse and the pseudo-terminals.
    private static final List<String> ALWAYS =
            List.of("1:3", "1:5", "1:7", "1:8", "1:9", "5:0", "5:1", "5:2", "10:229", "136:*");

    /// What a holder of any NVIDIA GPU opens besides it: nvidiactl and nvidia-modeset.
    private static final List<Integer> NVIDIA_CONTROL = List.of(255, 254);

    private static final int NVIDIA_DEFAULT_MAJOR = 195;

    private final Map<String, Integer> majors;

    private DeviceRules(Map<String, Integer> majors) {
        this.majors = majors;
    }

    public static DeviceRules read() throws IOException {
        return parse(Files.readAllLines(Path.of("/proc/devices")));
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
        return new DeviceRules(majors);
    }

    /// The rules for a run that holds these GPUs.
    public List<String> allowing(List<Gpu> gpus) {
        var rules = new ArrayList<String>();
        ALWAYS.forEach(device -> rules.add(rule(device)));
        majors.forEach((name, major) -> {
            if (name.startsWith("infiniband") || name.startsWith("ucm")) {
                rules.add(rule(major + ":*"));
            }
        });
        List<Gpu> present = gpus.stream().filter(gpu -> gpu.minor() >= 0).toList();
        present.forEach(gpu -> rules.add(rule(nvidiaMajor() + ":" + gpu.minor())));
        if (!present.isEmpty()) {
            NVIDIA_CONTROL.forEach(minor -> rules.add(rule(nvidiaMajor() + ":" + minor)));
            Integer memory = majors.get("nvidia-uvm");
            if (memory != null) {
                rules.add(rule(memory + ":*"));
            }
        }
        return rules;
    }

    /// The major number of GPU device files.
    public int nvidiaMajor() {
        Integer major = majors.getOrDefault("nvidia", majors.get("nvidia-frontend"));
        return major == null ? NVIDIA_DEFAULT_MAJOR : major;
    }

    private static String rule(String device) {
        return "c " + device + " rw";
    }
}
