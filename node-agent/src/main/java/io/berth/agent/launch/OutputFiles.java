package io.berth.agent.launch;

import io.berth.contracts.JobSpec;
import io.berth.slurm.FilenamePattern;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/// The files that a script reads from and writes to. The task always appends: what was there is cut
/// off before any node's task starts, so that nodes may share a file.
///
/// @param umask of what is made, octal
public record OutputFiles(Path input, Path output, Path error, String umask) {

    /// Of the shell that submitted, as in Slurm.
    private static final String UMASK = "SLURM_UMASK";

    private static final Pattern MASK = Pattern.compile("[0-7]{1,4}");

    private static final Path NOTHING = Path.of("/dev/null");

    /// The files that a specification names.
    public static OutputFiles of(JobSpec spec, FilenamePattern pattern) {
        Path directory = Path.of(spec.workingDirectory());
        Path output = directory.resolve(pattern.expand(spec.standardOutput()));
        String standardError = spec.standardError();
        Path error =
                standardError == null ? output : directory.resolve(pattern.expand(standardError));
        String standardInput = spec.standardInput();
        Path input =
                standardInput == null ? NOTHING : directory.resolve(pattern.expand(standardInput));
        return new OutputFiles(input, output, error, umask(spec.environment()));
    }

    /// Of what reads and writes none.
    static OutputFiles none(Map<String, String> environment) {
        return new OutputFiles(NOTHING, NOTHING, NOTHING, umask(environment));
    }

    /// The one that variables tell.
    static String umask(Map<String, String> environment) {
        String told = environment.getOrDefault(UMASK, "");
        return MASK.matcher(told).matches() ? told : "022";
    }

    /// Opens the files once as a task of the agent's own account will.
    ///
    /// @param append whether what is in them stays
    /// @throws LaunchRefused if one cannot be opened
    public void open(boolean append) throws LaunchRefused {
        if (!Files.isReadable(input)) {
            throw new LaunchRefused("cannot read the input file " + input);
        }
        make(output, append);
        if (!error.equals(output)) {
            make(error, append);
        }
    }

    private void make(Path file, boolean append) throws LaunchRefused {
        if (Files.exists(file) && !Files.isRegularFile(file) && !Files.isDirectory(file)) {
            // A device or a pipe: opening it may wait or take effect.
            return;
        }
        Set<OpenOption> options =
                append
                        ? Set.of(StandardOpenOption.CREATE, StandardOpenOption.APPEND)
                        : Set.of(
                                StandardOpenOption.CREATE,
                                StandardOpenOption.WRITE,
                                StandardOpenOption.TRUNCATE_EXISTING);
        boolean made = !Files.exists(file);
        try (var _ = Files.newByteChannel(file, options)) {
            if (made) {
                Files.setAttribute(file, "unix:mode", 0666 & ~Integer.parseInt(umask, 8));
            }
        } catch (IOException e) {
            throw new LaunchRefused("cannot open the output file " + file + ": " + cause(e), e);
        }
    }

    private static String cause(IOException e) {
        if (e instanceof NoSuchFileException) {
            return "its folder does not exist";
        }
        if (e instanceof AccessDeniedException) {
            return "permission denied";
        }
        if (e instanceof FileSystemException system && system.getReason() != null) {
            return system.getReason();
        }
        return String.valueOf(e.getMessage());
    }
}
