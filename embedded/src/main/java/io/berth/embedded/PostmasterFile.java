package io.berth.embedded;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/// PostgreSQL's `postmaster.pid`: who serves a data directory, and whether it is ready.
///
/// Source: `src/include/utils/pidfile.h`: line 1 is the process id, line 8 the state.
final class PostmasterFile {

    private static final int STATE_LINE = 8;

    private final Path data;

    private PostmasterFile(Path data) {
        this.data = data;
    }

    static PostmasterFile of(Path data) {
        return new PostmasterFile(data);
    }

    /// Whether the server with this process id takes connections.
    boolean ready(long pid) throws IOException {
        List<String> lines = lines();
        return lines.size() >= STATE_LINE
                && lines.getFirst().strip().equals(Long.toString(pid))
                && lines.get(STATE_LINE - 1).strip().equals("ready");
    }

    /// Stops the server that the file names, if it still is one, and removes a file that names
    /// none. Only for the holder of the directory's lock: the server is then an orphan.
    void stopOrphan() throws IOException {
        Optional<ProcessHandle> orphan = server();
        if (orphan.isPresent()) {
            Signals.stop(orphan.get());
        }
        Files.deleteIfExists(data.resolve("postmaster.pid"));
    }

    private Optional<ProcessHandle> server() throws IOException {
        List<String> lines = lines();
        if (lines.isEmpty()) {
            return Optional.empty();
        }
        try {
            return ProcessHandle.of(Long.parseLong(lines.getFirst().strip())).filter(this::serves);
        } catch (NumberFormatException e) {
            return Optional.empty();
        }
    }

    /// Whether this process is a PostgreSQL server of these data, and not another that was given
    /// the number of a dead one: the server's working directory is its data directory.
    private boolean serves(ProcessHandle process) {
        try {
            return Files.isSameFile(Path.of("/proc/" + process.pid() + "/cwd"), data);
        } catch (IOException e) {
            return false;
        }
    }

    private List<String> lines() throws IOException {
        try {
            return Files.readAllLines(data.resolve("postmaster.pid"));
        } catch (NoSuchFileException e) {
            return List.of();
        }
    }
}
