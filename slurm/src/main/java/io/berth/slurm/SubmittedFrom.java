package io.berth.slurm;

import java.time.ZonedDateTime;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Where a batch script comes from, for what its options leave open.
///
/// @param name the job's name if no option gives one
/// @param workingDirectory absolute; options may name another
/// @param user the owner if no option names one
/// @param now the submitter's time in his zone, by which times of day are read; asked for only then
public record SubmittedFrom(
        @Nullable String name,
        @Nullable String workingDirectory,
        @Nullable String host,
        @Nullable String user,
        Supplier<ZonedDateTime> now) {

    public static final SubmittedFrom UNKNOWN =
            new SubmittedFrom(null, null, null, null, ZonedDateTime::now);
}
