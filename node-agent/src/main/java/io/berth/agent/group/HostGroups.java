package io.berth.agent.group;

import io.berth.agent.group.CgroupV1.Controller;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Optional;

/// The best means that this host has.
public final class HostGroups {

    private static final Path MOUNTS = Path.of("/proc/self/mounts");

    private HostGroups() {}

    /// @param parent name of the group above all nodes' groups
    public static Groups find(String parent, MemoryRule memory) throws IOException {
        return find(mounts(), parent, memory);
    }

    /// With memory as it is given.
    public static Groups find(String parent) throws IOException {
        return find(parent, MemoryRule.AS_GIVEN);
    }

    /// What is mounted, as proc(5) has it.
    static List<String> mounts() throws IOException {
        return Files.readAllLines(MOUNTS);
    }

    /// Where cgroups of version 2 are mounted, on a host that has all controllers there.
    public static Optional<Path> unified() throws IOException {
        return unified(mounts());
    }

    static Optional<Path> unified(List<String> mounts) {
        List<String[]> all = mounts.stream().map(mount -> mount.split(" ")).toList();
        boolean first =
                all.stream()
                        .filter(fields -> fields[2].equals("cgroup"))
                        .flatMap(fields -> Arrays.stream(fields[3].split(",")))
                        .anyMatch(option ->
                                Arrays.stream(Controller.values())
                                        .anyMatch(it -> it.kernelName().equals(option)));
        return first
                ? Optional.empty()
                : all.stream()
                        .filter(fields -> fields[2].equals("cgroup2"))
                        .map(fields -> Path.of(fields[1]))
                        .findFirst();
    }

    /// Processes that hold together, and are limited by nothing.
    public static Groups processTrees() {
        return new ProcessTrees();
    }

    static Groups find(List<String> mounts, String parent, MemoryRule memory) throws IOException {
        var v1 = new EnumMap<Controller, Path>(Controller.class);
        Path v2 = null;
        for (String mount : mounts) {
            String[] fields = mount.split(" ");
            Path folder = Path.of(fields[1]);
            if (fields[2].equals("cgroup")) {
                List<String> options = Arrays.asList(fields[3].split(","));
                for (Controller controller : Controller.values()) {
                    if (options.contains(controller.kernelName())) {
                        v1.putIfAbsent(controller, folder);
                    }
                }
            } else if (fields[2].equals("cgroup2") && v2 == null) {
                v2 = folder;
            }
        }
        Groups second =
                v2 != null && usable(List.of(v2))
                        ? new CgroupV2(v2, parent, memory)
                        : new ProcessTrees();
        if (!usable(v1.values())) {
            return second;
        }
        Groups first = new CgroupV1(v1, parent, memory);
        boolean both =
                second instanceof CgroupV2 more
                        && (more.hasControllers() || !v1.containsKey(Controller.DEVICES));
        return both ? new BothVersions(first, second, v1.containsKey(Controller.FREEZER)) : first;
    }

    /// Whether groups can be made there.
    private static boolean usable(Iterable<Path> mounts) {
        boolean any = false;
        for (Path mount : mounts) {
            any = true;
            if (!Files.isWritable(mount)) {
                return false;
            }
        }
        return any;
    }
}
