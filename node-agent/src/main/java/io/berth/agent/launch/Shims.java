package io.berth.agent.launch;

import io.berth.agent.group.RunMark;
import io.berth.contracts.NodeName;
import io.berth.contracts.RunId;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

/// Starts the shims of an agent process.
public final class Shims {

    private static final String PATH =
            "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

    /// While a script is open for writing no process may be forked: it would hold the script open
    /// for a moment too, and the kernel does not run a file that is open for writing.
    private final ReentrantLock forking = new ReentrantLock();

    /// The folder of the commands that scripts find before all others: `srun`.
    private final Path commands;

    /// Puts the shim's texts into the agents' home, four folders above each run's, and the scripts'
    /// commands.
    public Shims(Path home) throws IOException {
        commands = Files.createDirectories(home.resolve("bin"));
        for (String name : List.of("shim.sh", "task.sh")) {
            install(name, home, "rw-r--r--");
        }
        for (String name : List.of("srun", "srun-share.sh")) {
            install(name, commands, "rwxr-xr-x");
        }
    }

    private static void install(String name, Path folder, String permissions) throws IOException {
        Path temporary = Files.createTempFile(folder, name, ".new");
        Files.writeString(temporary, resource(name));
        Files.setPosixFilePermissions(temporary, PosixFilePermissions.fromString(permissions));
        Files.move(temporary, folder.resolve(name), StandardCopyOption.ATOMIC_MOVE);
    }

    /// Where scripts find commands, those of jobs first.
    ///
    /// @param path the script's own
    public String path(String path) {
        return commands + ":" + path;
    }

    /// Writes a file that will be run.
    public void writeExecutable(Path file, String text) throws IOException {
        forking.lock();
        try {
            Files.writeString(file, text);
            Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwx------"));
        } finally {
            forking.unlock();
        }
    }

    /// Starts the shim of a run, in a session of its own.
    public void start(RunFiles files, NodeName node, RunId run) throws IOException {
        Path home = home(files);
        var command = new ArrayList<String>();
        command.addAll(List.of("setsid", "sh", home.resolve("shim.sh").toString()));
        command.add(files.folder().toString());
        command.addAll(RunMark.of(node, run));
        var builder = new ProcessBuilder(command);
        builder.environment().clear();
        builder.environment().put("PATH", PATH);
        builder.directory(files.folder().toFile());
        builder.redirectInput(Path.of("/dev/null").toFile());
        builder.redirectOutput(ProcessBuilder.Redirect.DISCARD);
        builder.redirectError(ProcessBuilder.Redirect.DISCARD);
        forking.lock();
        try {
            var unused = builder.start();
        } finally {
            forking.unlock();
        }
    }

    private static Path home(RunFiles files) {
        return files.folder().resolve("../../../..").normalize();
    }

    private static String resource(String name) throws IOException {
        try (InputStream in = Shims.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new IllegalStateException(name + " is not packaged");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
