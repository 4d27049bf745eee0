package io.berth.core.request;

import io.berth.contracts.ArrayTask;
import io.berth.contracts.JobId;
import io.berth.contracts.Reason;
import io.berth.contracts.event.JobStatus;
import io.berth.core.state.CellState;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

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

    /// Waiting tasks of the arrays that these jobs are of and that may start more.
    public Set<JobId> relieved(Set<JobId> jobs) {
        var seen = new TreeSet<JobId>();
        var relieved = new TreeSet<JobId>();
        for (JobId id : jobs) {
            ArrayTask task = state.job(id).map(it -> it.description().array()).orElse(null);
            if (task != null && task.throttle() > 0 && seen.add(task.array()) && room(task) > 0) {
                relieved.addAll(state.companions().tasks(task.array()).values());
            }
        }
        return relieved;
    }

    /// Waiting tasks that may start no more since this pass has started others of their arrays.
    public Set<JobId> kept() {
        var kept = new TreeSet<JobId>();
        for (JobId array : started.keySet()) {
            for (JobId id : state.companions().tasks(array).values()) {
                JobStatus task = state.knownJob(id);
                if (task.eligible()
                        && task.reason() != Reason.JOB_ARRAY_TASK_LIMIT
                        && !admits(task)) {
                    kept.add(id);
                }
            }
        }
        return kept;
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
