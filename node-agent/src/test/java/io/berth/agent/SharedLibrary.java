package io.berth.agent;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/// A library in C that a test needs, made from a source among its resources.
public final class SharedLibrary {

    private static final int NO_COMPILER = 9;

    private SharedLibrary() {}

    /// Makes it, without a warning; nothing if there is no C compiler, `cc`.
    ///
    /// @param of beside whose resources the source is
    /// @param folder where it comes, with all that it is made of
    public static Optional<Path> make(
            Class<?> of, String source, Path folder, String name, String... options)
            throws IOException, InterruptedException {
        Path copy = folder.resolve(source);
        try (InputStream in = of.getResourceAsStream(source)) {
            Files.copy(Objects.requireNonNull(in, source), copy);
        }
        Path library = folder.resolve(name);
        Path errors = folder.resolve(name + ".errors");
        var command =
                new ArrayList<>(
                        List.of(
                                "sh",
                                "-c",
                                "command -v cc >/dev/null || exit "
                                        + NO_COMPILER
                                        + "; exec cc -shared -fPIC \"$@\" -ldl",
                                "sh",
                                "-o",
                                library.toString(),
                                copy.toString()));
        command.addAll(List.of(options));
        int status =
                new ProcessBuilder(command)
                        .redirectErrorStream(true)
                        .redirectOutput(errors.toFile())
                        .start()
                        .waitFor();
        assertThat(errors).as("what the compiler says").isEmptyFile();
        assertThat(status).as("status of the compiler").isIn(0, NO_COMPILER);
        return status == NO_COMPILER ? Optional.empty() : Optional.of(library);
    }
}
