package io.berth.agent.launch;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The folder of a run's that is for its job: what of it the script's account owns, and can write
/// as it likes, stands in here and nowhere else. So one bound is a bound of all, and nothing of it
/// is believed. The folder itself is the agent's.
public final class JobFiles {

    /// The file that tells the script of its end: it appears with a notice.
    public static final String NOTICE = "notice";

    /// The file that the script touches when it has saved its work. Its time is 0 before.
    public static final String CHECKPOINT = "checkpoint";

    /// The folder of what steps ask.
    public static final String ASKS = "asks";

    /// The folder in which steps say what they hold.
    static final String STEPS = "steps";

    /// The folder of what steps are answered.
    static final String TOLD = "told";

    /// The text by which the account begins.
    static final String BEGIN = "begin";

    private static final String NAME = "job";
    private static final Logger LOG = LoggerFactory.getLogger(JobFiles.class);

    private static final FileAttribute<?> OWNERS_FOLDER =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));

    private static final Set<PosixFilePermission> PASSAGE =
            PosixFilePermissions.fromString("rwx--x--x");

    private final Path run;
    private final Path folder;

    /// Those in the folder of a run; in that of one that an older agent began, or of none, they
    /// stand in that folder.
    JobFiles(Path run) {
        this.run = run;
        Path own = run.resolve(NAME);
        this.folder = Files.isDirectory(own, LinkOption.NOFOLLOW_LINKS) ? own : run;
    }

    /// Makes the folder in that of a run, if it is not there.
    static void make(Path run) throws IOException {
        try {
            Files.createDirectory(run.resolve(NAME), OWNERS_FOLDER);
        } catch (FileAlreadyExistsException e) {
            return;
        }
    }

    public Path folder() {
        return folder;
    }

    Path at(String name) {
        return folder.resolve(name);
    }

    /// Bounds what the job can leave here, before anything is.
    ///
    /// @throws IOException if the kernel refuses
    void bound() throws IOException {
        Optional<String> why = Mounts.bound(folder);
        if (why.isPresent()) {
            throw new IOException(
                    "what the job leaves in the spool cannot be bounded: " + why.get());
        }
    }

    /// Gives the memory back that the job has taken here, once nothing of it is needed any more.
    public void release() {
        if (!folder.equals(run)) {
            Mounts.detachAll(folder);
        }
    }

    /// Why what jobs leave in a spool is not bounded here; nothing if it is.
    ///
    /// @param home of the spool, in which it is tried
    public static Optional<String> unbound(Path home) throws IOException {
        if (!Mounts.areTheMachines()) {
            return Optional.of("the agent has mounts of its own, which the next one would not see");
        }
        Path tried = Files.createTempDirectory(home, "bound");
        try {
            return Mounts.bound(tried);
        } finally {
            Mounts.detach(tried);
            Files.delete(tried);
        }
    }

    /// The folder, made if it is not there, in which the steps of the script say what they hold.
    public Path makeSteps() throws IOException {
        return makePrivate(STEPS);
    }

    /// Makes the folders by which the script's steps ask the agent for something, which are the
    /// script's, and by which they are answered, which anybody may pass through.
    public void makeAsks() throws IOException {
        makePrivate(ASKS);
        makePassage(TOLD);
    }

    /// Makes a folder, if it is not there, for its owner alone.
    Path makePrivate(String name) throws IOException {
        try {
            Files.createDirectory(folder.resolve(name), OWNERS_FOLDER);
        } catch (FileAlreadyExistsException e) {
            // It may be another's by now, and is not looked at.
        }
        return folder.resolve(name);
    }

    /// Makes a folder, if it is not there, in which others reach what they know the name of.
    void makePassage(String name) throws IOException {
        Path made = Files.createDirectories(folder.resolve(name));
        Files.setPosixFilePermissions(made, PASSAGE);
    }

    /// Tells when something is asked, until the answer is closed; never where steps cannot ask.
    public SpoolWatch.Registration watchAsks(SpoolWatch watch, Runnable changed) {
        try {
            return FileOfOthers.within(folder, ASKS, asks -> watch.watch(asks, changed));
        } catch (IOException e) {
            return () -> {};
        }
    }

    /// The names of what is asked now, so many at most.
    public List<String> asks(int most) throws IOException {
        try {
            return FileOfOthers.names(folder, ASKS, most);
        } catch (NoSuchFileException e) {
            return List.of();
        } catch (IOException e) {
            if (!Mounts.detach(folder.resolve(ASKS))) {
                throw e;
            }
            return List.of();
        }
    }

    /// When something was asked, in epoch milliseconds; 0 if it is asked no more, or nobody can
    /// tell.
    public long askedAt(String name) {
        return changedAt(ASKS + "/" + name);
    }

    /// Takes what is asked under a name: it is asked no more.
    ///
    /// @param most bytes
    public String ask(String name, int most) {
        try {
            return text(ASKS + "/" + name, most);
        } catch (IOException e) {
            // A link, a folder, a file that somebody holds: nobody asks so.
            return "";
        } finally {
            // A folder with something in it stays: nobody asks so.
            removeIfPossible(ASKS, name);
        }
    }

    /// Answers what was asked under a name: the account that asks may read it, and no other. A job
    /// that has left no room for it is not answered.
    public void answer(String name, String text) {
        try {
            Path told = folder.resolve(TOLD);
            Path temporary = told.resolve(name + ".new");
            FileOfOthers.remove(folder, TOLD, name + ".new");
            RunFiles.create(temporary, text.isEmpty() ? "" : text + "\n");
            FileOfOthers.owner(folder, ASKS).take(temporary);
            Files.move(temporary, told.resolve(name), StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            LOG.atDebug().setCause(e).addKeyValue("run", run.getFileName()).log("Ask not answered");
        }
    }

    /// Takes back the answers from before a time, in epoch milliseconds.
    public void forgetAnswers(long before) throws IOException {
        for (String name : names(TOLD)) {
            if (changedAt(TOLD + "/" + name) < before) {
                removeIfPossible(TOLD, name);
            }
        }
    }

    /// What is in a folder that is the agent's.
    List<String> names(String name) throws IOException {
        try {
            return FileOfOthers.names(folder, name, Mounts.MOST_FILES);
        } catch (NoSuchFileException e) {
            return List.of();
        }
    }

    /// Removes a file or an empty folder, if it can be: what the account has put into a folder or
    /// has mounted there stays until the run's folder goes.
    void removeIfPossible(String name, String child) {
        try {
            FileOfOthers.remove(folder, name, child);
        } catch (IOException e) {
            LOG.atDebug().setCause(e).addKeyValue("run", run.getFileName()).log("Not removed");
        }
    }

    /// Gives what the script needs to its account: it can pass through the run's folder and this
    /// one, in which all else is the agent's alone. Of a link it gives the link, not what that
    /// leads to.
    ///
    /// @param names of what is in folders that are the agent's
    public void giveTo(Account account, List<String> names) throws IOException {
        Files.setPosixFilePermissions(run, PASSAGE);
        Files.setPosixFilePermissions(folder, PASSAGE);
        for (String name : names) {
            Path given = folder.resolve(name);
            int group = Math.toIntExact(account.gid());
            Files.setAttribute(given, "unix:gid", group, LinkOption.NOFOLLOW_LINKS);
            int user = Math.toIntExact(account.uid());
            Files.setAttribute(given, "unix:uid", user, LinkOption.NOFOLLOW_LINKS);
        }
    }

    /// Writes a file that is still to be given to the account.
    void write(String name, String text) throws IOException {
        var unused = RunFiles.written(folder, name, text);
        RunFiles.appear(folder, name);
    }

    /// Writes a file for the account that the script runs under.
    public void tell(String name, String text) throws IOException {
        Path temporary = RunFiles.written(folder, name, text);
        try {
            FileOfOthers.owner(folder, BEGIN).take(temporary);
        } catch (NoSuchFileException e) {
            // The script runs under the agent's own account.
        }
        RunFiles.appear(folder, name);
    }

    /// Writes a file for an account, which can pass through the folder to it.
    Path tell(String name, String text, Account account) throws IOException {
        Path temporary = RunFiles.written(folder, name, text);
        if (account.switched()) {
            giveTo(account, List.of(temporary.getFileName().toString()));
        }
        RunFiles.appear(folder, name);
        return folder.resolve(name);
    }

    /// Makes the file that the script touches when it has saved its work.
    void makeCheckpoint() throws IOException {
        write(CHECKPOINT, "");
        Files.setLastModifiedTime(folder.resolve(CHECKPOINT), FileTime.fromMillis(0));
    }

    /// When the script last saved its work, in epoch milliseconds; 0 is never.
    public long checkpoint() {
        return changedAt(CHECKPOINT);
    }

    private long changedAt(String name) {
        try {
            return FileOfOthers.changedAt(folder, name);
        } catch (IOException e) {
            return 0;
        }
    }

    /// What a file that the job may have written ends with; nothing if there is none.
    ///
    /// @param most bytes
    /// @throws IOException if it is no file that can be read at once
    String end(String name, int most) throws IOException {
        try {
            return FileOfOthers.readEnd(folder, name, most);
        } catch (NoSuchFileException e) {
            return "";
        }
    }

    /// What a file that the job may have written begins with; nothing if there is none.
    ///
    /// @param most bytes
    /// @throws IOException if it is no file that can be read at once
    public String text(String name, int most) throws IOException {
        try {
            return FileOfOthers.read(folder, name, most);
        } catch (NoSuchFileException e) {
            return "";
        }
    }
}
