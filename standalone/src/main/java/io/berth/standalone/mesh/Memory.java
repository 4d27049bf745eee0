package io.berth.standalone.mesh;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// The memory of processes in MiB, as the kernel of Linux accounts it: pages that several share are
/// split among them. Null where the kernel does not tell.
final class Memory {

    private Memory() {}

    static @Nullable Long ofProcess(long pid) {
        return mib(proportionalKib(pid));
    }

    /// Of a process with all its descendants.
    static @Nullable Long ofFamily(long pid) {
        return mib(
                ProcessHandle.of(pid).stream()
                        .flatMap(
                                process -> Stream.concat(Stream.of(process), process.descendants()))
                        .mapToLong(process -> proportionalKib(process.pid()))
                        .sum());
    }

    private static @Nullable Long mib(long kib) {
        return kib == 0 ? null : kib / 1024;
    }

    private static long proportionalKib(long pid) {
        try (Stream<String> lines = Files.lines(Path.of("/proc/" + pid + "/smaps_rollup"))) {
            return lines.filter(line -> line.startsWith("Pss:"))
                    .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")))
                    .findFirst()
                    .orElse(0);
        } catch (IOException | java.io.UncheckedIOException e) {
            return 0;
        }
    }
}
