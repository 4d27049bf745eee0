package io.berth.embedded;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// Certificates for a test, made as `docs/deploy.md` tells: by `examples/certify.sh`.
///
/// @param folder of the authority, and of all that it has certified
public record Certificates(Path folder) {

    private static final Path SCRIPT =
            Path.of("../examples/certify.sh").toAbsolutePath().normalize();

    /// Makes `<name>.crt` and `<name>.key`, and `ca.crt` if it is not there.
    ///
    /// @param alternative names of a server, such as `IP:127.0.0.1`
    /// @throws IOException if it cannot; `openssl` may be missing
    public void certify(String name, String subject, String... alternative) throws IOException {
        var command = new ArrayList<>(List.of("sh", SCRIPT.toString(), name, subject));
        command.addAll(List.of(alternative));
        Path output = Files.createTempFile(folder, name, ".log");
        try {
            int status =
                    new ProcessBuilder(command)
                            .directory(folder.toFile())
                            .redirectErrorStream(true)
                            .redirectOutput(output.toFile())
                            .start()
                            .waitFor();
            if (status != 0) {
                throw new IOException(command + ": " + Files.readString(output).strip());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        } finally {
            Files.delete(output);
        }
    }
}
