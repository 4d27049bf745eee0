package io.berth.agent.group;

import static io.berth.agent.group.ControlFiles.read;
import static io.berth.agent.group.ControlFiles.write;

import io.berth.agent.group.CgroupV1.Controller;
import io.berth.contracts.Consumption;
import io.berth.contracts.Isolation;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// A group of version 1: a folder for each controller. One of a task has those alone that bind it,
/// as each costs the launch a folder and a move: it is not counted for itself, and what nothing
/// binds has no folder.
final class V1Group implements Group {

    private static final String IO = "blkio.throttle.io_service_bytes_recursive";
    private static final Pattern READ = Pattern.compile(" Read ([0-9]+)");
    private static final Pattern WRITTEN = Pattern.compile(" Write ([0-9]+)");
    private static final int FREEZE_TRIES = 100;
    private static final int SUSPEND_TRIES = 2000;
    private static final long FREEZE_PAUSE_NANOS = 1_000_000;

    /// What may bind a task.
    private static final Set<Controller> BINDING =
            EnumSet.of(Controller.CPUSET, Controller.DEVICES);

    private final Level level;
    private final Map<Controller, Path> folders;
    private final Map<Controller, Path> mounts;
    private final MemoryRule memory;
    private final EnumSet<Isolation> enforced = EnumSet.noneOf(Isolation.class);

    /// Whether the kernel moves processes at once; null is not looked at yet.
    private @Nullable Boolean movesAtOnce;

    V1Group(
            Level level,
            Map<Controller, Path> folders,
            Map<Controller, Path> mounts,
            MemoryRule memory) {
        this.level = level;
        this.folders = folders;
        this.mounts = mounts;
        this.memory = memory;
    }

    /// Makes its folders, with these limits.
    ///
    /// @throws java.nio.file.FileAlreadyExistsException if one of them is there
    void make(Limits limits) throws IOException {
        make(() -> new V1Limits(folders, mounts, memory).set(limits));
    }

    private void make(ChildLimits limits) throws IOException {
        make(() -> new V1Limits(folders, mounts, memory).set(limits));
    }

    private void make(Setting limits) throws IOException {
        // Controllers that are mounted together have one folder.
        for (Path folder : Set.copyOf(folders.values())) {
            try {
                Files.createDirectory(folder);
            } catch (NoSuchFileException e) {
                if (level != Level.RUN) {
                    throw e;
                }
                Files.createDirectories(Objects.requireNonNull(folder.getParent()));
                Files.createDirectory(folder);
            }
        }
        try {
            enforced.addAll(limits.set());
        } catch (IOException e) {
            remove();
            throw e;
        }
    }

    /// Sets limits, and tells what of them was read back.
    @FunctionalInterface
    private interface Setting {
        Set<Isolation> set() throws IOException;
    }

    @Override
    public List<Path> folders() {
        return List.copyOf(folders.values());
    }

    @Override
    public Set<Integer> children() throws IOException {
        var numbers = new TreeSet<Integer>();
        var those = new EnumMap<Controller, Path>(folders);
        those.keySet().retainAll(ofChildren());
        for (Path folder : Set.copyOf(those.values())) {
            numbers.addAll(ControlFiles.children(folder, level));
        }
        return numbers;
    }

    @Override
    public boolean countsChildren() {
        return level == Level.RUN;
    }

    /// The controllers in which there may be children.
    private Set<Controller> ofChildren() {
        return level == Level.RUN ? folders.keySet() : BINDING;
    }

    @Override
    public Optional<Group> child(int number) {
        Map<Controller, Path> there = childFolders(number, ofChildren());
        there.values().removeIf(folder -> !Files.exists(folder));
        return Optional.of(new V1Group(level.below(), there, mounts, memory));
    }

    @Override
    public Group makeChild(int number, ChildLimits limits) throws IOException {
        Map<Controller, Path> wanted =
                childFolders(number, level == Level.RUN ? folders.keySet() : ofTask(limits));
        wanted.values().removeIf(folder -> !Files.exists(folder.getParent()));
        var child = new V1Group(level.below(), wanted, mounts, memory);
        child.make(limits);
        return child;
    }

    private Map<Controller, Path> childFolders(int number, Set<Controller> controllers) {
        var all = new EnumMap<Controller, Path>(folders);
        all.keySet().retainAll(controllers);
        all.replaceAll((_, folder) -> folder.resolve(level.child(number)));
        return all;
    }

    /// The controllers that bind a task. Where each move has the kernel wait, CPUs alone are not
    /// worth one.
    private Set<Controller> ofTask(ChildLimits limits) throws IOException {
        var wanted = EnumSet.noneOf(Controller.class);
        if (!limits.devices().isEmpty()) {
            wanted.add(Controller.DEVICES);
        }
        if (!limits.memoryNodes().isEmpty() || (!limits.cpus().isEmpty() && movesAtOnce())) {
            wanted.add(Controller.CPUSET);
        }
        return Controller.mountedWith(wanted, mounts);
    }

    private boolean movesAtOnce() throws IOException {
        if (movesAtOnce == null) {
            movesAtOnce = FavorDynmods.isSet(FavorDynmods.MOUNTS);
        }
        return movesAtOnce;
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
    public boolean isEmpty() throws IOException {
        for (Path folder : folders.values()) {
            if (!ControlFiles.isEmpty(folder)) {
                return false;
            }
        }
        return true;
    }

    @Override
    public boolean has(long pid) throws IOException {
        if (folders.isEmpty()) {
            return false;
        }
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
                Objects.requireNonNull(folders.get(Controller.FREEZER)).resolve("freezer.state");
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
        String io = io();
        return new Consumption(
                number(Controller.CPUACCT, "cpuacct.usage") / 1_000_000,
                number(Controller.MEMORY, "memory.max_usage_in_bytes") >> 20,
                ControlFiles.mib(io, READ),
                ControlFiles.mib(io, WRITTEN));
    }

    /// What is counted of disks; null where nothing is. There are kernels, such as 6.1 and 6.18,
    /// that count those disks alone on which somebody has set a limit: there the whole machine has
    /// read nothing.
    private @Nullable String io() throws IOException {
        Path blkio = folders.get(Controller.BLKIO);
        if (blkio == null) {
            return null;
        }
        Path all = Objects.requireNonNull(mounts.get(Controller.BLKIO)).resolve(IO);
        String io = ControlFiles.textOf(blkio.resolve(IO));
        return io == null || (isNothing(io) && isNothing(read(all))) ? null : io;
    }

    private static boolean isNothing(String io) {
        return io.strip().endsWith("Total 0");
    }

    /// A number that a controller counts; 0 if it is not mounted or the group is gone.
    private long number(Controller controller, String file) throws IOException {
        Path folder = folders.get(controller);
        return folder == null || !Files.exists(folder)
                ? 0
                : Long.parseLong(read(folder.resolve(file)));
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
            ControlFiles.remove(level == Level.RUN ? ControlFiles.folderOf(folder) : folder);
        }
    }
}
