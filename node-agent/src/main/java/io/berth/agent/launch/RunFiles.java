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
import java.nio.file.DirectoryStream;
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
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
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

    /// The file that tells the script of its end: it appears with a notice.
    public static final String NOTICE = "notice";

    /// The file that the script touches when it has saved its work. Its time is 0 before.
    public static final String CHECKPOINT = "checkpoint";

    /// The shim has ended the run, because the node's lease was over.
    public static final String FENCED = "fenced";

    private static final FileAttribute<?> OWNERS_ALONE =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

    private static final Set<StandardOpenOption> NEW =
            Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);

    private static final FileAttribute<?> OWNERS_FOLDER =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));

    private static final Set<PosixFilePermission> PASSAGE =
            PosixFilePermissions.fromString("rwx--x--x");

    /// The folders of what steps ask, and of what they are answered.
    public static final String ASKS = "asks";

    private static final String TOLD = "told";

    /// How many mounts are taken away before a folder that is to go is left as it is.
    private static final int MOST_MOUNTS = 1000;

    private final Path folder;
    private volatile Future<Path> stored;

    private RunFiles(Path folder) {
        this.folder = folder;
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
        return new RunFiles(folder);
    }

    /// The folder that is there.
    public static RunFiles at(Path folder) {
        return new RunFiles(folder);
    }

    public Path folder() {
        return folder;
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

    /// The folder, made if it is not there, in which the steps of the script say what they hold.
    public Path makeSteps() throws IOException {
        return makePrivate("steps");
    }

    /// Makes the folders by which the script's steps ask the agent for something, which are the
    /// script's, and by which they are answered, which anybody may pass through.
    public void makeAsks() throws IOException {
        makePrivate(ASKS);
        makePassage(TOLD);
    }

    /// Makes a folder, if it is not there, for its owner alone.
    Path makePrivate(String name) throws IOException {
        return Files.createDirectories(folder.resolve(name), OWNERS_FOLDER);
    }

    /// Makes a folder, if it is not there, in which others reach what they know the name of.
    void makePassage(String name) throws IOException {
        Path made = Files.createDirectories(folder.resolve(name));
        Files.setPosixFilePermissions(made, PASSAGE);
    }

    /// The names of what is asked now, so many at most.
    public List<String> asks(int most) throws IOException {
        var names = new ArrayList<String>();
        Path asks = folder.resolve(ASKS);
        try (DirectoryStream<Path> all = Files.newDirectoryStream(asks)) {
            for (Path each : all) {
                if (names.size() == most) {
                    break;
                }
                names.add(each.getFileName().toString());
            }
        } catch (NoSuchFileException e) {
            return List.of();
        } catch (IOException e) {
            if (!FileOfOthers.detach(asks)) {
                throw e;
            }
        }
        return names;
    }

    /// When something was asked, in epoch milliseconds; 0 if it is asked no more.
    public long askedAt(String name) throws IOException {
        return changedAt(folder.resolve(ASKS).resolve(name));
    }

    /// Takes what is asked under a name: it is asked no more.
    ///
    /// @param most bytes
    public String ask(String name, int most) {
        try {
            return textOfOthers(ASKS + "/" + name, most);
        } catch (IOException e) {
            // A link, a folder, a file that somebody holds: nobody asks so.
            return "";
        } finally {
            removeAsk(name);
        }
    }

    /// What cannot be removed, such as a folder with something in it, stays: nobody asks so.
    private void removeAsk(String name) {
        try {
            Files.deleteIfExists(folder.resolve(ASKS).resolve(name));
        } catch (IOException e) {
            LOG.atDebug().setCause(e).addKeyValue("folder", folder).log("Ask not removed");
        }
    }

    /// Answers what was asked under a name: the account that asks may read it, and no other.
    public void answer(String name, String text) throws IOException {
        Path told = folder.resolve(TOLD);
        Path temporary = told.resolve(name + ".new");
        Files.deleteIfExists(temporary);
        create(temporary, text.isEmpty() ? "" : text + "\n");
        giveAs(folder.resolve(ASKS), temporary);
        Files.move(temporary, told.resolve(name), StandardCopyOption.ATOMIC_MOVE);
    }

    /// Gives a file to those who have another.
    private static void giveAs(Path other, Path file) throws IOException {
        for (String owner : List.of("unix:gid", "unix:uid")) {
            Object had = Files.getAttribute(other, owner, LinkOption.NOFOLLOW_LINKS);
            if (!had.equals(Files.getAttribute(file, owner, LinkOption.NOFOLLOW_LINKS))) {
                Files.setAttribute(file, owner, had, LinkOption.NOFOLLOW_LINKS);
            }
        }
    }

    /// Takes back the answers from before a time, in epoch milliseconds.
    public void forgetAnswers(long before) throws IOException {
        try (DirectoryStream<Path> all = Files.newDirectoryStream(folder.resolve(TOLD))) {
            for (Path each : all) {
                if (Files.getLastModifiedTime(each).toMillis() < before) {
                    Files.deleteIfExists(each);
                }
            }
        } catch (NoSuchFileException e) {
            return;
        }
    }

    /// Gives what the script needs to its account: it can pass through the folder, in which all
    /// else is the agent's alone. Of a link it gives the link, not what that leads to.
    ///
    /// @param names of what is in folders that are the agent's
    public void giveTo(Account account, List<String> names) throws IOException {
        Files.setPosixFilePermissions(folder, PASSAGE);
        for (String name : names) {
            Path given = folder.resolve(name);
            int group = Math.toIntExact(account.gid());
            Files.setAttribute(given, "unix:gid", group, LinkOption.NOFOLLOW_LINKS);
            int user = Math.toIntExact(account.uid());
            Files.setAttribute(given, "unix:uid", user, LinkOption.NOFOLLOW_LINKS);
        }
    }

    /// Writes a value; it is on the disk when this returns.
    public void keep(String name, Object value) throws IOException {
        try (FileChannel written = written(name, value)) {
            written.force(true);
        }
        appear(name);
        sync(folder);
    }

    /// Writes a value, which a later agent finds from now on. Other work goes on while it and the
    /// folder come to the disk: [#awaitStored] waits for that. After a power cut before then it may
    /// be there in part.
    public void store(String name, Object value) throws IOException {
        FileChannel written = written(name, value);
        try {
            appear(name);
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

    private void appear(String name) throws IOException {
        Files.move(
                folder.resolve(name + ".new"),
                folder.resolve(name),
                StandardCopyOption.ATOMIC_MOVE);
    }

    /// Writes a value that need not survive a power cut, which nothing that runs survives.
    public void note(String name, Object value) throws IOException {
        write(name, Json.mapper().writeValueAsString(value));
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
        var unused = written(name, text);
        appear(name);
    }

    /// What is to appear under a name, for its owner alone.
    private Path written(String name, String text) throws IOException {
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

    private static void create(Path file, String text) throws IOException {
        try (var channel = Files.newByteChannel(file, NEW, OWNERS_ALONE)) {
            var bytes = StandardCharsets.UTF_8.encode(text);
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
        }
    }

    /// Writes a file for the account that the script runs under.
    public void tell(String name, String text) throws IOException {
        Path temporary = written(name, text);
        Path begin = folder.resolve("begin");
        if (Files.exists(begin)) {
            giveAs(begin, temporary);
        }
        appear(name);
    }

    /// Writes a file for an account, which can pass through the folder to it.
    Path tell(String name, String text, Account account) throws IOException {
        Path temporary = written(name, text);
        if (account.switched()) {
            giveTo(account, List.of(temporary.getFileName().toString()));
        }
        appear(name);
        return folder.resolve(name);
    }

    /// Makes the file that the script touches when it has saved its work.
    void makeCheckpoint() throws IOException {
        write(CHECKPOINT, "");
        Files.setLastModifiedTime(folder.resolve(CHECKPOINT), FileTime.fromMillis(0));
    }

    /// When the script last saved its work, in epoch milliseconds; 0 is never.
    public long checkpoint() throws IOException {
        return changedAt(folder.resolve(CHECKPOINT));
    }

    private static long changedAt(Path file) throws IOException {
        try {
            return Files.getLastModifiedTime(file, LinkOption.NOFOLLOW_LINKS).toMillis();
        } catch (NoSuchFileException e) {
            return 0;
        }
    }

    public Optional<String> text(String name) throws IOException {
        try {
            return Optional.of(Files.readString(folder.resolve(name)));
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
    }

    /// What a file that others may write begins with; nothing if there is none. A link is not
    /// followed, and nothing is waited for.
    ///
    /// @param most bytes
    public String textOfOthers(String name, int most) throws IOException {
        try {
            return FileOfOthers.read(folder.resolve(name), most);
        } catch (NoSuchFileException e) {
            return "";
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
    /// taken away.
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
        int detached = 0;
        while (!empty) {
            empty = true;
            try (var top = parent.newDirectoryStream(name, LinkOption.NOFOLLOW_LINKS)) {
                for (Path each : top) {
                    empty = false;
                    Path child = each.getFileName();
                    try {
                        if (attributes(top, child).isDirectory()) {
                            clear(top, child);
                            top.deleteDirectory(child);
                        } else {
                            top.deleteFile(child);
                        }
                    } catch (IOException e) {
                        if (++detached > MOST_MOUNTS || !detach(folder.resolve(child))) {
                            throw e;
                        }
                    }
                }
            }
        }
        parent.deleteDirectory(name);
    }

    /// Takes away what is mounted at a place in the folder, or else at the places in that. Whether
    /// something was.
    private static boolean detach(Path place) throws IOException {
        boolean some = FileOfOthers.detach(place);
        if (!some && Files.isDirectory(place, LinkOption.NOFOLLOW_LINKS)) {
            try (DirectoryStream<Path> inside = Files.newDirectoryStream(place)) {
                for (Path each : inside) {
                    some |= FileOfOthers.detach(each);
                }
            }
        }
        return some;
    }

    /// Deletes the files in a folder, and moves the folders in it beside it.
    private static void clear(SecureDirectoryStream<Path> top, Path name) throws IOException {
        try (var inside = top.newDirectoryStream(name, LinkOption.NOFOLLOW_LINKS)) {
            for (Path each : inside) {
                Path child = each.getFileName();
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
