package io.berth.slurm;

import org.jspecify.annotations.Nullable;

/// Where a batch script comes from, for what its options leave open.
///
/// @param name the job's name if no option gives one
/// @param workingDirectory absolute; options may name another
/// @param user the owner if no option names one
public record SubmittedFrom(
        @Nullable String name,
        @Nullable String workingDirectory,
        @Nullable String host,
        @Nullable String user) {

    public static final SubmittedFrom UNKNOWN = new SubmittedFrom(null, null, null, null);
}
