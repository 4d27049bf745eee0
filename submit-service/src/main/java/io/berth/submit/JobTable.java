package io.berth.submit;

import io.berth.contracts.ArrayTask;
import io.berth.contracts.HetComponent;
import io.berth.contracts.JobId;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ConcurrentSkipListSet;
import org.jspecify.annotations.Nullable;

/// Jobs by their ids, and by the arrays whose tasks they are. Changed by one thread, read by many.
final class JobTable {
    private final NavigableMap<JobId, Job> jobs = new ConcurrentSkipListMap<>();
    private final Map<JobId, NavigableSet<JobId>> arrays = new ConcurrentHashMap<>();

    /// How many of them wait or run.
    private volatile long unended;

    void put(Job job) {
        ArrayTask task = job.description().array();
        Job before = jobs.put(job.id(), job);
        count(job, 1);
        if (before != null) {
            count(before, -1);
        } else if (task != null) {
            arrays.computeIfAbsent(task.array(), _ -> new ConcurrentSkipListSet<>()).add(job.id());
        }
    }

    /// Whether there was none of that id.
    boolean putIfAbsent(Job job) {
        boolean absent = !jobs.containsKey(job.id());
        if (absent) {
            put(job);
        }
        return absent;
    }

    void remove(JobId id) {
        Job removed = jobs.remove(id);
        if (removed != null) {
            count(removed, -1);
        }
        if (removed == null || removed.description().array() == null) {
            return;
        }
        arrays.computeIfPresent(
                removed.description().array().array(),
                (_, tasks) -> {
                    tasks.remove(id);
                    return tasks.isEmpty() ? null : tasks;
                });
    }

    /// Removes the job if it is still the same.
    void remove(Job job) {
        if (job.equals(jobs.get(job.id()))) {
            remove(job.id());
        }
    }

    private void count(Job job, int by) {
        if (!job.state().terminal()) {
            unended += by;
        }
    }

    long unended() {
        return unended;
    }

    @Nullable Job get(JobId id) {
        return jobs.get(id);
    }

    /// Those that a name means, in the order of their ids.
    List<Job> named(JobName name) {
        Collection<JobId> tasks = arrays.get(name.id());
        return (tasks == null ? components(name.id()) : tasks)
                .stream().map(jobs::get).filter(Objects::nonNull).filter(name::names).toList();
    }

    /// The ids of the components of that heterogeneous job, which follow one another, or the id.
    private Collection<JobId> components(JobId id) {
        return jobs.tailMap(id, true).values().stream()
                .takeWhile(job -> job.id().equals(id) || isComponent(job, id))
                .map(Job::id)
                .toList();
    }

    private static boolean isComponent(Job job, JobId of) {
        HetComponent het = job.description().het();
        return het != null && het.first().equals(of);
    }

    /// Those above an id, by their ids; null is all.
    NavigableMap<JobId, Job> above(@Nullable JobId id) {
        return id == null ? jobs : jobs.tailMap(id, false);
    }
}
