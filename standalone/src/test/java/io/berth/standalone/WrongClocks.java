package io.berth.standalone;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Map;

/// Wall clocks of a mesh's processes, each of which may be moved while its process runs: `clock.c`,
/// preloaded into all of them.
///
/// @param folder of the library, and of how far each clock is off
record WrongClocks(Path folder) {

    private static final Path SOURCE = TestMesh.ROOT.resolve("standalone/src/test/c/clock.c");

    /// Takes a C compiler.
    ///
    /// @param folder is made
    static WrongClocks in(Path folder) throws IOException, InterruptedException {
        var clocks = new WrongClocks(Files.createDirectories(folder));
        Process compiler =
                new ProcessBuilder(
                                "cc",
                                "-Wall",
                                "-Wextra",
                                "-Werror",
                                "-shared",
                                "-fPIC",
                                "-o",
                                clocks.library().toString(),
                                SOURCE.toString(),
                                "-ldl")
                        .inheritIO()
                        .start();
        if (compiler.waitFor() != 0) {
            throw new IOException("cannot compile " + SOURCE);
        }
        return clocks;
    }

    private Path library() {
        return folder.resolve("clock.so");
    }

    /// Of the environment in which a process has such a clock.
    Map<String, String> variables() {
        return Map.of("LD_PRELOAD", library().toString(), "BERTH_TEST_CLOCKS", folder.toString());
    }

    /// Moves the clock of the service on that port, and of each that comes after it there.
    void move(int port, Duration fromTheRightTime) throws IOException {
        ByteBuffer nanos = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.nativeOrder());
        nanos.putLong(fromTheRightTime.toNanos()).flip();
        try (var file =
                FileChannel.open(
                        folder.resolve(Integer.toString(port)), StandardOpenOption.WRITE)) {
            file.write(nanos);
        }
    }
}
