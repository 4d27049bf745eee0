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
import java.util.Set;

/// The files that a script reads from and writes to. The task always appends: what was there is cut
/// off before any node's task starts, so that nodes may share a file.
public record OutputFiles(Path input, Path output, Path error) {

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
        return new OutputFiles(input, output, error);
    }

    /// Opens the files once as a task of the agent's own account will.
    ///
    /// @param append whether what is in them stays
    /// @throws LaunchRefused if one cannot be opened
    public void open(boolean append) throws LaunchRefused {
        if (!Files.isReadable(input)) {
            throw new LaunchRefused("cannot read the input file " + input);
        }
        open(output, append);
        if (!error.equals(output)) {
            open(error, append);
        }
    }

    private static void open(Path file, boolean append) throws LaunchRefused {
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
        try (var _ = Files.newByteChannel(file, options)) {
            return;
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
