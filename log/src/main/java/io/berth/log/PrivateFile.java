package io.berth.log;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Set;

/// A file with a secret in it.
final class PrivateFile {

    private PrivateFile() {}

    /// Reads a file that nobody else may read.
    ///
    /// @throws IOException if somebody may, or it cannot be read
    static String read(Path file) throws IOException {
        Set<PosixFilePermission> readers = Files.getPosixFilePermissions(file);
        if (readers.contains(PosixFilePermission.OTHERS_READ)
                || (readers.contains(PosixFilePermission.GROUP_READ) && isOwn(file))) {
            throw new IOException(file + " may be read by others than its owner: chmod 600 it");
        }
        return Files.readString(file);
    }

    /// Whether it is this process's. A key that another owns, such as a secret of Kubernetes, is
    /// read by its group.
    private static boolean isOwn(Path file) throws IOException {
        return Files.getAttribute(file, "unix:uid")
                .equals(Files.getAttribute(Path.of("/proc/self"), "unix:uid"));
    }
}
