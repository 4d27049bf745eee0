package io.berth.agent.group;

import static io.berth.agent.group.ControlFiles.read;
import static io.berth.agent.group.ControlFiles.write;

import io.berth.contracts.IndexSet;
import io.berth.contracts.Isolation;
import io.berth.contracts.NodeName;
import io.berth.contracts.RunId;
import io.berth.contracts.event.RunReport.Usage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.locks.LockSupport;

/// Groups as cgroups of version 1: one tree for each controller, in each of them
/// `<parent>/<node>/<run>/task`.
final class CgroupV1 implements Groups {

    /// The controllers that are used where they are mounted.
    enum Controller {
        /// First to be entered: whoever is in it can be frozen.
        FREEZER,
        CPUACCT,
        CPUSET,
        MEMORY,
        DEVICES;

        String kernelName() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    private final Map<Controller, Path> mounts;
    private final String parent;

    CgroupV1(Map<Controller, Path> mounts, String parent) {
        this.mounts = new EnumMap<>(mounts);
        this.parent = parent;
    }

    @Override
    public String description() {
        return "cgroup v1";
    }

    @Override
    public Group create(NodeName node, RunId run, Limits limits) throws IOException {
        var used = EnumSet.copyOf(mounts.keySet());
        if (limits.cpus().isEmpty()) {
            used.remove(Controller.CPUSET);
        }
        var group = new V1Group(folders(node, run, used));
        if (!group.members().isEmpty()) {
            group.kill();
        }
        group.remove();
        for (Path folder : group.folders.values()) {
            Files.createDirectories(folder);
        }
        try {
            group.limit(limits, mounts);
        } catch (IOException e) {
            group.remove();
            throw e;
        }
        return group;
    }

    @Override
    public Group find(NodeName node, RunId run) {
        return new V1Group(folders(node, run, mounts.keySet()));
    }

    @Override
    public void removeEmptyParents(NodeName node) {
        for (Path mount : mounts.values()) {
            Path top = mount.resolve(parent);
            if (ControlFiles.removeIfEmpty(top.resolve(node.value()))) {
                ControlFiles.removeIfEmpty(top);
            }
        }
    }

    private Map<Controller, Path> folders(NodeName node, RunId run, Set<Controller> controllers) {
        var folders = new EnumMap<Controller, Path>(Controller.class);
        mounts.forEach((controller, mount) -> {
            if (controllers.contains(controller)) {
                folders.put(
                        controller,
                        mount.resolve(parent)
                                .resolve(node.value())
                                .resolve(run.toString())
                                .resolve("task"));
            }
        });
        return folders;
    }

    private static final class V1Group implements Group {

        private static final int FREEZE_TRIES = 100;
        private static final long FREEZE_PAUSE_NANOS = 1_000_000;

        private final Map<Controller, Path> folders;
        private final EnumSet<Isolation> enforced = EnumSet.noneOf(Isolation.class);

        V1Group(Map<Controller, Path> folders) {
            this.folders = folders;
        }

        @Override
        public List<Path> entrances() {
            return folders.values().stream().map(ControlFiles::entrance).toList();
        }

        @Override
        public Set<Isolation> enforced() {
            return Set.copyOf(enforced);
        }

        @Override
        public Set<Long> members() throws IOException {
            var pids = new TreeSet<Long>();
            for (Path folder : folders.values()) {
                pids.addAll(ControlFiles.processes(folder));
            }
            return pids;
        }

        /// Frozen, a group cannot fork away from KILL, which takes effect when it thaws.
        @Override
        public void kill() throws IOException {
            Path freezer = folders.get(Controller.FREEZER);
            if (freezer == null || !Files.exists(freezer)) {
                ControlFiles.killAll(members());
                return;
            }
            Path state = freezer.resolve("freezer.state");
            for (int tries = 0; tries < FREEZE_TRIES; tries++) {
                write(state, "FROZEN");
                if (read(state).equals("FROZEN")) {
                    break;
                }
                LockSupport.parkNanos(FREEZE_PAUSE_NANOS);
            }
            try {
                ControlFiles.killAll(members());
            } finally {
                write(state, "THAWED");
            }
        }

        @Override
        public Usage usage() throws IOException {
            Path cpu = folders.get(Controller.CPUACCT);
            Path memory = folders.get(Controller.MEMORY);
            return new Usage(
                    cpu == null || !Files.exists(cpu)
                            ? 0
                            : Long.parseLong(read(cpu.resolve("cpuacct.usage"))) / 1_000_000,
                    memory == null || !Files.exists(memory)
                            ? 0
                            : Long.parseLong(read(memory.resolve("memory.max_usage_in_bytes")))
                                    >> 20);
        }

        @Override
        public boolean outOfMemory() throws IOException {
            Path memory = folders.get(Controller.MEMORY);
            if (memory == null) {
                return false;
            }
            for (Path each : ControlFiles.tree(memory)) {
                if (ControlFiles.count(each.resolve("memory.oom_control"), "oom_kill") > 0) {
                    return true;
                }
            }
            return false;
        }

        @Override
        public void remove() throws IOException {
            for (Path folder : folders.values()) {
                ControlFiles.remove(folder);
                Path run = folder.getParent();
                if (run != null) {
                    ControlFiles.remove(run);
                }
            }
        }

        void limit(Limits limits, Map<Controller, Path> mounts) throws IOException {
            Path cpuset = folders.get(Controller.CPUSET);
            if (cpuset != null) {
                limitCpus(
                        cpuset,
                        Objects.requireNonNull(mounts.get(Controller.CPUSET)),
                        limits.cpus());
            }
            Path memory = folders.get(Controller.MEMORY);
            if (memory != null) {
                limitMemory(memory, limits.memoryBytes());
            }
            Path devices = folders.get(Controller.DEVICES);
            if (devices != null) {
                limitDevices(devices, limits.devices());
            }
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
            for (String rule : allowed) {
                write(leaf.resolve("devices.allow"), rule);
            }
            String list = read(leaf.resolve("devices.list"));
            if (Set.copyOf(Arrays.asList(list.split("\n"))).equals(Set.copyOf(allowed))) {
                enforced.add(Isolation.DEVICES);
            }
        }
    }
}
