package io.berth.agent.launch;

import io.berth.agent.container.OciConfig.Console;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/// Reads the `srun` processes of a run. The kernel finds what they were called with in their own
/// memory, which may be that of a file system of the user's (FUSE) that does not answer: so that is
/// not waited for, and as long as one is being read no other one is.
public final class StepCommands {

    private static final Path PROCESSES = Path.of("/proc");
    private static final Duration LIMIT = Duration.ofSeconds(2);

    private final Path processes;
    private final Duration limit;
    private @Nullable Thread reading;

    public StepCommands() {
        this(PROCESSES, LIMIT);
    }

    /// @param processes what stands for /proc
    StepCommands(Path processes, Duration limit) {
        this.processes = processes;
        this.limit = limit;
    }

    /// @param console the size of the terminal that it says to have; null for none
    /// @throws LaunchRefused if the process is another program or none any more, says too much, or
    ///   does not let itself be read
    public StepCommand read(long process, @Nullable Console console)
            throws LaunchRefused, InterruptedException {
        if (reading != null && reading.isAlive()) {
            throw silent(process);
        }
        Path folder = processes.resolve(Long.toString(process));
        var task = new FutureTask<>(() -> StepCommand.read(folder, console));
        // Whoever waits in the kernel would hold the thread that carries a virtual one.
        reading = Thread.ofPlatform().name("srun-" + process).daemon().start(task);
        try {
            return task.get(limit.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            throw silent(process);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof LaunchRefused refused) {
                throw refused;
            }
            if (e.getCause() instanceof IOException) {
                throw new LaunchRefused("srun %d cannot be read".formatted(process), e);
            }
            throw new IllegalStateException(e);
        }
    }

    private static LaunchRefused silent(long process) {
        return new LaunchRefused("srun %d does not let itself be read".formatted(process));
    }
}
