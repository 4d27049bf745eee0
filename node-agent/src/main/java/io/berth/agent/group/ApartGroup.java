package io.berth.agent.group;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// A group beside those of runs, for what holds runs and outlives the agent. So it is not in the
/// agent's own, of which others end all that is there: systemd of a unit, a container runtime of a
/// pod. Such look in hierarchies of version 2, in those without a controller, and in those of the
/// controllers that runs have groups of. Of others it stays out: a run that has no group of `cpu`
/// would share one with all runs.
public final class ApartGroup {

    private static final Logger LOG = LoggerFactory.getLogger(ApartGroup.class);
    private static final String SUFFIX = "-shims";
    private static final long PAUSE_NANOS = 10_000_000;

    private final List<Path> folders;

    private ApartGroup(List<Path> folders) {
        this.folders = List.copyOf(folders);
    }

    /// Makes it where this host lets the agent.
    ///
    /// @param parent name of the group above all nodes' groups
    public static ApartGroup make(String parent) throws IOException {
        var made = new ArrayList<Path>();
        for (String line : HostGroups.mounts()) {
            String[] fields = line.split(" ");
            Path mount = Path.of(fields[1]);
            if (isMeant(fields[2], List.of(fields[3].split(","))) && Files.isWritable(mount)) {
                make(mount, fields[2].equals("cgroup"), Path.of(parent + SUFFIX), made);
            }
        }
        if (made.isEmpty()) {
            LOG.warn(
                    "Shims stay in the agent's own groups: who ends all that is there ends the runs");
        }
        return new ApartGroup(made);
    }

    private static boolean isMeant(String type, List<String> options) {
        if (!type.equals("cgroup")) {
            return type.equals("cgroup2");
        }
        return options.stream().anyMatch(it -> it.startsWith("name="))
                || Arrays.stream(CgroupV1.Controller.values())
                        .anyMatch(it -> options.contains(it.kernelName()));
    }

    private static void make(Path mount, boolean v1, Path name, List<Path> made) {
        Path folder = mount.resolve(name);
        try {
            Files.createDirectories(folder);
            if (v1 && Files.exists(mount.resolve("cpuset.cpus"))) {
                V1Limits.inheritCpus(folder, mount);
            }
            made.add(folder);
        } catch (IOException e) {
            LOG.atWarn()
                    .setCause(e)
                    .addKeyValue("group", folder)
                    .log("Shims stay in the agent's own group");
        }
    }

    /// The files by which a process comes into it; none where it could not be made.
    public List<Path> entrances() {
        return folders.stream().map(ControlFiles::entrance).toList();
    }

    /// Removes it if nothing is in it any more, or soon will be.
    public void remove(Duration patience) {
        long deadline = System.nanoTime() + patience.toNanos();
        while (folders.stream().filter(it -> !ControlFiles.removeIfEmpty(it)).count() > 0
                && System.nanoTime() < deadline) {
            LockSupport.parkNanos(PAUSE_NANOS);
        }
    }
}
