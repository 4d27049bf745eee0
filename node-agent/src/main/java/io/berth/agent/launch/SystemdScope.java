package io.berth.agent.launch;

import io.berth.agent.group.HostGroups;
import io.berth.agent.host.StartRefused;
import io.berth.agent.launch.Commands.Ran;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// A scope of systemd's for the groups of runs and shims, on a host that systemd runs and that has
/// cgroups of version 2. It is no part of the agent's own unit, and what is below it is delegated:
/// systemd moves and removes nothing there, and ends nothing when the agent is stopped or started
/// anew. A process that does nothing holds it, in a group of its own beside those of runs.
///
/// Source: systemd, "Control Group APIs and Delegation"; systemd-run(1); systemd.scope(5).
public final class SystemdScope implements Closeable {

    private static final Logger LOG = LoggerFactory.getLogger(SystemdScope.class);

    /// Is there where systemd runs the machine: sd_booted(3).
    private static final Path BOOTED = Path.of("/run/systemd/system");

    private static final Duration LIMIT = Duration.ofSeconds(20);
    private static final long PAUSE_MILLIS = 50;

    private final String unit;
    private final Commands commands;
    private final String parent;

    private SystemdScope(String unit, Commands commands, String parent) {
        this.unit = unit;
        this.commands = commands;
        this.parent = parent;
    }

    /// Takes up the scope of an agent before, or makes one. None where systemd does not run the
    /// machine, and where runs are still in groups outside of a scope.
    ///
    /// @param name of the group above all nodes' groups, and of the unit
    /// @param grace from TERM to KILL of what is in it, when systemd stops it
    public static Optional<SystemdScope> open(String name, Duration grace, Commands commands)
            throws IOException, InterruptedException {
        Path mount = HostGroups.unified().filter(Files::isWritable).orElse(null);
        if (mount == null || !Files.isDirectory(BOOTED)) {
            return Optional.empty();
        }
        if (!name.matches("[A-Za-z0-9_][A-Za-z0-9_.-]{0,200}")) {
            throw new StartRefused(
                    "berth.agent.cgroup-parent is '%s', which can name no scope of systemd: letters, digits, _ . -"
                            .formatted(name));
        }
        if (populated(mount.resolve(name))) {
            LOG.info("Runs are outside of a scope: there will be one when an agent starts without");
            return Optional.empty();
        }
        String unit = name + ".scope";
        try {
            Path group = Path.of(group(unit, grace, commands));
            Path folder = mount.resolve(group);
            leave(folder, folder.resolve(name + "-holder"));
            return Optional.of(new SystemdScope(unit, commands, group.resolve(name).toString()));
        } catch (IOException e) {
            if (populated(mount.resolve("system.slice").resolve(unit).resolve(name))) {
                throw e; // Runs are there: elsewhere nobody would find them again.
            }
            LOG.atWarn()
                    .addKeyValue("unit", unit)
                    .addKeyValue("cause", e.getMessage())
                    .log("No scope: groups of runs are outside of systemd's units");
            return Optional.empty();
        }
    }

    /// The group above all nodes' groups, from where version 2 is mounted.
    public String parent() {
        return parent;
    }

    /// Ends it, and what is in it.
    @Override
    public void close() throws IOException {
        try {
            var unused = commands.run(List.of("systemctl", "stop", "--no-block", unit), LIMIT);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /// The scope's group, from where version 2 is mounted.
    private static String group(String unit, Duration grace, Commands commands)
            throws IOException, InterruptedException {
        Path said = Files.createTempFile("berth", ".out");
        try {
            Process holder = null;
            long deadline = System.nanoTime() + LIMIT.toNanos();
            while (System.nanoTime() < deadline) {
                Optional<String> group = active(unit, commands);
                if (group.isPresent()) {
                    return group.get();
                }
                if (holder == null) {
                    holder =
                            commands.start(
                                    start(unit, grace, commands).redirectError(said.toFile()));
                } else if (!holder.isAlive()) {
                    throw new IOException("systemd-run: " + Files.readString(said).strip());
                }
                Thread.sleep(PAUSE_MILLIS);
            }
            throw new IOException("not there after " + LIMIT.toSeconds() + " s");
        } finally {
            Files.delete(said);
        }
    }

    /// The process that asks for the scope is the one that holds it then.
    private static ProcessBuilder start(String unit, Duration grace, Commands commands) {
        return commands.builder(
                List.of(
                        "setsid",
                        "systemd-run",
                        "--scope",
                        "--quiet",
                        "--collect",
                        "--slice=system.slice",
                        "--unit=" + unit,
                        "--description=Runs of Berth's node agent",
                        "--property=Delegate=yes",
                        "--property=TasksMax=infinity",
                        "--property=TimeoutStopSec=" + Math.max(1, grace.toSeconds()),
                        "sh",
                        "-c",
                        "exec sleep infinity 2>/dev/null"));
    }

    private static Optional<String> active(String unit, Commands commands)
            throws IOException, InterruptedException {
        Ran ran =
                commands.run(
                        List.of(
                                "systemctl",
                                "show",
                                "--property=ActiveState",
                                "--property=ControlGroup",
                                unit),
                        LIMIT);
        if (ran.status() != 0) {
            throw new IOException("systemctl: " + ran.output().strip());
        }
        @Nullable String group = null;
        boolean active = false;
        for (String line : ran.output().lines().toList()) {
            active |= line.equals("ActiveState=active");
            if (line.startsWith("ControlGroup=/")) {
                group = line.substring("ControlGroup=/".length());
            }
        }
        return active ? Optional.ofNullable(group) : Optional.empty();
    }

    /// Puts what is in a group itself into one in it: where groups have controllers, processes are
    /// in the leaves alone.
    private static void leave(Path group, Path leaf) throws IOException {
        Files.createDirectories(leaf);
        for (String pid : Files.readString(group.resolve("cgroup.procs")).lines().toList()) {
            Files.writeString(leaf.resolve("cgroup.procs"), pid);
        }
    }

    private static boolean populated(Path group) throws IOException {
        Path events = group.resolve("cgroup.events");
        return Files.exists(events) && Files.readString(events).contains("populated 1");
    }
}
