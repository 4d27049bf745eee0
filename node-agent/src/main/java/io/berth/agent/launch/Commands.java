package io.berth.agent.launch;

import io.berth.agent.group.Signals;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Stream;

/// Starts the processes of an agent, and writes the files that will be run.
///
/// While such a file is open for writing no process may be forked: it would hold the file open for
/// a moment too, and the kernel does not run a file that is open for writing.
public final class Commands {

    static final String PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

    /// Writes its own number and start time into the file, and becomes the program.
    private static final String NOTED =
            "f=$0 p=$1; read -r s </proc/$$/stat; set -- $s; echo \"$1 ${22}\" >\"$f\"; exec \"$p\"";

    private static final Path NOTHING = Path.of("/dev/null");

    /// How much of what a command writes is read, in bytes.
    static final int MOST_OUTPUT = 2 << 20;

    /// After how much more it is ended, in bytes: it stands on the disk.
    private static final long MOST_WRITTEN = 64L << 20;

    private static final long LOOK_MILLIS = 20;

    private final ReentrantLock forking = new ReentrantLock();

    /// How a command ended.
    ///
    /// @param status its exit status; 128 and the signal's number if one ended it
    /// @param output what it wrote, to its output and its error; the first 2 MiB of it
    public record Ran(int status, String output) {}

    /// Runs a command to its end, with nothing but a path and these variables.
    ///
    /// @throws IOException if it cannot be started, takes longer, or writes more than 64 MiB
    public Ran run(List<String> command, Map<String, String> variables, Duration limit)
            throws IOException, InterruptedException {
        return run(List.of(), command, variables, limit, false);
    }

    /// The same in a session of its own, of which nothing is left.
    Ran runAlone(List<String> command, Map<String, String> variables, Duration limit)
            throws IOException, InterruptedException {
        return run(List.of("setsid"), command, variables, limit, true);
    }

    /// The same of one program, whose process stands in a file before it begins, as
    /// [io.berth.agent.host.LiveProcess#parse] reads it: whenever the agent dies, it is known.
    Ran runNoted(Path file, Path program, Map<String, String> variables, Duration limit)
            throws IOException, InterruptedException {
        return run(
                List.of("/bin/sh", "-c", NOTED, file.toString()),
                List.of(program.toString()),
                variables,
                limit,
                false);
    }

    /// @param by the words of who becomes the command
    private Ran run(
            List<String> by,
            List<String> command,
            Map<String, String> variables,
            Duration limit,
            boolean alone)
            throws IOException, InterruptedException {
        Path output = Files.createTempFile("berth", ".out");
        try {
            var builder = builder(Stream.concat(by.stream(), command.stream()).toList());
            builder.environment().putAll(variables);
            builder.redirectErrorStream(true).redirectOutput(output.toFile());
            Process process = start(builder);
            try {
                await(process, command.getFirst(), output, limit);
            } finally {
                if (process.isAlive()) {
                    process.descendants().forEach(ProcessHandle::destroyForcibly);
                    process.destroyForcibly();
                }
                if (alone) {
                    Signals.killSession(process.pid());
                }
            }
            return new Ran(process.exitValue(), beginning(output));
        } finally {
            Files.delete(output);
        }
    }

    private static void await(Process process, String name, Path output, Duration limit)
            throws IOException, InterruptedException {
        long deadline = System.nanoTime() + limit.toNanos();
        while (!process.waitFor(LOOK_MILLIS, TimeUnit.MILLISECONDS)) {
            if (System.nanoTime() - deadline > 0) {
                throw new IOException(name + " took longer than " + limit.toSeconds() + " s");
            }
            if (Files.size(output) > MOST_WRITTEN) {
                throw new IOException(name + " wrote more than " + (MOST_WRITTEN >> 20) + " MiB");
            }
        }
    }

    private static String beginning(Path output) throws IOException {
        try (var bytes = Files.newInputStream(output)) {
            return new String(bytes.readNBytes(MOST_OUTPUT), StandardCharsets.UTF_8);
        }
    }

    public Ran run(List<String> command, Duration limit) throws IOException, InterruptedException {
        return run(command, Map.of(), limit);
    }

    /// A process without input, output and variables but a path.
    ProcessBuilder builder(List<String> command) {
        var builder = new ProcessBuilder(command);
        builder.environment().clear();
        builder.environment().put("PATH", PATH);
        builder.redirectInput(NOTHING.toFile());
        builder.redirectOutput(ProcessBuilder.Redirect.DISCARD);
        builder.redirectError(ProcessBuilder.Redirect.DISCARD);
        return builder;
    }

    Process start(ProcessBuilder builder) throws IOException {
        forking.lock();
        try {
            return builder.start();
        } finally {
            forking.unlock();
        }
    }

    /// Writes a file while no process is forked.
    void writing(Writing write) throws IOException {
        forking.lock();
        try {
            write.run();
        } finally {
            forking.unlock();
        }
    }

    interface Writing {
        void run() throws IOException;
    }
}
