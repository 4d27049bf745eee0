package io.berth.agent.group;

import static io.berth.agent.group.ControlFiles.read;
import static io.berth.agent.group.ControlFiles.write;

import io.berth.contracts.Consumption;
import io.berth.contracts.IndexSet;
import io.berth.contracts.Isolation;
import io.berth.contracts.NodeName;
import io.berth.contracts.RunId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Groups as cgroups of version 2: `<parent>/<node>/<run>` in the one tree, with the script in its
/// group `script` and each step in one of its own, there its `srun` in the group `srun`: where
/// groups have controllers, processes are in the leaves alone. What has no control file there, the
/// devices, is limited by a program in the kernel.
final class CgroupV2 implements Groups {

    private static final Logger LOG = LoggerFactory.getLogger(CgroupV2.class);
    private static final List<String> CONTROLLERS = List.of("cpuset", "memory", "pids", "io");

    private final Path mount;
    private final String parent;
    private final MemoryRule memory;

    CgroupV2(Path mount, String parent, MemoryRule memory) {
        this.mount = mount;
        this.parent = parent;
        this.memory = memory;
    }

    @Override
    public String description() {
        return "cgroup v2";
    }

    /// Whether it has any that limit or count: one that version 1 has is not there.
    boolean hasControllers() throws IOException {
        Path controllers = mount.resolve("cgroup.controllers");
        return Files.exists(controllers)
                && words(controllers).stream().anyMatch(CONTROLLERS::contains);
    }

    @Override
    public Group create(NodeName node, RunId run, Limits limits) throws IOException {
        var group = new V2Group(Level.RUN, mount, folder(node, run), memory);
        if (!group.isEmpty()) {
            group.kill();
        }
        group.remove();
        Path above = mount;
        for (Path name : mount.relativize(group.folder)) {
            delegate(above);
            above = above.resolve(name);
            Files.createDirectories(above);
        }
        try {
            group.limit(limits);
            group.open();
        } catch (IOException e) {
            group.remove();
            throw e;
        }
        return group;
    }

    @Override
    public Group find(NodeName node, RunId run) {
        return new V2Group(Level.RUN, mount, ControlFiles.ofRun(folder(node, run)), memory);
    }

    @Override
    public void removeEmptyParents(NodeName node) {
        Path top = mount.resolve(parent);
        if (ControlFiles.removeIfEmpty(top.resolve(node.value()))) {
            ControlFiles.removeIfEmpty(top);
        }
    }

    private Path folder(NodeName node, RunId run) {
        return mount.resolve(parent).resolve(node.value()).resolve(run.toString());
    }

    /// Lets the groups in a group use the controllers that it has. One that cannot be handed on is
    /// missing below, and what it would have enforced is not reported. Where somebody is in the
    /// group itself, none is handed on: those of threads (`cpuset`, `pids`) could be, and then
    /// nobody could enter a group below.
    static void delegate(Path group) throws IOException {
        boolean topmost = !Files.exists(group.resolve("cgroup.type"));
        if (!topmost && !read(ControlFiles.entrance(group)).isEmpty()) {
            LOG.atWarn()
                    .addKeyValue("group", group)
                    .log("Controllers cannot be delegated: processes are in the group itself");
            return;
        }
        List<String> available = words(group.resolve("cgroup.controllers"));
        List<String> delegated = words(group.resolve("cgroup.subtree_control"));
        for (String controller : CONTROLLERS) {
            if (available.contains(controller) && !delegated.contains(controller)) {
                try {
                    write(group.resolve("cgroup.subtree_control"), "+" + controller);
                } catch (IOException e) {
                    LOG.atWarn()
                            .addKeyValue("group", group)
                            .addKeyValue("controller", controller)
                            .log("Controller cannot be delegated");
                }
            }
        }
    }

