package io.berth.agent.launch;

import io.berth.contracts.JobId;
import io.berth.contracts.json.Json;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Where the scripts of a node write, kept beyond their runs: what can be asked for later. The last
/// 10,000 jobs are known, and those that run. A file for each, by its job's id.
///
/// @param folder the node's, in the spool
/// @param runs the folders of its runs
/// @param most so many jobs are known beside those that run
public record Outputs(Path folder, Path runs, int most) {

    private static final int MOST = 10_000;
    private static final int HUNDREDTH = 100;

    /// PATH_MAX.
    private static final int LONGEST_PATH = 4096;

    /// @param user whose account opens the files
    /// @param key the job's, by which a request for what it wrote is proven; null if the job has
    ///   none, or an older agent kept this
    public record Kept(JobId job, String user, String output, String error, @Nullable String key) {}

    /// Those of a node.
    ///
    /// @param runs the folder of its runs' folders
    public static Outputs beside(Path runs) {
        return new Outputs(runs.resolveSibling("outputs"), runs, MOST);
    }

    /// Keeps where a job writes; of a job that starts again, where it did last. Names that the
    /// kernel does not take are not kept: a short pattern may make a long one, for each job.
    void keep(Kept kept) throws IOException {
        if (Math.max(kept.output().length(), kept.error().length()) > LONGEST_PATH) {
            return;
        }
        Files.createDirectories(
                folder,
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        Path file = file(kept.job());
        Path temporary = file.resolveSibling(file.getFileName() + ".new");
        Files.write(temporary, Json.mapper().writeValueAsBytes(kept));
        Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE);
        prune();
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

    /// Forgets those that were kept first and have no run. A tenth more may be there, and some: to
    /// look how many there are takes milliseconds, and one job of a hundred does.
    private void prune() {
        if (ThreadLocalRandom.current().nextInt(Math.max(1, most / HUNDREDTH)) != 0) {
            return;
        }
        String[] names = folder.toFile().list();
        if (names == null || names.length <= most + most / 10) {
            return;
        }
        Set<String> running =
                Stream.ofNullable(runs.toFile().list())
                        .flatMap(Stream::of)
                        .map(run -> run.split("\\.", 2)[0])
                        .collect(Collectors.toSet());
        List<Aged> idle =
                Stream.of(names)
                        .filter(name -> !running.contains(name))
                        .map(name -> Aged.of(folder.resolve(name).toFile()))
                        .sorted(Comparator.comparingLong(Aged::keptAt))
                        .toList();
        idle.subList(0, Math.max(0, idle.size() - most)).forEach(it -> it.file().delete());
    }

    /// @param keptAt epoch milliseconds
    private record Aged(File file, long keptAt) {
        static Aged of(File file) {
            return new Aged(file, file.lastModified());
        }
    }

    private Path file(JobId job) {
        return folder.resolve(job.toString());
    }
}
