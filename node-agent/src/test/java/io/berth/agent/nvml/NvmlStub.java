package io.berth.agent.nvml;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

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
        return in(folder, topology, "");
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

    private static Optional<Path> compile(String flag) {
        try {
            Path folder = Files.createTempDirectory("nvml-stub");
            Path source = folder.resolve("stub.c");
            Path library = folder.resolve(Nvml.LIBRARY);
            try (InputStream in = NvmlStub.class.getResourceAsStream("stub.c")) {
                Files.copy(Objects.requireNonNull(in), source);
            }
            Path errors = folder.resolve("errors");
            int status =
                    new ProcessBuilder(
                                    "sh",
                                    "-c",
                                    "command -v cc >/dev/null || exit 9; exec cc -shared -fPIC -fvisibility=hidden "
                                            + flag
                                            + " -o \"$1\" \"$2\" -ldl",
                                    "sh",
                                    library.toString(),
                                    source.toString())
                            .redirectErrorStream(true)
                            .redirectOutput(errors.toFile())
                            .start()
                            .waitFor();
            if (status == 9) {
                return Optional.empty();
            }
            assertThat(Files.readString(errors)).isEmpty();
            for (Path each : List.of(folder, errors, source, library)) {
                each.toFile().deleteOnExit();
            }
            return Optional.of(library);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }
}
