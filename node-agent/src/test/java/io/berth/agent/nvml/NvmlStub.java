package io.berth.agent.nvml;

import static org.assertj.core.api.Assumptions.assumeThat;

import io.berth.agent.SharedLibrary;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/// A `libnvidia-ml.so.1` that tells what a test writes into the file beside it. It is compiled when
/// a test first needs it; without a C compiler the test is skipped.
public final class NvmlStub {

    private static final Map<String, Optional<Path>> BUILT = new ConcurrentHashMap<>();

    private final Path folder;

    private NvmlStub(Path folder) {
        this.folder = folder;
    }

    /// A library of its own in that folder.
    public static NvmlStub in(Path folder, String topology) throws IOException {
        return in(folder, topology, "-UOLD_DRIVER");
    }

    /// The same, without the functions that drivers of old do not have.
    public static NvmlStub old(Path folder, String topology) throws IOException {
        return in(folder, topology, "-DOLD_DRIVER");
    }

    private static NvmlStub in(Path folder, String topology, String flag) throws IOException {
        Optional<Path> built = BUILT.computeIfAbsent(flag, NvmlStub::compile);
        assumeThat(built)
                .as("a C compiler, cc, to build the library that is tested against")
                .isPresent();
        Files.copy(built.get(), folder.resolve(Nvml.LIBRARY));
        var stub = new NvmlStub(folder);
        stub.tell(topology);
        return stub;
    }

    /// The library's path.
    public String library() {
        return folder.resolve(Nvml.LIBRARY).toString();
    }

    public void tell(String topology) throws IOException {
        Path changed = folder.resolve("topology.new");
        Files.writeString(changed, topology);
        Files.move(changed, folder.resolve("topology"), StandardCopyOption.ATOMIC_MOVE);
    }

    public void add(String line) throws IOException {
        Files.writeString(folder.resolve("topology"), line + "\n", StandardOpenOption.APPEND);
    }

    /// Tells another line in the place of one, at once; nothing, if that is empty.
    public void replace(String line, String other) throws IOException {
        tell(topology().replace(line + "\n", other.isEmpty() ? "" : other + "\n"));
    }

    /// What it tells now, with what was created and destroyed.
    public String topology() throws IOException {
        return Files.readString(folder.resolve("topology"));
    }

    private static Optional<Path> compile(String flag) {
        try {
            Path folder = Files.createTempDirectory("nvml-stub");
            folder.toFile().deleteOnExit();
            Optional<Path> library =
                    SharedLibrary.make(
                            NvmlStub.class,
                            "stub.c",
                            folder,
                            Nvml.LIBRARY,
                            "-fvisibility=hidden",
                            flag);
            try (Stream<Path> files = Files.list(folder)) {
                files.forEach(it -> it.toFile().deleteOnExit());
            }
            return library;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }
}
