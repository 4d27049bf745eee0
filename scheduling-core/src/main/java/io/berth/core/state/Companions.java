package io.berth.core.state;

import io.berth.contracts.ArrayTask;
import io.berth.contracts.Dependency;
import io.berth.contracts.Dependency.Type;
import io.berth.contracts.JobId;
import io.berth.contracts.JobState;
import io.berth.contracts.event.JobStatus;
import java.util.Collections;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.TreeMap;
import java.util.TreeSet;

/// How known jobs hang together: the tasks of arrays, who waits for whom, whose jobs share a name.
/// An index over the jobs of a cell.
public final class Companions {

    private record Name(String user, String name) implements Comparable<Name> {

        @Override
        public int compareTo(Name other) {
            int byUser = user.compareTo(other.user);
            return byUser != 0 ? byUser : name.compareTo(other.name);
        }
    }

    private final TreeMap<JobId, TreeMap<Integer, JobId>> arrays = new TreeMap<>();
    private final TreeMap<JobId, Integer> active = new TreeMap<>();
    private final TreeMap<JobId, Integer> unended = new TreeMap<>();
    private final TreeMap<JobId, TreeSet<JobId>> dependents = new TreeMap<>();
    private final TreeMap<Name, TreeSet<JobId>> singletons = new TreeMap<>();
    private final TreeMap<Name, TreeSet<JobId>> living = new TreeMap<>();
    private final TreeSet<JobId> timed = new TreeSet<>();

    Companions() {}

    /// The known tasks of an array, by index; empty if the job is no array.
    public NavigableMap<Integer, JobId> tasks(JobId array) {
        return Collections.unmodifiableNavigableMap(arrays.getOrDefault(array, new TreeMap<>()));
    }

    /// Tasks of the array that hold resources, or that nodes are cleared for.
    public int active(JobId array) {
        return active.getOrDefault(array, 0);
    }

    /// Waiting jobs whose dependency names the job, its array, or is a singleton of its name.
    public NavigableSet<JobId> dependents(JobStatus job) {
        var all = new TreeSet<>(dependents.getOrDefault(job.job(), new TreeSet<>()));
        ArrayTask task = job.description().array();
        if (task != null) {
            all.addAll(dependents.getOrDefault(task.array(), new TreeSet<>()));
        }
        all.addAll(singletons.getOrDefault(name(job), new TreeSet<>()));
        all.remove(job.job());
        return all;
    }

    /// Living jobs of the job's user with its name; the job itself is among them.
    public NavigableSet<JobId> namesakes(JobStatus job) {
        return Collections.unmodifiableNavigableSet(
                living.getOrDefault(name(job), new TreeSet<>()));
    }

    /// Living jobs on terms that time alone can change: a begin time, a delay, a deadline, a wait.
    public NavigableSet<JobId> timed() {
        return Collections.unmodifiableNavigableSet(timed);
    }

    /// Whether it matters how the job ended: a waiting job's dependency names it or its array, or a
    /// task of its array has not ended.
    public boolean awaited(JobStatus job) {
        ArrayTask task = job.description().array();
        return dependents.containsKey(job.job())
                || (task != null
                        && (dependents.containsKey(task.array())
                                || unended.containsKey(task.array())));
    }

    void add(JobStatus job) {
        ArrayTask task = job.description().array();
        if (task != null) {
            arrays.computeIfAbsent(task.array(), _ -> new TreeMap<>()).put(task.task(), job.job());
            if (active(job)) {
                active.merge(task.array(), 1, Integer::sum);
            }
            if (!job.state().terminal()) {
                unended.merge(task.array(), 1, Integer::sum);
            }
        }
        if (job.state().terminal()) {
            return;
        }
        living.computeIfAbsent(name(job), _ -> new TreeSet<>()).add(job.job());
        if (timed(job)) {
            timed.add(job.job());
        }
        Dependency dependency = job.description().conditions().dependency();
        if (dependency != null && job.state() == JobState.PENDING) {
            for (Dependency.Clause clause : dependency.clauses()) {
                if (clause.job() != null) {
                    dependents.computeIfAbsent(clause.job(), _ -> new TreeSet<>()).add(job.job());
                } else {
                    singletons.computeIfAbsent(name(job), _ -> new TreeSet<>()).add(job.job());
                }
            }
        }
    }

    void remove(JobStatus job) {
        ArrayTask task = job.description().array();
        if (task != null) {
            drop(arrays, task.array(), task.task());
            if (active(job)) {
                lessen(active, task.array());
            }
            if (!job.state().terminal()) {
                lessen(unended, task.array());
            }
        }
        drop(living, name(job), job.job());
        timed.remove(job.job());
        Dependency dependency = job.description().conditions().dependency();
        if (dependency != null) {
            for (Dependency.Clause clause : dependency.clauses()) {
                if (clause.job() != null) {
                    drop(dependents, clause.job(), job.job());
                } else {
                    drop(singletons, name(job), job.job());
                }
            }
        }
    }

    private static void lessen(TreeMap<JobId, Integer> counts, JobId array) {
        counts.computeIfPresent(array, (_, count) -> count == 1 ? null : count - 1);
    }

    private static boolean active(JobStatus job) {
        return job.run() != null || job.clearing() != null;
    }

    private static boolean timed(JobStatus job) {
        var terms = job.description().conditions();
        boolean waits = job.state() == JobState.PENDING && !job.eligible();
        boolean delay =
                terms.dependency() != null
                        && terms.dependency().clauses().stream()
                                .anyMatch(it -> it.type() == Type.AFTER && it.delaySeconds() > 0);
        return terms.deadlineAt() != null
                || (terms.maxWaitSeconds() != null && job.state() == JobState.PENDING)
                || (waits && (terms.beginAt() != null || delay));
    }

    private static Name name(JobStatus job) {
        return new Name(job.description().user(), job.description().name());
    }

    private static <K> void drop(TreeMap<K, TreeSet<JobId>> index, K key, JobId job) {
        TreeSet<JobId> set = index.get(key);
        if (set != null && set.remove(job) && set.isEmpty()) {
            index.remove(key);
        }
    }

    private static void drop(TreeMap<JobId, TreeMap<Integer, JobId>> index, JobId array, int task) {
        TreeMap<Integer, JobId> tasks = index.get(array);
        if (tasks != null) {
            tasks.remove(task);
            if (tasks.isEmpty()) {
                index.remove(array);
            }
        }
    }
}