    /// Lets them use none any more.
    static void takeBack(Path group) throws IOException {
        Path delegated = group.resolve("cgroup.subtree_control");
        for (String controller : words(delegated)) {
            if (CONTROLLERS.contains(controller)) {
                write(delegated, "-" + controller);
            }
        }
    }

    private static List<String> words(Path file) throws IOException {
        return Arrays.asList(read(file).split(" "));
    }

    private static final class V2Group implements Group {

        private static final Pattern READ = Pattern.compile("rbytes=([0-9]+)");
        private static final Pattern WRITTEN = Pattern.compile("wbytes=([0-9]+)");
        private static final int FREEZE_TRIES = 2000;
        private static final long FREEZE_PAUSE_NANOS = 1_000_000;

        private final Level level;
        private final Path mount;
        private final Path folder;
        private final MemoryRule rule;
        private final EnumSet<Isolation> enforced = EnumSet.noneOf(Isolation.class);

        V2Group(Level level, Path mount, Path folder, MemoryRule rule) {
            this.level = level;
            this.mount = mount;
            this.folder = folder;
            this.rule = rule;
        }

        /// Where those are that are in no child.
        private Path leaf() {
            return folder.resolve(level == Level.RUN ? ControlFiles.SCRIPT : "srun");
        }

        /// Makes room for children.
        void open() throws IOException {
            delegate(folder);
            Files.createDirectory(leaf());
        }

        /// A task's group has no leaf, and agents of before made none.
        @Override
        public List<Path> entrances() {
            return List.of(ControlFiles.entrance(Files.exists(leaf()) ? leaf() : folder));
        }

        @Override
        public List<Path> folders() {
            return List.of(folder);
        }

        @Override
        public Set<Integer> children() throws IOException {
            return ControlFiles.children(folder, level);
        }

        @Override
        public boolean countsChildren() {
            return true;
        }

        @Override
        public Optional<Group> child(int number) {
            return Optional.of(below(number));
        }

        private V2Group below(int number) {
            return new V2Group(level.below(), mount, folder.resolve(level.child(number)), rule);
        }

        @Override
        public Group makeChild(int number, ChildLimits limits) throws IOException {
            if (!Files.exists(leaf())) {
                throw new IOException("an agent of before made the group");
            }
            V2Group child = below(number);
            Files.createDirectory(child.folder);
            try {
                child.limitCpus(limits.cpus());
                child.limitMemoryNodes(limits.memoryNodes());
                if (limits.memoryMib() > 0) {
                    child.limitMemory(Math.multiplyExact(limits.memoryMib(), 1L << 20));
                }
                if (!limits.devices().isEmpty()) {
                    child.limitDevices(limits.devices());
                }
                if (level == Level.RUN) {
                    child.open();
                }
            } catch (IOException e) {
                child.remove();
                throw e;
            }
            return child;
        }

        @Override
        public Set<Isolation> enforced() {
            return Set.copyOf(enforced);
        }

        @Override
        public Set<Long> members() throws IOException {
            return ControlFiles.processes(folder);
        }

        @Override
        public boolean isEmpty() throws IOException {
            Path events = folder.resolve("cgroup.events");
            try {
                return !Files.exists(events) || ControlFiles.count(events, "populated") == 0;
            } catch (NoSuchFileException e) {
                return true; // Gone in between.
            }
        }

        @Override
        public boolean has(long pid) throws IOException {
            return ControlFiles.seenIn(mount, folder, pid) || members().contains(pid);
        }

        @Override
        public void kill() throws IOException {
            Path kill = folder.resolve("cgroup.kill");
            if (Files.exists(kill)) {
                write(kill, "1");
            } else {
                ControlFiles.killAll(members());
            }
        }

