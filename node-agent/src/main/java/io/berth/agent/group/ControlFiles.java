package io.berth.agent.group;

import io.berth.agent.host.LiveProcess;
import io.berth.contracts.IndexSet;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// The kernel's control files: folders that are groups, files that are settings.
final class ControlFiles {

    private static final String PROCESSES = "cgroup.procs";
    private static final String INNER = "task";

    /// Half a page, in bytes.
    private static final int LONG = 2048;

    /// In a run's group of version 2, where the script is.
    static final String SCRIPT = "script";

    private static final int TYPE = 0xf000;
    private static final int FOLDER = 0x4000;
    private static final int LEAF = 2;
    private static final int NO_GROUP = -1;

    private ControlFiles() {}

    /// All that is in a file, of which the kernel gives a part only if it is longer than a page.
    static String read(Path file) throws IOException {
        try (InputStream stream = Files.newInputStream(file)) {
            var bytes = new byte[LONG];
            int length = Math.max(0, stream.read(bytes));
            String text = new String(bytes, 0, length, StandardCharsets.UTF_8);
            return (length < LONG
                            ? text
                            : text + new String(stream.readAllBytes(), StandardCharsets.UTF_8))
                    .strip();
        }
    }

    static void write(Path file, String value) throws IOException {
        try {
            Files.writeString(file, value);
        } catch (IOException e) {
            throw new IOException("cannot write '%s' to %s".formatted(value, file), e);
        }
    }

    /// Writes values one after the other into a file that takes one at a time. Unlike a channel, a
    /// stream of [Files] is not closed by an interrupt: a stop is no failure of a launch.
    static void writeAll(Path file, List<String> values) throws IOException {
        try (OutputStream stream = Files.newOutputStream(file, StandardOpenOption.WRITE)) {
            for (String value : values) {
                stream.write(value.getBytes(StandardCharsets.US_ASCII));
            }
        } catch (IOException e) {
            throw new IOException("cannot write one of %s to %s".formatted(values, file), e);
        }
    }

    /// Writes those of some ids that another file has too; nothing if it has none of them.
    static void writeOf(Path file, IndexSet wanted, Path had) throws IOException {
        BitSet both = wanted.toBitSet();
        if (!both.isEmpty()) {
            both.and(IndexSet.parse(read(had)).toBitSet());
        }
        if (!both.isEmpty()) {
            write(file, IndexSet.of(both).toString());
        }
    }

    /// The number that follows that word in a file of `word number` lines; 0 if there is none.
    static long count(Path file, String word) throws IOException {
        for (String line : Files.readAllLines(file)) {
            if (line.startsWith(word + " ")) {
                return Long.parseLong(line.substring(word.length() + 1).strip());
            }
        }
        return 0;
    }

    /// All that is in a file; null if there is no such file.
    static @Nullable String textOf(Path file) throws IOException {
        try {
            return Files.readString(file);
        } catch (NoSuchFileException e) {
            return null;
        }
    }

    /// The MiB in all the bytes that the pattern's group finds in a text; null in none.
    static @Nullable Long mib(@Nullable String text, Pattern bytes) {
        if (text == null) {
            return null;
        }
        return bytes.matcher(text)
                        .results()
                        .mapToLong(found -> Long.parseLong(found.group(1)))
                        .sum()
                >> 20;
    }

    /// A group and the groups in it, the innermost first; none if it is gone.
    static List<Path> tree(Path group) throws IOException {
        var found = new ArrayList<Path>();
        addTree(group, found);
        return found;
    }

    private static void addTree(Path file, List<Path> found) throws IOException {
        int links = links(file);
        if (links == NO_GROUP) {
            return;
        }
        if (links != LEAF) {
            try (DirectoryStream<Path> inner = Files.newDirectoryStream(file)) {
                for (Path each : inner) {
                    addTree(each, found);
                }
            } catch (NoSuchFileException e) {
                return;
            }
        }
        found.add(file);
    }

