package io.berth.agent.group;

import io.berth.agent.host.LiveProcess;
import io.berth.agent.host.LiveProcess.Stat;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Moves a process into a group, and no other: it may end at any time, and its number be given to
/// one that begins then.
public final class Taking {

    private static final Logger LOG = LoggerFactory.getLogger(Taking.class);

    private Taking() {}

    /// Moves it, if it has not ended, as [Group#take] does. Whether it is there now.
    public static boolean take(Group group, LiveProcess process) throws IOException {
        if (!process.alive()) {
            return false;
        }
        try {
            group.take(process.pid());
        } catch (IOException e) {
            if (process.alive()) {
                throw e;
            }
        }
        return isRight(group, process);
    }

    /// Whether what was moved is that process. Another one, which has just begun under its number,
    /// is put where it came from: the groups of its parent.
    static boolean isRight(Group group, LiveProcess process) throws IOException {
        Optional<Stat> there = LiveProcess.stat(process.pid());
        Optional<Stat> other = there.filter(it -> it.startTime() != process.startTime());
        if (other.isPresent()) {
            putBeside(other.get().parent(), group, process.pid());
            LOG.atWarn()
                    .addKeyValue("run", Bindings.run(group))
                    .addKeyValue("process", process.pid())
                    .addKeyValue("groups", group.folders())
                    .log("A process ended as it was moved, and another had its number");
        }
        return there.isPresent() && other.isEmpty();
    }

    private static void putBeside(long parent, Group group, long pid) throws IOException {
        for (String line : HostGroups.mounts()) {
            String[] fields = line.split(" ");
            Path mount = Path.of(fields[1]);
            if (fields[2].startsWith("cgroup")
                    && group.folders().stream().anyMatch(it -> it.startsWith(mount))) {
                String own = fields[2].equals("cgroup2") ? "" : fields[3];
                for (String each : Files.readAllLines(groups(parent))) {
                    String[] words = each.split(":", 3);
                    if (isThat(words[1], own)) {
                        Path folder = mount.resolve(Path.of("/").relativize(Path.of(words[2])));
                        ControlFiles.write(ControlFiles.entrance(folder), Long.toString(pid));
                    }
                }
            }
        }
    }

    private static Path groups(long pid) {
        return Path.of("/proc", Long.toString(pid), "cgroup");
    }

    /// Whether a hierarchy with these controllers is mounted with those options; that of version 2
    /// has neither.
    private static boolean isThat(String controllers, String options) {
        return (controllers.isEmpty() || options.isEmpty())
                ? controllers.equals(options)
                : Arrays.asList(options.split(","))
                        .containsAll(Arrays.asList(controllers.split(",")));
    }
}
