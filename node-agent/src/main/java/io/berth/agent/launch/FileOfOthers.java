package io.berth.agent.launch;

import com.sun.jna.LastErrorException;
import com.sun.jna.NativeLong;
import io.berth.agent.launch.FileCalls.Loaded;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/// A file or a folder that a user may have put there, below a folder in which only the agent
/// writes. It is looked at without waiting for anybody, without following a link, and without going
/// into what a user has mounted: Java's own way to open a file waits for the writer of a pipe, for
/// the holder of a lease, whom the kernel gives 45 seconds, and for ever for a file system that is
/// a program of the user's (FUSE).
///
/// Source: open(2), on O_NONBLOCK, O_NOFOLLOW and O_PATH; openat2(2); fcntl(2), "Leases".
final class FileOfOthers {

    private static final int NONBLOCK = 0x800;
    private static final int CLOSE_ON_EXEC = 0x80000;
    private static final int PATH_ALONE = 0x200000;
    private static final int REMOVE_FOLDER = 0x200;
    private static final int NO_SUCH_FILE = 2;
    private static final int IS_FOLDER = 21;

    /// A kernel before 5.6, or a container that does not let it be called.
    private static final List<Integer> NO_CALL = List.of(1, 38);

    private static final NativeLong OPENAT2 = new NativeLong(437);
    private static final int HOW_BYTES = 24;

    /// No other mount, no link of /proc, no link, and nothing above.
    private static final long WITHIN = 1 | 2 | 4 | 8;

    private static final int BEGIN = 0;
    private static final int END = 2;
    private static final int PIECE_BYTES = 1 << 16;

    private FileOfOthers() {}

    /// What it begins with.
    ///
    /// @param most bytes
    /// @throws NoSuchFileException if it is not there
    /// @throws IOException if it is a link or no file, somebody holds a lease on it, or has mounted
    ///   something there
    static String read(Path folder, String name, int most) throws IOException {
        try {
            return with(folder, name, NONBLOCK, open -> read(open, most));
        } catch (LinkageError e) {
            return readByCommand(folder.resolve(name), most);
        }
    }

    /// What it ends with.
    ///
    /// @param most bytes
    static String readEnd(Path folder, String name, int most) throws IOException {
        try {
            return with(
                    folder,
                    name,
                    NONBLOCK,
                    open -> {
                        long size = Loaded.C.lseek(open, new NativeLong(0), END).longValue();
                        Loaded.C.lseek(open, new NativeLong(Math.max(0, size - most)), BEGIN);
                        return read(open, most);
                    });
        } catch (LinkageError e) {
            return readByCommand(folder.resolve(name), most);
        }
    }

    /// When it was changed, in epoch milliseconds.
    ///
    /// @throws NoSuchFileException if it is not there
    static long changedAt(Path folder, String name) throws IOException {
        try {
            return with(
                    folder,
                    name,
                    PATH_ALONE,
                    open -> Files.getLastModifiedTime(opened(open)).toMillis());
        } catch (LinkageError e) {
            return Files.getLastModifiedTime(folder.resolve(name), LinkOption.NOFOLLOW_LINKS)
                    .toMillis();
        }
    }

    /// Who has it.
    ///
    /// @param uid of the user
    /// @param gid of the group
    record Owner(int uid, int gid) {

        private static Owner of(Path file, LinkOption... options) throws IOException {
            Map<String, Object> had = Files.readAttributes(file, "unix:uid,gid", options);
            return new Owner(number(had, "uid"), number(had, "gid"));
        }

        private static int number(Map<String, Object> had, String name) {
            return (Integer) Objects.requireNonNull(had.get(name), name);
        }

        /// Gives him a file that is the agent's.
        void take(Path file) throws IOException {
            Owner has = of(file, LinkOption.NOFOLLOW_LINKS);
            if (has.gid != gid) {
                Files.setAttribute(file, "unix:gid", gid, LinkOption.NOFOLLOW_LINKS);
            }
            if (has.uid != uid) {
                Files.setAttribute(file, "unix:uid", uid, LinkOption.NOFOLLOW_LINKS);
            }
        }
    }

    static Owner owner(Path folder, String name) throws IOException {
        try {
            return with(folder, name, PATH_ALONE, open -> Owner.of(opened(open)));
        } catch (LinkageError e) {
            return Owner.of(folder.resolve(name), LinkOption.NOFOLLOW_LINKS);
        }
    }

    /// What is in a folder: so many names at most.
    static List<String> names(Path folder, String name, int most) throws IOException {
        return within(folder, name, open -> names(open, most));
    }

    /// Something to do with a folder.
    @FunctionalInterface
    interface Visit<T> {
        /// @param open the folder, whatever is put in its place now
        T to(Path open) throws IOException;
    }

