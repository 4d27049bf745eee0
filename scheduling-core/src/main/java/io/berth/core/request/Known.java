package io.berth.core.request;

import io.berth.contracts.JobId;
import io.berth.contracts.event.JobStatus;
import io.berth.core.state.CellState;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;

/// The jobs of a cell, under changes that are decided and not yet replayed.
///
/// @param changed the statuses that outrank the state's
public record Known(CellState state, Map<JobId, JobStatus> changed) {

    public Known(CellState state) {
        this(state, Map.of());
    }

    public Optional<JobStatus> job(JobId job) {
        JobStatus newer = changed.get(job);
        return newer == null ? state.job(job) : Optional.of(newer);
    }

    /// The known tasks of an array, or the job itself if it is none; empty if nobody knows it.
    Collection<JobId> tasks(JobId job) {
        Collection<JobId> tasks = state.companions().tasks(job).values();
        return !tasks.isEmpty() ? tasks : job(job).map(JobStatus::job).stream().toList();
    }

    Optional<JobStatus> task(JobId array, int index) {
        return Optional.ofNullable(state.companions().tasks(array).get(index)).flatMap(this::job);
    }
}
