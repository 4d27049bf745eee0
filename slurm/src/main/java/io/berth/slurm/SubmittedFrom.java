package io.berth.slurm;

import io.berth.slurm.GetOpt.Given;
import java.io.IOException;
import java.time.ZonedDateTime;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Where a batch script comes from, for what its options leave open.
///
/// @param name the job's name if no option gives one
/// @param command the script's path, or the program, with its arguments, in one line; null if there
///   is none
/// @param workingDirectory absolute; options may name another
/// @param user the owner if no option names one
/// @param now the submitter's time in his zone, by which times of day are read; asked for only then
/// @param files that options name
/// @param own variables that the job has whatever `--export` hands on
public record SubmittedFrom(
        @Nullable String name,
        @Nullable String command,
        @Nullable String workingDirectory,
        @Nullable String host,
        @Nullable String user,
        Supplier<ZonedDateTime> now,
        Files files,
        Map<String, String> own) {

    public static final SubmittedFrom UNKNOWN =
            new SubmittedFrom(null, null, null, null, ZonedDateTime::now);

    /// The submitter's files.
    @FunctionalInterface
    public interface Files {

        /// What a file says.
        ///
        /// @param name as the option names it
        String read(String name) throws IOException;
    }

    /// Of somebody whose files cannot be read here, and who called nothing that has a name.
    public SubmittedFrom(
            @Nullable String name,
            @Nullable String workingDirectory,
            @Nullable String host,
            @Nullable String user,
            Supplier<ZonedDateTime> now) {
        this(name, null, workingDirectory, host, user, now, SubmittedFrom::none, Map.of());
    }

    /// Refuses to read any.
    public static String none(String file) throws IOException {
        throw new IOException("no files can be read here: " + file);
    }

    /// Words in one line, as [#command]: control characters are question marks, and what is longer
    /// than [JobSubmission#MAX_COMMAND] is cut. Null for no words.
    public static @Nullable String line(List<String> words) {
        String line =
                String.join(" ", words)
                        .codePoints()
                        .map(it -> steers(it) ? '?' : it)
                        .limit(JobSubmission.MAX_COMMAND / 2)
                        .collect(
                                StringBuilder::new,
                                StringBuilder::appendCodePoint,
                                StringBuilder::append)
                        .toString();
        return line.isBlank() ? null : line;
    }

    private static boolean steers(int letter) {
        return Character.isISOControl(letter) || Character.getType(letter) == Character.SURROGATE;
    }

    /// What the file says that an option names.
    ///
    /// @throws InvalidOption if it cannot be read
    String text(Given<SbatchOption> given) throws InvalidOption {
        try {
            return files.read(given.required());
        } catch (IOException e) {
            throw InvalidOption.refused(
                    "Unable to open file "
                            + given.required()
                            + " of --"
                            + given.option().longName());
        }
    }
}
