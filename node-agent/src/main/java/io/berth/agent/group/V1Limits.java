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

    /// There where the kernel counts swap.
    static final String WITH_SWAP = "memory.memsw.limit_in_bytes";

    private final Map<Controller, Path> folders;
    private final Map<Controller, Path> mounts;
    private final MemoryRule rule;
    private final EnumSet<Isolation> enforced = EnumSet.noneOf(Isolation.class);

    V1Limits(Map<Controller, Path> folders, Map<Controller, Path> mounts, MemoryRule rule) {
        this.folders = folders;
        this.mounts = mounts;
        this.rule = rule;
    }

    /// Sets those of a run. What was read back as it was set.
    Set<Isolation> set(Limits limits) throws IOException {
        set(limits.cpus(), limits.memoryBytes());
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

    /// Sets those of a step or task, which gets nothing that its parent has not. What was read back
    /// as it was set.
    Set<Isolation> set(ChildLimits limits) throws IOException {
        set(limits.cpus(), Math.multiplyExact(limits.memoryMib(), 1L << 20));
        Path cpuset = folders.get(Controller.CPUSET);
        if (cpuset != null) {
            Path nodes = cpuset.resolve("cpuset.mems");
            ControlFiles.writeOf(nodes, limits.memoryNodes(), cpuset.resolveSibling("cpuset.mems"));
        }
        Path devices = folders.get(Controller.DEVICES);
        if (devices != null && !limits.devices().isEmpty()) {
            Path parent = Objects.requireNonNull(devices.getParent());
            List<String> had = List.of(read(parent.resolve("devices.list")).split("\n"));
            limitDevices(devices, limits.devices().stream().filter(had::contains).toList());
        }
        return enforced;
    }

    /// @param cpus none is all of the parent's
    /// @param memory in bytes; 0 is all of the parent's
    private void set(IndexSet cpus, long memory) throws IOException {
        Path cpuset = folders.get(Controller.CPUSET);
        if (cpuset != null) {
            limitCpus(cpuset, Objects.requireNonNull(mounts.get(Controller.CPUSET)), cpus);
        }
        Path folder = folders.get(Controller.MEMORY);
        if (folder != null && memory > 0) {
            limitMemory(folder, memory);
        }
    }

    /// A group has no CPUs and no memory nodes until it is given some, from the top down: those of
    /// the group above.
    static void inheritCpus(Path group, Path mount) throws IOException {
        inherited(group, mount, "cpuset.cpus");
        inherited(group, mount, "cpuset.mems");
    }

    private static String inherited(Path group, Path mount, String file) throws IOException {
        String has = read(group.resolve(file));
        if (!has.isEmpty() || group.equals(mount)) {
            return has;
        }
        String above = inherited(Objects.requireNonNull(group.getParent()), mount, file);
        write(group.resolve(file), above);
        return above;
    }

    /// The kernel balances load over the CPUs of the group above, and so over these: that it need
    /// not look at these as well, at each of their changes and at the end, is told before they are
    /// there.
    private void limitCpus(Path leaf, Path mount, IndexSet cpus) throws IOException {
        write(leaf.resolve("cpuset.sched_load_balance"), "0");
        if (cpus.isEmpty()) {
            inheritCpus(leaf, mount);
            return;
        }
        Path above = Objects.requireNonNull(leaf.getParent());
        String unused = inherited(above, mount, "cpuset.cpus");
        write(leaf.resolve("cpuset.mems"), inherited(above, mount, "cpuset.mems"));
        write(leaf.resolve("cpuset.cpus"), cpus.toString());
        if (IndexSet.parse(read(leaf.resolve("cpuset.cpus"))).equals(cpus)) {
            enforced.add(Isolation.CPUSET);
        }
    }

    private void limitMemory(Path leaf, long bytes) throws IOException {
        MemoryRule.Allowed allowed = rule.of(bytes);
        if (rule.swappiness().isPresent()) {
            write(
                    leaf.resolve("memory.swappiness"),
                    Integer.toString(rule.swappiness().getAsInt()));
        }
        if (allowed.high() < allowed.ram()) {
            write(leaf.resolve("memory.soft_limit_in_bytes"), Long.toString(allowed.high()));
        }
        String limit = Long.toString(allowed.ram());
        Path file = leaf.resolve("memory.limit_in_bytes");
        write(file, limit);
        Path withSwap = leaf.resolve(WITH_SWAP);
        boolean swapLimited = !Files.exists(withSwap);
        if (!swapLimited) {
            String both = Long.toString(allowed.both());
            write(withSwap, both);
            swapLimited = read(withSwap).equals(both);
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
