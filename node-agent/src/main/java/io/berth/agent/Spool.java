package io.berth.agent;

import io.berth.agent.host.StartRefused;
import io.berth.agent.launch.Outputs;
import io.berth.agent.launch.RunFiles;
import io.berth.contracts.NodeName;
import io.berth.contracts.event.NodeSeen.Life;
import io.berth.contracts.event.Order.Launch;
import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// What an agent remembers of its node's runs over its own restarts: a folder for each, under a
/// lock that one agent alone can hold.
final class Spool implements Closeable {

    private final Path runs;
    private final FileChannel channel;
    private final Life life;

    private Spool(Path runs, FileChannel channel, Life life) {
        this.runs = runs;
        this.channel = channel;
        this.life = life;
    }

    /// What was ordered, written before anything of it was begun.
    record Intent(Launch launch, String bootId) {
        static final String NAME = "intent";
    }

    /// Opens the spool of a node.
    ///
    /// @throws StartRefused if another agent has it open
    static Spool open(Path home, NodeName node) throws IOException {
        Path folder = home.resolve("nodes").resolve(node.value());
        Path runs = folder.resolve("runs");
        Files.createDirectories(
                runs,
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        var channel =
                FileChannel.open(
                        folder.resolve("lock"),
                        StandardOpenOption.CREATE,
                        StandardOpenOption.WRITE);
        // Whoever may read a file can lock it, and would keep the next agent from starting.
        Files.setPosixFilePermissions(
                folder.resolve("lock"), PosixFilePermissions.fromString("rw-------"));
        if (!locked(channel)) {
            channel.close();
            throw new StartRefused(
                    "another agent of node %s has its spool %s open".formatted(node, folder));
        }
        return new Spool(runs, channel, begin(RunFiles.at(folder)));
    }

    /// A life after the last one on this spool. One that was brought back as it was some lives ago
    /// has fewer behind it: the clock is beyond those too.
    private static Life begin(RunFiles folder) throws IOException {
        Life last =
                folder.kept("life", Life.class)
                        .orElseGet(() -> new Life(UUID.randomUUID().toString(), 0));
        var next = new Life(last.spool(), Math.max(last.number() + 1, System.currentTimeMillis()));
        folder.keep("life", next);
        return next;
    }

    /// Of the agent that has it open.
    Life life() {
        return life;
    }

    /// The folder of a run, with its intent in it, which is on its way to the disk.
    RunFiles intend(Launch launch, String bootId) throws IOException {
        RunFiles files = RunFiles.of(runs, launch.run());
        files.store(Intent.NAME, new Intent(launch, bootId));
        return files;
    }

    /// How long the node's runs may go on without a word from the log.
    ///
    /// @param fenceAfter null if they may in any case
    Lease lease(@Nullable Duration fenceAfter) throws IOException {
        return Lease.open(runs.resolveSibling("lease"), fenceAfter);
    }

    /// A folder for a trial.
    RunFiles trial() throws IOException {
        Path folder = runs.resolve("trial");
        RunFiles.at(folder).remove();
        return RunFiles.at(Files.createDirectory(folder));
    }

    /// Where the node's scripts wrote.
    Outputs outputs() {
        return Outputs.beside(runs);
    }

    /// All runs' folders.
    List<RunFiles> all() throws IOException {
        try (Stream<Path> folders = Files.list(runs)) {
            return folders.sorted().map(RunFiles::at).toList();
        }
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }

    private static boolean locked(FileChannel channel) throws IOException {
        try {
            FileLock lock = channel.tryLock();
            return lock != null;
        } catch (OverlappingFileLockException e) {
            return false;
        }
    }
}