        @Override
        public void suspend() throws IOException {
            Path freeze = folder.resolve("cgroup.freeze");
            if (!Files.exists(freeze)) {
                Signals.stopAll(this);
                return;
            }
            write(freeze, "1");
            Path events = folder.resolve("cgroup.events");
            for (int tries = 0; ControlFiles.count(events, "frozen") == 0; tries++) {
                if (tries == FREEZE_TRIES) {
                    throw new IOException("the group does not freeze");
                }
                LockSupport.parkNanos(FREEZE_PAUSE_NANOS);
            }
        }

        @Override
        public void resume() throws IOException {
            Path freeze = folder.resolve("cgroup.freeze");
            if (Files.exists(freeze)) {
                write(freeze, "0");
            } else {
                signal(Kill.CONTINUE);
            }
        }

        @Override
        public Consumption usage() throws IOException {
            if (!Files.exists(folder)) {
                return Consumption.NONE;
            }
            Path peak = folder.resolve("memory.peak");
            String io = ControlFiles.textOf(folder.resolve("io.stat"));
            return new Consumption(
                    ControlFiles.count(folder.resolve("cpu.stat"), "usage_usec") / 1000,
                    Files.exists(peak) ? Long.parseLong(read(peak)) >> 20 : 0,
                    ControlFiles.mib(io, READ),
                    ControlFiles.mib(io, WRITTEN));
        }

        @Override
        public boolean outOfMemory() throws IOException {
            for (Path each : ControlFiles.tree(folder)) {
                Path local = each.resolve("memory.events.local");
                Path events = Files.exists(local) ? local : each.resolve("memory.events");
                if (Files.exists(events) && ControlFiles.count(events, "oom_kill") > 0) {
                    return true;
                }
            }
            return false;
        }

        @Override
        public void remove() throws IOException {
            ControlFiles.remove(level == Level.RUN ? ControlFiles.folderOf(folder) : folder);
        }

        void limit(Limits limits) throws IOException {
            limitCpus(limits.cpus());
            limitMemory(limits.memoryBytes());
            Path pids = folder.resolve("pids.max");
            if (Files.exists(pids) && limits.processes() > 0) {
                write(pids, Integer.toString(limits.processes()));
            }
            limitDevices(limits.devices());
        }

        private void limitCpus(IndexSet wanted) throws IOException {
            Path cpus = folder.resolve("cpuset.cpus");
            if (Files.exists(cpus) && !wanted.isEmpty()) {
                write(cpus, wanted.toString());
                String effective = read(folder.resolve("cpuset.cpus.effective"));
                if (IndexSet.parse(effective).equals(wanted)) {
                    enforced.add(Isolation.CPUSET);
                }
            }
        }

        private void limitMemoryNodes(IndexSet wanted) throws IOException {
            Path nodes = folder.resolve("cpuset.mems");
            if (Files.exists(nodes)) {
                ControlFiles.writeOf(nodes, wanted, folder.resolveSibling("cpuset.mems.effective"));
            }
        }

        private void limitMemory(long bytes) throws IOException {
            Path memory = folder.resolve("memory.max");
            if (Files.exists(memory)) {
                MemoryRule.Allowed allowed = rule.of(bytes);
                if (allowed.high() < allowed.ram()) {
                    write(folder.resolve("memory.high"), Long.toString(allowed.high()));
                }
                String limit = Long.toString(allowed.ram());
                write(memory, limit);
                Path swap = folder.resolve("memory.swap.max");
                if (Files.exists(swap)) {
                    write(swap, Long.toString(allowed.swap()));
                }
                if (read(memory).equals(limit)) {
                    enforced.add(Isolation.MEMORY);
                }
            }
        }

        /// A kernel that takes no filter leaves the devices open, which is seen and reported.
        private void limitDevices(List<String> allowed) {
            try {
                if (DeviceFilter.attach(folder, allowed)) {
                    enforced.add(Isolation.DEVICES);
                }
            } catch (IOException e) {
                LOG.atWarn()
                        .addKeyValue("group", folder)
                        .addKeyValue("cause", e.getMessage())
                        .log("Devices are not limited");
            }
        }
    }
}
