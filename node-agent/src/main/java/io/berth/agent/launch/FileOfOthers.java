package io.berth.agent.launch;

import com.sun.jna.LastErrorException;
import com.sun.jna.Library;
import com.sun.jna.Native;
import com.sun.jna.NativeLong;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/// A file that a user may have put there, which is read without waiting for anybody. Java's own way
/// to open a file waits for the writer of a pipe, and for the holder of a lease, whom the kernel
/// gives 45 seconds; a user may take a lease on each file of his.
///
/// Source: open(2), on O_NONBLOCK and O_NOFOLLOW; fcntl(2), "Leases"; umount(2).
final class FileOfOthers {

    private static final int NONBLOCK = 0x800;
    private static final int CLOSE_ON_EXEC = 0x80000;
    private static final int NO_SUCH_FILE = 2;
    private static final int DETACH = 2;
    private static final int NO_LINK = 8;
    private static final int PIECE_BYTES = 1 << 16;

    private interface Kernel extends Library {

        int open(String path, int flags) throws LastErrorException;

        NativeLong read(int file, byte[] into, NativeLong size) throws LastErrorException;

        int close(int file) throws LastErrorException;

        int umount2(String path, int flags) throws LastErrorException;
    }

    private static final class Loaded {
        static final Kernel KERNEL = Native.load("c", Kernel.class);
    }

    private FileOfOthers() {}

    /// What it begins with.
    ///
    /// @param most bytes
    /// @throws NoSuchFileException if it is not there
    /// @throws IOException if it is a link or no file, or somebody holds a lease on it
    static String read(Path file, int most) throws IOException {
        try {
            int open = Loaded.KERNEL.open(file.toString(), NONBLOCK | CLOSE_ON_EXEC | noFollow());
            try {
                return read(open, most);
            } finally {
                Loaded.KERNEL.close(open);
            }
        } catch (LastErrorException e) {
            if (e.getErrorCode() == NO_SUCH_FILE) {
                throw new NoSuchFileException(file.toString());
            }
            throw new IOException("cannot read %s: error %d".formatted(file, e.getErrorCode()), e);
        } catch (LinkageError e) {
            return readByCommand(file, most);
        }
    }

    /// Takes away what a user has mounted at a place, as whoever may use FUSE can on each folder of
    /// his. Whether something was. Who is in it stays there.
    ///
    /// @param place of which none but the last name may be a link of others
    static boolean detach(Path place) {
        try {
            return Loaded.KERNEL.umount2(place.toString(), DETACH | NO_LINK) == 0;
        } catch (LastErrorException | LinkageError e) {
            return false;
        }
    }

    private static String read(int open, int most) {
        var text = new ByteArrayOutputStream();
        var piece = new byte[Math.min(most, PIECE_BYTES)];
        int length = 1;
        while (length > 0 && text.size() < most) {
            int wanted = Math.min(piece.length, most - text.size());
            length = Loaded.KERNEL.read(open, piece, new NativeLong(wanted)).intValue();
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
        return switch (System.getProperty("os.arch", "")) {
            case "amd64", "x86_64" -> 0x20000;
            case "aarch64" -> 0x8000;
            default -> throw new UnsatisfiedLinkError("O_NOFOLLOW has no known number here");
        };
    }
}
