package io.berth.standalone;

import io.berth.embedded.PostgresServer;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/// PostgreSQL's programs, unpacked once for all meshes that are tested: nothing else of a mesh's
/// first start takes as long.
final class PostgresPrograms {

    private static final Path UNPACKED = Path.of("target/postgres").toAbsolutePath();

    private PostgresPrograms() {}

    /// Spares a server that starts in that folder to unpack them.
    static void copyTo(Path directory) throws IOException {
        Files.createDirectories(directory);
        var copy =
                new ProcessBuilder("cp", "-a", unpacked().toString(), directory.toString())
                        .inheritIO()
                        .start();
        try {
            if (copy.waitFor() != 0) {
                throw new IOException("cannot copy " + UNPACKED + " to " + directory);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    /// Tests of other meshes may look for them at the same time.
    private static Path unpacked() throws IOException {
        Files.createDirectories(UNPACKED);
        try (var file =
                        FileChannel.open(
                                UNPACKED.resolve("lock"),
                                StandardOpenOption.CREATE,
                                StandardOpenOption.WRITE);
                var _ = file.lock()) {
            return PostgresServer.unpack(UNPACKED);
        }
    }
}
