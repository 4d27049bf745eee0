package io.berth.agent.group;

import static io.berth.agent.group.ControlFiles.read;
import static io.berth.agent.group.ControlFiles.write;

import io.berth.agent.group.CgroupV1.Controller;
import io.berth.contracts.IndexSet;
import io.berth.contracts.Isolation;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/// The limits of one group of version 1, a folder for each controller.
final class V1Limits {

    private final Map<Controller, Path> folders;
    private final Map<Controller, Path> mounts;
    private final EnumSet<Isolation> enforced = EnumSet.noneOf(Isolation.class);

    V1Limits(Map<Controller, Path> folders, Map<Controller, Path> mounts) {
        this.folders = folders;
        this.mounts = mounts;
    }

    /// Sets them. What was read back as it was set.
    Set<Isolation> set(Limits limits) throws IOException {
        Path cpuset = folders.get(Controller.CPUSET);
        if (cpuset != null) {
            limitCpus(cpuset, Objects.requireNonNull(mounts.get(Controller.CPUSET)), limits.cpus());
        }
        Path memory = folders.get(Controller.MEMORY);
        if (memory != null) {
            limitMemory(memory, limits.memoryBytes());
        }
        Path pids = folders.get(Controller.PIDS);
        if (pids != null && limits.processes() > 0) {
            write(pids.resolve("pids.max"), Integer.toString(limits.processes()));
        }
        Path devices = folders.get(Controller.DEVICES);
        if (devices != null) {
            limitDevices(devices, limits.devices());
        }
        return enforced;
    }

    /// Sets those of a step in the group of its run. What was read back as it was set.
    Set<Isolation> set(StepLimits limits) throws IOException {
        Path cpuset = folders.get(Controller.CPUSET);
        if (cpuset != null) {
            Path ofRun = Objects.requireNonNull(cpuset.getParent());
            limitCpus(
                    cpuset,
                    Objects.requireNonNull(mounts.get(Controller.CPUSET)),
                    limits.cpus().isEmpty()
                            ? IndexSet.parse(read(ofRun.resolve("cpuset.cpus")))
                            : limits.cpus());
        }
        Path memory = folders.get(Controller.MEMORY);
        if (memory != null && limits.memoryMib() > 0) {
            limitMemory(memory, Math.multiplyExact(limits.memoryMib(), 1L << 20));
        }
        return enforced;
    }

    /// A group has no CPUs and no memory nodes until it is given some, from the top down.
    private void limitCpus(Path leaf, Path mount, IndexSet cpus) throws IOException {
        Path above = mount;
        for (Path name : mount.relativize(leaf)) {
            Path group = above.resolve(name);
            for (String file : List.of("cpuset.cpus", "cpuset.mems")) {
                if (read(group.resolve(file)).isEmpty()) {
                    write(group.resolve(file), read(above.resolve(file)));
                }
            }
            above = group;
        }
        write(leaf.resolve("cpuset.cpus"), cpus.toString());
        if (IndexSet.parse(read(leaf.resolve("cpuset.cpus"))).equals(cpus)) {
            enforced.add(Isolation.CPUSET);
        }
    }

    private void limitMemory(Path leaf, long bytes) throws IOException {
        String limit = Long.toString(bytes);
        Path file = leaf.resolve("memory.limit_in_bytes");
        write(file, limit);
        Path withSwap = leaf.resolve("memory.memsw.limit_in_bytes");
        boolean swapLimited = !Files.exists(withSwap);
        if (!swapLimited) {
            write(withSwap, limit);
            swapLimited = read(withSwap).equals(limit);
        }
        if (swapLimited && read(file).equals(limit)) {
            enforced.add(Isolation.MEMORY);
        }
    }

    /// All is denied first: only the list of what is allowed can be read back.
    private void limitDevices(Path leaf, List<String> allowed) throws IOException {
        write(leaf.resolve("devices.deny"), "a");
        ControlFiles.writeAll(leaf.resolve("devices.allow"), allowed);
        String list = read(leaf.resolve("devices.list"));
        if (Set.copyOf(Arrays.asList(list.split("\n"))).equals(Set.copyOf(allowed))) {
            enforced.add(Isolation.DEVICES);
        }
    }
}
