package io.berth.agent.group;

import io.berth.contracts.NodeName;
import io.berth.contracts.RunId;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/// Groups as cgroups of version 1: one tree for each controller, in each of them
/// `<parent>/<node>/<run>`.
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

        /// These, and those that are mounted together with one of them: they have one folder.
        static Set<Controller> mountedWith(Set<Controller> some, Map<Controller, Path> mounts) {
            Set<Path> theirs = some.stream().map(mounts::get).collect(Collectors.toSet());
            return mounts.keySet().stream()
                    .filter(it -> theirs.contains(mounts.get(it)))
                    .collect(Collectors.toCollection(() -> EnumSet.noneOf(Controller.class)));
        }
    }

    private final Map<Controller, Path> mounts;
    private final String parent;
    private final MemoryRule memory;

    CgroupV1(Map<Controller, Path> mounts, String parent, MemoryRule memory) {
        this.mounts = new EnumMap<>(mounts);
        this.parent = parent;
        this.memory = memory;
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
    public boolean countSwap() {
        Path all = mounts.get(Controller.MEMORY);
        return all == null || Files.exists(all.resolve(V1Limits.WITH_SWAP));
    }

    @Override
    public Group create(NodeName node, RunId run, Limits limits) throws IOException {
        var used = EnumSet.copyOf(mounts.keySet());
        if (limits.cpus().isEmpty()) {
            used.remove(Controller.CPUSET);
        }
        V1Group group =
                new V1Group(
                        Level.RUN,
                        folders(node, run, Controller.mountedWith(used, mounts)),
                        mounts,
                        memory);
        try {
            group.make(limits);
        } catch (FileAlreadyExistsException e) {
            group.kill();
            group.remove();
            group.make(limits);
        }
        return group;
    }

    @Override
    public Group find(NodeName node, RunId run) {
        Map<Controller, Path> folders = folders(node, run, mounts.keySet());
        folders.replaceAll((_, folder) -> ControlFiles.ofRun(folder));
        return new V1Group(Level.RUN, folders, mounts, memory);
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
        Path name = Path.of(parent, node.value(), run.toString());
        mounts.forEach((controller, mount) -> {
            if (controllers.contains(controller)) {
                folders.put(controller, mount.resolve(name));
            }
        });
        return folders;
    }
}
