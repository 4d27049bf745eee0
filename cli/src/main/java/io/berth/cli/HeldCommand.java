package io.berth.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/// The shell of an allocation, or the program in its place: a process on this machine with this
/// one's terminal. Signals go to it and to what it has started, as far as that is in its process
/// group: a shell with job control has one of its own, any other program is in that of `salloc`.
///
/// Source: salloc(1) of Slurm 22.05.
final class HeldCommand {

    /// The status of one whose terminal is gone.
    private static final int LEFT = 1;

    private static final long HANG_UP_SECONDS = 5;

    private final Process process;
    private final CompletableFuture<Integer> status = new CompletableFuture<>();
    private volatile boolean hungUp;

    private HeldCommand(Process process) {
        this.process = process;
        var unused =
                process.onExit().thenAccept(it -> status.complete(hungUp ? LEFT : it.exitValue()));
    }

    /// @param variables beside those of this process
    /// @throws IOException if there is no such program
    static HeldCommand start(List<String> command, Map<String, String> variables, Path directory)
            throws IOException {
        var builder = new ProcessBuilder(command).directory(directory.toFile()).inheritIO();
        builder.environment().putAll(variables);
        return new HeldCommand(builder.start());
    }

    /// @param name such as TERM
    void signal(String name) throws IOException {
        String group = group(process.toHandle());
        var kill =
                Stream.concat(
                        Stream.of("kill", "-s", name),
                        Stream.concat(
                                        Stream.of(process.toHandle()),
                                        process.descendants()
                                                .filter(it ->
                                                        !group.isEmpty()
                                                                && group(it).equals(group)))
                                .map(it -> Long.toString(it.pid())));
        // One that has ended meanwhile is none to speak of.
        var unused =
                new ProcessBuilder(kill.toList())
                        .redirectError(ProcessBuilder.Redirect.DISCARD)
                        .start();
    }

    /// Tells it that the terminal is gone. It may tidy up for a moment, and is left to itself then.
    void hangUp() throws IOException {
        hungUp = true;
        signal("HUP");
        status.completeOnTimeout(LEFT, HANG_UP_SECONDS, TimeUnit.SECONDS);
    }

    /// @return its exit status, of one that a signal ended 128 and the signal's number
    int untilEnd() {
        return status.join();
    }

    /// "" where nobody tells.
    private static String group(ProcessHandle of) {
        try {
            String stat = Files.readString(Path.of("/proc/" + of.pid() + "/stat"));
            // What follows the name, which may hold anything: state, parent, group.
            return stat.substring(stat.lastIndexOf(')') + 2).split(" ", 4)[2];
        } catch (IOException e) {
            return "";
        }
    }
}
