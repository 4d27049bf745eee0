package io.berth.submit;

import io.berth.slurm.JobSubmission;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A question about what would be: the body of `POST /v1/simulate`. It names either a job to submit
/// or one that waits.
///
/// @param submit as `POST /v1/jobs` takes it
/// @param job a waiting job, `17` or `17_4`
/// @param change of the waiting job, as `POST /v1/jobs/{id}` takes it
/// @param drain a host list of nodes that get no new work
/// @param add nodes that the cluster does not have
public record WhatIf(
        @Nullable JobSubmission submit,
        @Nullable String job,
        @Nullable JobChange change,
        @Nullable String drain,
        @Nullable List<More> add) {

    /// So many nodes more that are like that one.
    public record More(String like, int count) {}
}
