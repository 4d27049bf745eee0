package io.berth.agent.group;

import static io.berth.agent.group.ControlFiles.read;
import static io.berth.agent.group.ControlFiles.write;

import io.berth.contracts.Consumption;
import io.berth.contracts.Isolation;
import io.berth.contracts.NodeName;
import io.berth.contracts.RunId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

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
        PIDS,
        BLKIO,
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
    public Optional<String> favorMoves() throws IOException {
        try {
            return FavorDynmods.set(Kernel.here(), FavorDynmods.MOUNTS);
        } catch (LinkageError e) {
            return Optional.of("no calls to the kernel can be made: " + e.getMessage());
        }
    }

    @Override
    public Group create(NodeName node, RunId run, Limits limits) throws IOException {
        var used = EnumSet.copyOf(mounts.keySet());
        if (limits.cpus().isEmpty()) {
            used.remove(Controller.CPUSET);
        }
        var group = new V1Group(folders(node, run, used), mounts, false);
        if (group.folders.values().stream().anyMatch(Files::exists)) {
            group.kill();
            group.remove();
        }
        // Controllers that are mounted together have one folder.
        for (Path folder : Set.copyOf(group.folders.values())) {
            Files.createDirectories(Objects.requireNonNull(folder.getParent()));
            Files.createDirectory(folder);
        }
        try {
            group.enforced.addAll(new V1Limits(group.folders, mounts).set(limits));
        } catch (IOException e) {
            group.remove();
            throw e;
        }
        return group;
    }

    @Override
    public Group find(NodeName node, RunId run) {
        return new V1Group(folders(node, run, mounts.keySet()), mounts, false);
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
        private static final int SUSPEND_TRIES = 2000;
        private static final long FREEZE_PAUSE_NANOS = 1_000_000;

        private final Map<Controller, Path> folders;
        private final Map<Controller, Path> mounts;
        private final boolean ofStep;
        private final EnumSet<Isolation> enforced = EnumSet.noneOf(Isolation.class);

        V1Group(Map<Controller, Path> folders, Map<Controller, Path> mounts, boolean ofStep) {
            this.folders = folders;
            this.mounts = mounts;
            this.ofStep = ofStep;
        }

        @Override
        public List<Path> folders() {
            return List.copyOf(folders.values());
        }

        @Override
        public Set<Integer> steps() throws IOException {
            Path any = folders.values().stream().findFirst().orElseThrow();
            return ControlFiles.steps(any);
        }

        @Override
        public Optional<Group> step(int number) {
            return Optional.of(ofStep(number));
        }

        /// Of the controllers that the run's group has.
        private V1Group ofStep(int number) {
            var inner = new EnumMap<Controller, Path>(Controller.class);
            folders.forEach((controller, folder) -> {
                if (Files.exists(folder)) {
                    inner.put(controller, folder.resolve(ControlFiles.step(number)));
                }
            });
            return new V1Group(inner, mounts, true);
        }

        @Override
        public Group makeStep(int number, StepLimits limits) throws IOException {
            V1Group step = ofStep(number);
            for (Path folder : Set.copyOf(step.folders.values())) {
                Files.createDirectory(folder);
            }
            try {
                step.enforced.addAll(new V1Limits(step.folders, mounts).set(limits));
            } catch (IOException e) {
                step.remove();
                throw e;
            }
            return step;
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

        @Override
        public boolean has(long pid) throws IOException {
            Controller any = folders.keySet().iterator().next();
            Path mount = Objects.requireNonNull(mounts.get(any));
            Path folder = Objects.requireNonNull(folders.get(any));
            return ControlFiles.seenIn(mount, folder, pid) || members().contains(pid);
        }

        /// Frozen, a group cannot fork away from KILL, which takes effect when it thaws.
        @Override
        public void kill() throws IOException {
            if (!freezable()) {
                ControlFiles.killAll(members());
                return;
            }
            freeze(FREEZE_TRIES);
            try {
                ControlFiles.killAll(members());
            } finally {
                resume();
            }
        }

        @Override
        public void suspend() throws IOException {
            if (!freezable()) {
                Signals.stopAll(this);
            } else if (!freeze(SUSPEND_TRIES)) {
                throw new IOException("the group does not freeze");
            }
        }

        @Override
        public void resume() throws IOException {
            Path freezer = folders.get(Controller.FREEZER);
            if (freezer != null && Files.exists(freezer)) {
                write(freezer.resolve("freezer.state"), "THAWED");
            } else {
                signal(Kill.CONTINUE);
            }
        }

        private boolean freezable() {
            Path freezer = folders.get(Controller.FREEZER);
            return freezer != null && Files.exists(freezer);
        }

        /// A group that forks may need several calls. Whether it is frozen.
        private boolean freeze(int most) throws IOException {
            Path state =
                    Objects.requireNonNull(folders.get(Controller.FREEZER))
                            .resolve("freezer.state");
            for (int tries = 0; tries < most; tries++) {
                write(state, "FROZEN");
                if (read(state).equals("FROZEN")) {
                    return true;
                }
                LockSupport.parkNanos(FREEZE_PAUSE_NANOS);
            }
            return false;
        }

        @Override
        public Consumption usage() throws IOException {
            return new Consumption(
                    number(Controller.CPUACCT, "cpuacct.usage") / 1_000_000,
                    number(Controller.MEMORY, "memory.max_usage_in_bytes") >> 20,
                    ioMib("Read"),
                    ioMib("Write"));
        }

        /// A number that a controller counts; 0 if it is not mounted or the group is gone.
        private long number(Controller controller, String file) throws IOException {
            Path folder = folders.get(controller);
            return folder == null || !Files.exists(folder)
                    ? 0
                    : Long.parseLong(read(folder.resolve(file)));
        }

        private @Nullable Long ioMib(String way) throws IOException {
            Path folder = folders.get(Controller.BLKIO);
            return folder == null
                    ? null
                    : ControlFiles.sum(
                                    folder.resolve("blkio.throttle.io_service_bytes_recursive"),
                                    " " + way + " ([0-9]+)")
                            .map(bytes -> bytes >> 20)
                            .orElse(null);
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
                if (run != null && !ofStep) {
                    ControlFiles.remove(run);
                }
            }
        }
    }
}
