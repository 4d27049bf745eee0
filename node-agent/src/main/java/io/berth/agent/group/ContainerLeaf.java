package io.berth.agent.group;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// A group for the processes of an agent's container, the agent's own too, in the topmost group
/// that the container's cgroup namespace shows. There they begin, and the kernel hands a group's
/// controllers on only where nobody is in the group itself.
///
/// Source: cgroup-v2.rst, "No Internal Process Constraint", "Namespace".
public final class ContainerLeaf implements Closeable {

    private static final Logger LOG = LoggerFactory.getLogger(ContainerLeaf.class);
    private static final Path OWN = Path.of("/proc/self");
    private static final int TRIES = 100;

    private final Path topmost;
    private final Path leaf;

    private ContainerLeaf(Path topmost, Path leaf) {
        this.topmost = topmost;
        this.leaf = leaf;
    }

    /// Moves all who are in the topmost group into the leaf. None where the agent is in neither, as
    /// on a machine whose groups it sees whole, and where one is there who is not of the container.
    ///
    /// @param parent name of the group above all nodes' groups
    public static Optional<ContainerLeaf> enter(String parent) throws IOException {
        Path topmost = HostGroups.unified().filter(Files::isWritable).orElse(null);
        if (topmost == null || !isOfNamespace(topmost)) {
            return Optional.empty();
        }
        String name = parent + "-agent";
        List<String> own = Files.readAllLines(OWN.resolve("cgroup"));
        if (!own.contains("0::/") && !own.contains("0::/" + name)) {
            return Optional.empty();
        }
        var found = new ContainerLeaf(topmost, topmost.resolve(name));
        try {
            Files.createDirectories(found.leaf);
            move(topmost, found.leaf);
            CgroupV2.delegate(topmost);
            return Optional.of(found);
        } catch (IOException e) {
            LOG.atWarn()
                    .addKeyValue("group", topmost)
                    .addKeyValue("cause", e.getMessage())
                    .log("Processes stay in the topmost group: memory of runs is not limited");
            found.close();
            return Optional.empty();
        }
    }

    /// Whether a mount begins where this process's cgroup namespace does, and the kernel's groups
    /// begin above: their own topmost group has no type.
    private static boolean isOfNamespace(Path mount) throws IOException {
        return Files.exists(mount.resolve("cgroup.type"))
                && Files.readAllLines(OWN.resolve("mountinfo")).stream()
                        .map(line -> line.split(" "))
                        .anyMatch(fields ->
                                fields[3].equals("/") && fields[4].equals(mount.toString()));
    }

    /// Until nobody is there: a process may start others meanwhile.
    private static void move(Path from, Path to) throws IOException {
        for (int tries = 0; tries < TRIES; tries++) {
            List<String> pids = Files.readAllLines(ControlFiles.entrance(from));
            if (pids.isEmpty()) {
                return;
            }
            for (String pid : pids) {
                if (!isOfContainer(pid)) {
                    throw new IOException("process %s is not of this container".formatted(pid));
                }
            }
            for (String pid : pids) {
                try {
                    ControlFiles.write(ControlFiles.entrance(to), pid);
                } catch (IOException e) {
                    if (Files.exists(Path.of("/proc", pid))) {
                        throw e;
                    }
                }
            }
        }
        throw new IOException("others come into %s again and again".formatted(from));
    }

    /// Whether a process has the agent's cgroup namespace; one that has ended does no harm. The
    /// kernel calls those 0 that the agent cannot see.
    private static boolean isOfContainer(String pid) {
        try {
            return Files.readSymbolicLink(Path.of("/proc", pid, "ns/cgroup"))
                    .equals(Files.readSymbolicLink(OWN.resolve("ns/cgroup")));
        } catch (NoSuchFileException e) {
            return !pid.equals("0");
        } catch (IOException e) {
            return false;
        }
    }

    /// Moves all back, unless there are other groups in the topmost, which have its controllers.
    @Override
    public void close() {
        try {
            if (ControlFiles.tree(topmost).equals(List.of(leaf, topmost))) {
                CgroupV2.takeBack(topmost);
                move(leaf, topmost);
                Files.delete(leaf);
            }
        } catch (IOException e) {
            LOG.atWarn()
                    .addKeyValue("group", leaf)
                    .addKeyValue("cause", e.getMessage())
                    .log("The group is left behind");
        }
    }
}
