package io.berth.cli;

import io.berth.client.Surroundings;
import io.berth.slurm.ResourceLimit;
import io.berth.slurm.session.WakeableInput;
import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.ZoneId;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/// All that a command sees of the process it runs in.
///
/// @param user the caller's Unix name
/// @param zone asked for only when a time is printed, as loading the zones takes a while
record Terminal(
        InputStream in,
        PrintStream out,
        PrintStream err,
        Map<String, String> environment,
        Path directory,
        String user,
        Clock clock,
        Supplier<ZoneId> zone,
        Pause pause) {

    /// A wait between two attempts.
    @FunctionalInterface
    interface Pause {
        void await(Duration duration);
    }

    static Terminal ofProcess() {
        return new Terminal(
                WakeableInput.ofProcess(),
                stream(FileDescriptor.out),
                stream(FileDescriptor.err),
                environmentOfProcess(),
                Path.of("").toAbsolutePath(),
                System.getProperty("user.name"),
                Clock.systemUTC(),
                ZoneId::systemDefault,
                Terminal::sleep);
    }

    /// With the umask in `SLURM_UMASK` and limits in [ResourceLimit]'s variables, where Linux tells
    /// them: jobs may have those of the shell that submits them. The limits are the shell's own, as
    /// this process has raised that of open files.
    private static Map<String, String> environmentOfProcess() {
        var environment = new HashMap<>(System.getenv());
        try {
            for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
                if (line.startsWith("Umask:")) {
                    environment.put("SLURM_UMASK", line.substring(6).strip());
                } else if (line.startsWith("PPid:")) {
                    Path limits = Path.of("/proc", line.substring(5).strip(), "limits");
                    environment.putAll(ResourceLimit.variables(Files.readAllLines(limits)));
                }
            }
        } catch (IOException e) {
            return environment;
        }
        return environment;
    }

    private static PrintStream stream(FileDescriptor descriptor) {
        return new PrintStream(
                new BufferedOutputStream(new FileOutputStream(descriptor), 1 << 16),
                false,
                StandardCharsets.UTF_8);
    }

    private static void sleep(Duration duration) {
        try {
            Thread.sleep(duration);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("a command that nobody interrupts was interrupted", e);
        }
    }

    /// Ends what a thread reads that need not be told of it.
    static void closeQuietly(InputStream in) {
        try {
            in.close();
        } catch (IOException e) {
            // Nobody reads it any more.
        }
    }

    /// What the user answers to a question, without the end of the line; nothing at the end of the
    /// input.
    Optional<String> ask(String question) {
        out.print(question);
        out.flush();
        var line = new ByteArrayOutputStream();
        try {
            int next = in.read();
            if (next < 0) {
                return Optional.empty();
            }
            for (; next >= 0 && next != '\n'; next = in.read()) {
                line.write(next);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read the answer", e);
        }
        return Optional.of(line.toString(StandardCharsets.UTF_8));
    }

    Surroundings surroundings() {
        return new Surroundings(environment, directory);
    }

    /// The variable's value, or `otherwise` if it is not set or empty.
    String variable(String name, String otherwise) {
        return surroundings().variable(name, otherwise);
    }

    /// The folder of Berth's data.
    Path home() {
        return surroundings().home();
    }

    /// A file's content, by its name as the caller wrote it.
    ///
    /// @throws CommandFailure if it cannot be read
    byte[] read(String command, String name) throws CommandFailure {
        try {
            return Files.readAllBytes(directory.resolve(name));
        } catch (NoSuchFileException e) {
            throw CommandFailure.error(command, "there is no file " + name);
        } catch (IOException e) {
            throw CommandFailure.error(command, "cannot read " + name + ": " + e.getMessage());
        }
    }

    long now() {
        return clock.millis();
    }
}
