package io.berth.slurm;

import java.util.List;

/// A submission with what its options ask of the `sbatch` command itself.
///
/// @param parsable print the bare job id
/// @param waits until the job has ended
/// @param quiet print nothing but errors
/// @param testOnly say when it would start, and submit nothing
/// @param warnings lines for the submitter, without the command's name
public record SbatchRequest(
        JobSubmission submission,
        boolean parsable,
        boolean waits,
        boolean quiet,
        boolean testOnly,
        List<String> warnings) {

    public SbatchRequest {
        warnings = List.copyOf(warnings);
    }
}
