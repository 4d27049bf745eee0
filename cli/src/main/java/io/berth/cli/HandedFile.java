package io.berth.cli;

import io.berth.slurm.session.FileTold;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;

/// A file of this machine that a job's `sbcast` is handed on its standard input.
///
/// @param name by which it was called
record HandedFile(Path path, String name, FileTold told) {

    /// @throws CommandFailure if it is none that can be read
    static HandedFile of(Terminal terminal, String command, String name) throws CommandFailure {
        Path path = terminal.directory().resolve(name);
        try {
            return new HandedFile(path, name, FileTold.of(path, name));
        } catch (IOException e) {
            throw CommandFailure.error(command, String.valueOf(e.getMessage()));
        }
    }

    /// The program of that name, as a shell would find it.
    static HandedFile program(Terminal terminal, String command, String name)
            throws CommandFailure {
        if (!name.contains("/")) {
            for (String folder : terminal.variable("PATH", "").split(":")) {
                Path file = terminal.directory().resolve(folder).resolve(name);
                if (Files.isRegularFile(file) && Files.isExecutable(file)) {
                    return of(terminal, command, file.toString());
                }
            }
        }
        return of(terminal, command, name);
    }

    /// A path on the nodes, which is relative to the directory here; one that names a folder stays
    /// so.
    static String absolute(Path directory, String path) {
        return path.startsWith("/") ? path : directory + "/" + path;
    }

    InputStream open() throws IOException {
        return FileTold.open(path, name);
    }
}