    /// Does something with a folder.
    static <T> T within(Path folder, String name, Visit<T> visit) throws IOException {
        try {
            return with(folder, name, PATH_ALONE | folderAlone(), open -> visit.to(opened(open)));
        } catch (LinkageError e) {
            return visit.to(folder.resolve(name));
        }
    }

    private static List<String> names(Path folder, int most) throws IOException {
        var names = new ArrayList<String>();
        try (DirectoryStream<Path> all = Files.newDirectoryStream(folder)) {
            for (Path each : all) {
                if (names.size() == most) {
                    break;
                }
                names.add(each.getFileName().toString());
            }
        }
        return names;
    }

    /// Removes a file, a link or an empty folder from a folder, if it is there.
    ///
    /// @throws IOException if it cannot be removed
    static void remove(Path folder, String name, String child) throws IOException {
        try {
            var unused =
                    with(folder, name, PATH_ALONE | folderAlone(), open -> unlink(open, child));
        } catch (NoSuchFileException e) {
            return;
        } catch (LinkageError e) {
            Files.deleteIfExists(folder.resolve(name).resolve(child));
        }
    }

    private static int unlink(int open, String child) {
        try {
            return Loaded.C.unlinkat(open, child, 0);
        } catch (LastErrorException e) {
            if (e.getErrorCode() != IS_FOLDER) {
                throw e;
            }
            return Loaded.C.unlinkat(open, child, REMOVE_FOLDER);
        }
    }

    @FunctionalInterface
    private interface Act<T> {
        T on(int open) throws IOException;
    }

    private static <T> T with(Path folder, String name, int flags, Act<T> act) throws IOException {
        try {
            int open = open(folder, name, flags | CLOSE_ON_EXEC);
            try {
                return act.on(open);
            } finally {
                Loaded.C.close(open);
            }
        } catch (LastErrorException e) {
            String file = folder.resolve(name).toString();
            if (e.getErrorCode() == NO_SUCH_FILE) {
                throw new NoSuchFileException(file);
            }
            throw new IOException("cannot use %s: error %d".formatted(file, e.getErrorCode()), e);
        }
    }

    private static int open(Path folder, String name, int flags) {
        int above =
                Loaded.C.open(
                        folder.toString(), PATH_ALONE | CLOSE_ON_EXEC | folderAlone() | noFollow());
        try {
            long[] how = {flags, 0, WITHIN};
            return Loaded.C.syscall(OPENAT2, above, name, how, new NativeLong(HOW_BYTES))
                    .intValue();
        } catch (LastErrorException e) {
            if (NO_CALL.contains(e.getErrorCode())) {
                return Loaded.C.open(folder.resolve(name).toString(), flags | noFollow());
            }
            throw e;
        } finally {
            Loaded.C.close(above);
        }
    }

    /// An open file, by a name that does not lead elsewhere.
    private static Path opened(int open) {
        return Path.of("/proc/self/fd", Integer.toString(open));
    }

    private static String read(int open, int most) {
        var text = new ByteArrayOutputStream();
        var piece = new byte[Math.min(most, PIECE_BYTES)];
        int length = 1;
        while (length > 0 && text.size() < most) {
            int wanted = Math.min(piece.length, most - text.size());
            length = Loaded.C.read(open, piece, new NativeLong(wanted)).intValue();
            text.write(piece, 0, length);
        }
        return text.toString(StandardCharsets.UTF_8);
    }

    /// For a machine that lets no library be unpacked and loaded.
    static String readByCommand(Path file, int most) throws IOException {
        if (!Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
            throw new NoSuchFileException(file.toString());
        }
        Process dd =
                new ProcessBuilder(
                                "dd",
                                "if=" + file,
                                "iflag=nonblock,nofollow",
                                "bs=" + most,
                                "count=1")
                        .redirectError(ProcessBuilder.Redirect.DISCARD)
                        .start();
        try (var output = dd.getInputStream()) {
            String text = new String(output.readAllBytes(), StandardCharsets.UTF_8);
            if (dd.waitFor() != 0) {
                throw new IOException("cannot read " + file);
            }
            return text;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted reading " + file, e);
        }
    }

    /// The number of O_NOFOLLOW.
    private static int noFollow() {
        return ofMachine(0x20000, 0x8000);
    }

    /// The number of O_DIRECTORY.
    private static int folderAlone() {
        return ofMachine(0x10000, 0x4000);
    }

    private static int ofMachine(int amd64, int aarch64) {
        return switch (System.getProperty("os.arch", "")) {
            case "amd64", "x86_64" -> amd64;
            case "aarch64" -> aarch64;
            default -> throw new UnsatisfiedLinkError("the flags of open have no known numbers");
        };
    }
}
