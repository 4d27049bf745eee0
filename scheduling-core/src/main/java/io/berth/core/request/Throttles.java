package io.berth.core.request;

import io.berth.contracts.ArrayTask;
import io.berth.contracts.JobId;
import io.berth.contracts.event.JobStatus;
import io.berth.core.state.CellState;
import java.util.TreeMap;

/// How many tasks of each array may still start in one pass. Confined to that pass.
public final class Throttles {

    private final CellState state;
    private final TreeMap<JobId, Integer> started = new TreeMap<>();

    public Throttles(CellState state) {
        this.state = state;
    }

    /// Whether one more task of the job's array may run; true for a job of no array.
    public boolean admits(JobStatus job) {
        ArrayTask task = job.description().array();
        return task == null || task.throttle() == 0 || room(task) > 0;
    }

    private int room(ArrayTask task) {
        return task.throttle()
                - state.companions().active(task.array())
                - started.getOrDefault(task.array(), 0);
    }

    /// Takes note that the pass starts the job.
    public void started(JobStatus job) {
        ArrayTask task = job.description().array();
        if (task != null) {
            started.merge(task.array(), 1, Integer::sum);
        }
    }
}
