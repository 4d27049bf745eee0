package io.berth.core.request;

import io.berth.contracts.ArrayTask;
import io.berth.contracts.Dependency;
import io.berth.contracts.Dependency.Clause;
import io.berth.contracts.Dependency.Type;
import io.berth.contracts.JobId;
import io.berth.contracts.JobState;
import io.berth.contracts.event.JobStatus;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/// Whether what a job depends on has happened.
///
/// A job that nobody knows, or knows any more, is no obstacle, nor is one that starts together with
/// the job: itself, or a component of the same heterogeneous job. An array counts as a whole: it
/// has ended when all its tasks have, with success if all had it, and has begun when all have. A
/// task of an array that depends by `aftercorr` on another array waits for the task of the same
/// index; if there is none, and for any other job, `aftercorr` is `afterok`.
///
/// Source: sbatch(1), `--dependency`.
public final class Dependencies {

    private static final Comparator<JobStatus> BY_SUBMISSION =
            Comparator.comparingLong(JobStatus::submission).thenComparing(JobStatus::job);

    /// How a dependency stands.
    public enum Standing {
        MET,
        WAITING,
        /// It can never be met any more.
        NEVER
    }

    private Dependencies() {}

    /// How the dependency of that job stands at that time.
    public static Standing standing(JobStatus job, Dependency dependency, Known known, long now) {
        List<Standing> clauses =
                dependency.clauses().stream()
                        .map(clause -> standing(job, clause, known, now))
                        .toList();
        Standing decisive = dependency.any() ? Standing.MET : Standing.NEVER;
        Standing otherwise = dependency.any() ? Standing.NEVER : Standing.MET;
        if (clauses.isEmpty() || clauses.stream().allMatch(it -> it == otherwise)) {
            return clauses.isEmpty() ? Standing.MET : otherwise;
        }
        return clauses.contains(decisive) ? decisive : Standing.WAITING;
    }

    private static Standing standing(JobStatus job, Clause clause, Known known, long now) {
        JobId target = clause.job();
        if (target == null) {
            return singleton(job, known);
        }
        List<JobStatus> targets = targets(job, clause, target, known);
        if (targets.isEmpty()) {
            return Standing.MET;
        }
        return switch (clause.type()) {
            case AFTER -> met(targets.stream().allMatch(it -> begunFor(it, clause, now)));
            case AFTERANY -> met(targets.stream().allMatch(it -> it.state().terminal()));
            case AFTEROK, AFTERCORR -> successful(targets);
            case AFTERNOTOK -> unsuccessful(targets);
            case SINGLETON ->
                    throw new IllegalStateException("a singleton clause names job " + target);
        };
    }

    private static List<JobStatus> targets(
            JobStatus job, Clause clause, JobId target, Known known) {
        Integer index = clause.task();
        ArrayTask own = job.description().array();
        if (index == null && clause.type() == Type.AFTERCORR && own != null) {
            Optional<JobStatus> same = known.task(target, own.task());
            if (same.isPresent()) {
                return List.of(same.get());
            }
        }
        Stream<JobStatus> targets =
                index == null
                        ? known.tasks(target).stream().map(known::job).flatMap(Optional::stream)
                        : known.task(target, index).stream();
        return targets.filter(it -> !startTogether(it, job)).toList();
    }

    private static Standing met(boolean met) {
        return met ? Standing.MET : Standing.WAITING;
    }

    private static boolean begunFor(JobStatus target, Clause clause, long now) {
        return begunAt(target) != Long.MAX_VALUE
                && now >= begunAt(target) + clause.delaySeconds() * 1000;
    }

    /// When the job first began, or ended without beginning; `Long.MAX_VALUE` if it has not.
    static long begunAt(JobStatus job) {
        if (!job.ended().isEmpty()) {
            return job.ended().getFirst().placedAt();
        }
        if (job.run() != null) {
            return job.run().placedAt();
        }
        return job.state().terminal() ? job.endedAt() : Long.MAX_VALUE;
    }

    private static Standing successful(List<JobStatus> targets) {
        boolean failed =
                targets.stream()
                        .anyMatch(it -> it.state().terminal() && it.state() != JobState.COMPLETED);
        return failed
                ? Standing.NEVER
                : met(targets.stream().allMatch(it -> it.state() == JobState.COMPLETED));
    }

    private static Standing unsuccessful(List<JobStatus> targets) {
        if (!targets.stream().allMatch(it -> it.state().terminal())) {
            return Standing.WAITING;
        }
        return targets.stream().allMatch(it -> it.state() == JobState.COMPLETED)
                ? Standing.NEVER
                : Standing.MET;
    }

    /// A job that nodes are cleared for counts as one that has begun: others made way for it.
    private static Standing singleton(JobStatus job, Known known) {
        boolean begun = job.clearing() != null;
        var earlier = new ArrayList<JobStatus>();
        for (JobId id : known.state().companions().namesakes(job)) {
            known.job(id)
                    .filter(it -> !it.state().terminal() && !startTogether(it, job))
                    .filter(it ->
                            (it.run() != null && !begun) || BY_SUBMISSION.compare(it, job) < 0)
                    .ifPresent(earlier::add);
        }
        return met(earlier.isEmpty());
    }

    private static boolean startTogether(JobStatus one, JobStatus other) {
        return Eligibility.together(one).contains(other.job());
    }

    /// The next time at which time alone may meet a clause; `Long.MAX_VALUE` for never.
    static long next(JobStatus job, Dependency dependency, Known known, long now) {
        long next = Long.MAX_VALUE;
        for (Clause clause : dependency.clauses()) {
            JobId target = clause.job();
            if (target == null || clause.type() != Type.AFTER) {
                continue;
            }
            for (JobStatus it : targets(job, clause, target, known)) {
                long begun = begunAt(it);
                long at = begun == Long.MAX_VALUE ? begun : begun + clause.delaySeconds() * 1000;
                if (at > now) {
                    next = Math.min(next, at);
                }
            }
        }
        return next;
    }
}