    /// How many links a group has, or that it is none or gone. If no group is in it they are two:
    /// its name, and its own `.`; each group in it has a `..`. To look at all its control files
    /// costs far more.
    private static int links(Path file) throws IOException {
        try {
            Map<String, Object> told =
                    Files.readAttributes(file, "unix:mode,nlink", LinkOption.NOFOLLOW_LINKS);
            return told.get("mode") instanceof Integer mode
                            && (mode & TYPE) == FOLDER
                            && told.get("nlink") instanceof Integer links
                    ? links
                    : NO_GROUP;
        } catch (NoSuchFileException e) {
            return NO_GROUP;
        }
    }

    /// The processes in a group and in the groups in it.
    static Set<Long> processes(Path group) throws IOException {
        var pids = new TreeSet<Long>();
        for (Path each : tree(group)) {
            own(each).lines().map(Long::valueOf).forEach(pids::add);
        }
        return pids;
    }

    /// Whether no process is in the group, nor in a group in it.
    static boolean isEmpty(Path group) throws IOException {
        for (Path each : tree(group)) {
            if (!own(each).isEmpty()) {
                return false;
            }
        }
        return true;
    }

    /// The processes of a group itself, a line each.
    private static String own(Path group) throws IOException {
        try {
            return Files.readString(entrance(group));
        } catch (NoSuchFileException e) {
            // Gone since it was listed: it was empty.
            return "";
        } catch (FileSystemException e) {
            if (Files.exists(group)) {
                throw e;
            }
            return "";
        }
    }

    /// Whether a process runs, and its own file says that it is in a group, or in one in it: to
    /// read it costs the same however many groups there are. In a container it may name groups
    /// otherwise than the mount does; then they seem not to hold it.
    static boolean seenIn(Path mount, Path group, long pid) {
        if (LiveProcess.stat(pid).filter(stat -> stat.state() != 'Z').isEmpty()) {
            return false;
        }
        Path wanted = Path.of("/").resolve(mount.relativize(group));
        try {
            return Files.readAllLines(Path.of("/proc", Long.toString(pid), "cgroup")).stream()
                    .anyMatch(line -> Path.of(line.split(":", 3)[2]).startsWith(wanted));
        } catch (IOException e) {
            // It has ended meanwhile.
            return false;
        }
    }

    /// The numbers of the groups in a group that are named as that level has them.
    static Set<Integer> children(Path group, Level level) throws IOException {
        if (links(group) == LEAF) {
            return Set.of();
        }
        var numbers = new TreeSet<Integer>();
        try (DirectoryStream<Path> all = Files.newDirectoryStream(group)) {
            for (Path each : all) {
                Matcher name = level.child(each.getFileName().toString());
                if (name.matches()) {
                    numbers.add(Integer.valueOf(name.group(1)));
                }
            }
        } catch (NoSuchFileException | NotDirectoryException e) {
            return Set.of();
        }
        return numbers;
    }

    static Path entrance(Path group) {
        return group.resolve(PROCESSES);
    }

    /// The group of a run whose folder that is: an agent of before made it within another, in which
    /// nothing else is. A group of that name may also be the job's own.
    static Path ofRun(Path folder) {
        Path inner = folder.resolve(INNER);
        try {
            return Files.exists(inner)
                            && own(folder).isEmpty()
                            && !Files.exists(folder.resolve(SCRIPT))
                    ? inner
                    : folder;
        } catch (IOException e) {
            return folder;
        }
    }

    /// The folder of a run whose group that is.
    static Path folderOf(Path run) {
        Path folder = run.getParent();
        return folder != null && run.endsWith(INNER) ? folder : run;
    }

    /// Removes a group and the groups in it.
    static void remove(Path group) throws IOException {
        for (Path each : tree(group)) {
            Files.deleteIfExists(each);
        }
    }

    /// Removes a group if nothing is in it. Whether it is gone.
    static boolean removeIfEmpty(Path group) {
        try {
            Files.deleteIfExists(group);
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    static void killAll(Set<Long> pids) {
        for (long pid : pids) {
            ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly);
        }
    }
}
