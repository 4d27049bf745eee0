package io.berth.agent.launch;

import com.fasterxml.jackson.core.JsonProcessingException;
import io.berth.agent.host.LiveProcess;
import io.berth.contracts.Allocation;
import io.berth.contracts.ExitStatus;
import io.berth.contracts.RunId;
import io.berth.contracts.json.Json;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// A run's folder in the spool: what the agent, the shim and the task write for one another. Each
/// file appears whole, by renaming.
public final class RunFiles {

    private static final Logger LOG = LoggerFactory.getLogger(RunFiles.class);

    /// The shim has ended the run, because the node's lease was over.
    public static final String FENCED = "fenced";

    private static final FileAttribute<?> OWNERS_ALONE =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

    private static final Set<StandardOpenOption> NEW =
            Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);

    private static final FileAttribute<?> OWNERS_FOLDER =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));

    private final Path folder;
    private final JobFiles job;
    private volatile Future<Path> stored;

    private RunFiles(Path folder) {
        this.folder = folder;
        this.job = new JobFiles(folder);
        this.stored = CompletableFuture.completedFuture(folder);
    }

    /// The folder of a run, made if it is not there.
    public static RunFiles of(Path runs, RunId run) throws IOException {
        Path folder = runs.resolve(run.toString());
        try {
            Files.createDirectory(folder, OWNERS_FOLDER);
        } catch (FileAlreadyExistsException e) {
            // Ordered again before it was cleared away.
        }
        JobFiles.make(folder);
        return new RunFiles(folder);
    }

    /// The folder that is there.
    public static RunFiles at(Path folder) {
        return new RunFiles(folder);
    }

    public Path folder() {
        return folder;
    }

    /// The run after which the folder is named.
    public String run() {
        return folder.getFileName().toString();
    }

    /// What of it is the job's.
    public JobFiles job() {
        return job;
    }

    /// Writes the nodes of the run with the tasks of each, as programs of MPI read them: `gpu-01
    /// slots=8`. Anybody may read the file.
    Path hosts(List<Allocation> nodes) throws IOException {
        var text = new StringBuilder();
        nodes.forEach(
                it -> text.append(it.node()).append(" slots=").append(it.tasks()).append('\n'));
        Path hosts = Files.writeString(folder.resolve("hosts"), text);
        Files.setPosixFilePermissions(hosts, PosixFilePermissions.fromString("rw-r--r--"));
        return hosts;
    }

    /// Writes a value; it is on the disk when this returns.
    public void keep(String name, Object value) throws IOException {
        try (FileChannel written = written(name, value)) {
            written.force(true);
        }
        appear(folder, name);
        sync(folder);
    }

    /// Writes a value, which a later agent finds from now on. Other work goes on while it and the
    /// folder come to the disk: [#awaitStored] waits for that. After a power cut before then it may
    /// be there in part.
    public void store(String name, Object value) throws IOException {
        FileChannel written = written(name, value);
        try {
            appear(folder, name);
        } catch (IOException e) {
            written.close();
            throw e;
        }
        var task =
                new FutureTask<>(() -> {
                    try (written) {
                        written.force(true);
                    }
                    sync(folder);
                    sync(folder.resolve(".."));
                    return folder;
                });
        stored = task;
        Thread.ofVirtual().name("store").start(task);
    }

    /// Waits until what was stored is on the disk.
    public void awaitStored() throws IOException, InterruptedException {
        try {
            stored.get();
        } catch (ExecutionException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    /// A file that will have that name, when it [appears][#appear].
    private FileChannel written(String name, Object value) throws IOException {
        byte[] json = Json.mapper().writeValueAsBytes(value);
        FileChannel channel =
                FileChannel.open(
                        folder.resolve(name + ".new"),
                        Set.of(
                                StandardOpenOption.CREATE,
                                StandardOpenOption.TRUNCATE_EXISTING,
                                StandardOpenOption.WRITE),
                        OWNERS_ALONE);
        try {
            var bytes = ByteBuffer.wrap(json);
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
            return channel;
        } catch (IOException e) {
            channel.close();
            throw e;
        }
    }

    /// Writes a value that need not survive a power cut, which nothing that runs survives.
    public void note(String name, Object value) throws IOException {
        write(name, Json.mapper().writeValueAsString(value));
    }

    private interface Write {
        void run() throws IOException;
    }

    /// Notes a value if it can: a run does not end because the spool's disk is full.
    public void tryNote(String name, Object value) {
        var unused = tried(() -> note(name, value));
    }

    /// Makes an empty file, for the name of which a full disk has room still. Whether it is there.
    public boolean mark(String name) {
        return tried(() -> write(name, ""));
    }

    private boolean tried(Write write) {
        try {
            write.run();
            return true;
        } catch (IOException e) {
            LOG.atWarn().setCause(e).addKeyValue("run", run()).log("Not noted in the spool");
            return false;
        }
    }

    /// The value kept or noted under that name, if there is one.
    public <T> Optional<T> kept(String name, Class<T> type) throws IOException {
        Optional<String> json = text(name);
        if (json.isEmpty()) {
            return Optional.empty();
        }
        try {
            return Optional.of(Json.mapper().readValue(json.get(), type));
        } catch (JsonProcessingException e) {
            throw new IOException(folder.resolve(name) + " is not a " + type.getSimpleName(), e);
        }
    }

    /// Writes a file for the shim or the task, which need not survive a power cut.
    public void write(String name, String text) throws IOException {
        var unused = written(folder, name, text);
        appear(folder, name);
    }

    /// What is to appear under a name in a folder, for its owner alone.
    static Path written(Path folder, String name, String text) throws IOException {
        Path temporary = folder.resolve(name + ".new");
        try {
            create(temporary, text);
        } catch (FileAlreadyExistsException e) {
            // It may be another's by now.
            Files.delete(temporary);
            create(temporary, text);
        }
        return temporary;
    }

    static void create(Path file, String text) throws IOException {
        try (var channel = Files.newByteChannel(file, NEW, OWNERS_ALONE)) {
            var bytes = StandardCharsets.UTF_8.encode(text);
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
        }
    }

    static void appear(Path folder, String name) throws IOException {
        Files.move(
                folder.resolve(name + ".new"),
                folder.resolve(name),
                StandardCopyOption.ATOMIC_MOVE);
    }

    public Optional<String> text(String name) throws IOException {
        try {
            return Optional.of(Files.readString(folder.resolve(name)));
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
    }

    /// When a file was written, in epoch milliseconds; nothing if there is none.
    public OptionalLong writtenAt(String name) throws IOException {
        try {
            return OptionalLong.of(Files.getLastModifiedTime(folder.resolve(name)).toMillis());
        } catch (NoSuchFileException e) {
            return OptionalLong.empty();
        }
    }

    public boolean has(String name) {
        return Files.exists(folder.resolve(name));
    }

    /// How the task ended, once the shim has written it.
    public Optional<ExitStatus> exit() throws IOException {
        return text("exit")
                .map(text -> {
                    String[] words = text.strip().split(" ");
                    int number = Integer.parseInt(words[1]);
                    return words[0].equals("signal")
                            ? new ExitStatus(0, number)
                            : new ExitStatus(number, 0);
                });
    }

    /// The shim, once it has written who it is. A power cut may leave nothing of what it wrote.
    public Optional<LiveProcess> shim() throws IOException {
        return text("shim").filter(it -> !it.isBlank()).map(LiveProcess::parse);
    }

    /// Gives the waiting task the word. Given twice, or to a task that has gone on, it does
    /// nothing.
    public void release() throws IOException {
        say("go");
    }

    /// Writes a line to the task's pipe.
    public void say(String line) throws IOException {
        Path go = folder.resolve("go");
        // Open for both ways, a pipe neither waits for its reader nor fails without one.
        try (var channel =
                FileChannel.open(go, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            channel.write(ByteBuffer.wrap((line + "\n").getBytes(StandardCharsets.US_ASCII)));
        }
    }

    /// Removes the folder and all that is in it. The task may write in a part of it: no link that
    /// it puts in a folder's place meanwhile leads out of here, and what it has mounted there is
    /// taken away before it is looked at.
    public void remove() throws IOException {
        try (var parent =
                (SecureDirectoryStream<Path>) Files.newDirectoryStream(folder.getParent())) {
            remove(parent);
        } catch (NoSuchFileException e) {
            return;
        }
    }

    /// Removes the folder, in which none but the agent writes, and all below, where others may.
    /// However deep that is, few files are open: what is in a folder in it is brought up to it
    /// before that goes.
    private void remove(SecureDirectoryStream<Path> parent) throws IOException {
        Path name = folder.getFileName();
        boolean empty = false;
        while (!empty) {
            empty = true;
            try (var top = parent.newDirectoryStream(name, LinkOption.NOFOLLOW_LINKS)) {
                for (Path each : top) {
                    empty = false;
                    Path child = each.getFileName();
                    Mounts.detachAll(folder.resolve(child));
                    if (attributes(top, child).isDirectory()) {
                        clear(top, child);
                        top.deleteDirectory(child);
                    } else {
                        top.deleteFile(child);
                    }
                }
            }
        }
        parent.deleteDirectory(name);
    }

    /// Deletes the files in a folder, and moves the folders in it beside it.
    private void clear(SecureDirectoryStream<Path> top, Path name) throws IOException {
        try (var inside = top.newDirectoryStream(name, LinkOption.NOFOLLOW_LINKS)) {
            for (Path each : inside) {
                Path child = each.getFileName();
                Mounts.detachAll(folder.resolve(name).resolve(child));
                if (attributes(inside, child).isDirectory()) {
                    inside.move(child, top, Path.of(UUID.randomUUID().toString()));
                } else {
                    inside.deleteFile(child);
                }
            }
        }
    }

    private static BasicFileAttributes attributes(SecureDirectoryStream<Path> in, Path name)
            throws IOException {
        return in.getFileAttributeView(
                        name, BasicFileAttributeView.class, LinkOption.NOFOLLOW_LINKS)
                .readAttributes();
    }

    private static void sync(Path directory) throws IOException {
        try (var channel = FileChannel.open(directory, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }
}
