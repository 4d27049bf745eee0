package io.berth.agent.launch;

import io.berth.contracts.JobId;
import io.berth.contracts.json.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;

/// Where the scripts of a node write, kept beyond their runs: what can be asked for later. There is
/// room for 10,000 jobs: a job takes the place of the one 10,000 before it.
///
/// @param folder the node's, in the spool
public record Outputs(Path folder) {

    private static final long PLACES = 10_000;

    /// @param user whose account opens the files
    public record Kept(JobId job, String user, String output, String error) {}

    /// Those of the node that a run's folder belongs to.
    static Outputs beside(RunFiles files) {
        return new Outputs(files.folder().resolve("../../outputs").normalize());
    }

    /// Keeps where a job writes; of a job that starts again, where it did last.
    void keep(Kept kept) throws IOException {
        Files.createDirectories(
                folder,
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        Path file = file(kept.job());
        Path temporary = file.resolveSibling(file.getFileName() + ".new");
        Files.write(temporary, Json.mapper().writeValueAsBytes(kept));
        Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE);
    }

    /// Where a job wrote, if it ran here and that is still known.
    public Optional<Kept> of(JobId job) throws IOException {
        try {
            Kept kept = Json.mapper().readValue(Files.readAllBytes(file(job)), Kept.class);
            return Optional.of(kept).filter(it -> it.job().equals(job));
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
    }

    private Path file(JobId job) {
        return folder.resolve(Long.toString(job.value() % PLACES));
    }
}
