package io.berth.core.request;

import io.berth.contracts.ArrayTask;
import io.berth.contracts.JobId;
import io.berth.contracts.event.JobStatus;
import io.berth.core.state.CellState;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/// How many tasks of each array may still start in one pass, to which it is confined.
public final class Throttles {

    private final CellState state;
    private final TreeMap<JobId, Integer> started = new TreeMap<>();

    /// Those of which this pass has started as many as may run.
    private final TreeSet<JobId> full = new TreeSet<>();

    public Throttles(CellState state) {
        this.state = state;
    }

    /// Whether one more task of the job's array may run; true for a job of no array.
    public boolean admits(JobStatus job) {
        ArrayTask task = job.description().array();
        return task == null || task.throttle() == 0 || room(task) > 0;
    }

    /// Waiting tasks of whom it may be otherwise than they were told whether they may start: those
    /// of arrays that these jobs are of and that may start more, and of those that no longer may.
    ///
    /// @param roomy arrays whose tasks were last told that they may; kept from pass to pass
    public Set<JobId> changed(Set<JobId> jobs, Set<JobId> roomy) {
        var arrays = new TreeSet<JobId>();
        for (JobId id : jobs) {
            ArrayTask task = state.job(id).map(it -> it.description().array()).orElse(null);
            if (task != null && task.throttle() > 0 && room(task) > 0) {
                arrays.add(task.array());
            }
        }
        full.stream().filter(roomy::contains).forEach(arrays::add);
        var changed = new TreeSet<JobId>();
        for (JobId array : arrays) {
            List<JobId> waiting =
                    state.companions().tasks(array).values().stream()
                            .filter(it -> state.knownJob(it).eligible())
                            .toList();
            changed.addAll(waiting);
            if (waiting.isEmpty() || full.contains(array)) {
                roomy.remove(array);
            } else {
                roomy.add(array);
            }
        }
        return changed;
    }

    private int room(ArrayTask task) {
        return task.throttle()
                - state.companions().active(task.array())
                - started.getOrDefault(task.array(), 0);
    }

    /// Takes note that the pass starts the job.
    public void started(JobStatus job) {
        ArrayTask task = job.description().array();
        if (task != null && task.throttle() > 0) {
            started.merge(task.array(), 1, Integer::sum);
            if (room(task) <= 0) {
                full.add(task.array());
            }
        }
    }
}
