package io.berth.core.request;

import io.berth.contracts.Dependency;
import io.berth.contracts.HetComponent;
import io.berth.contracts.Hold;
import io.berth.contracts.JobId;
import io.berth.contracts.JobState;
import io.berth.contracts.JobTerms;
import io.berth.contracts.Reason;
import io.berth.contracts.event.JobStatus;
import io.berth.core.request.Dependencies.Standing;
import io.berth.core.state.Transitions;
import java.util.List;

/// Whether a waiting job may start at all: nobody holds it, what it depends on has happened, and
/// its time has come. The verdict is kept in the job's status, so that the passes over the queue
/// see only jobs that may.
///
/// Source: Slurm's `job_independent()`, by its documented reasons.
public final class Eligibility {

    private Eligibility() {}

    /// The jobs that start together with it, by id: itself alone, or all components of a
    /// heterogeneous job.
    public static List<JobId> together(JobStatus job) {
        HetComponent set = job.description().het();
        return set == null ? List.of(job.job()) : set.jobs();
    }

    /// Why the job may not start at that time; NONE if it may. The components of a heterogeneous
    /// job may when all may.
    public static Reason reason(JobStatus job, Known known, long now) {
        Reason own = alone(job, known, now);
        HetComponent set = job.description().het();
        if (own != Reason.NONE || set == null) {
            return own;
        }
        for (JobId id : set.jobs()) {
            JobStatus other = known.job(id).orElse(null);
            Reason its =
                    other != null && other.state() == JobState.PENDING
                            ? alone(other, known, now)
                            : Reason.DEPENDENCY;
            if (its != Reason.NONE) {
                return its;
            }
        }
        return Reason.NONE;
    }

    private static Reason alone(JobStatus job, Known known, long now) {
        if (job.hold() != null) {
            return job.hold() == Hold.ADMIN ? Reason.JOB_HELD_ADMIN : Reason.JOB_HELD_USER;
        }
        JobTerms terms = job.description().conditions();
        Dependency dependency = terms.dependency();
        if (dependency != null) {
            Standing standing = Dependencies.standing(job, dependency, known, now);
            if (standing != Standing.MET) {
                return standing == Standing.NEVER
                        ? Reason.DEPENDENCY_NEVER_SATISFIED
                        : Reason.DEPENDENCY;
            }
        }
        Long begin = terms.beginAt();
        return begin != null && now < begin ? Reason.BEGIN_TIME : Reason.NONE;
    }

    /// The job as it stands at that time; the same object if nothing changes. Only for a job that
    /// waits.
    public static JobStatus reviewed(JobStatus job, Known known, long now) {
        if (job.state() != JobState.PENDING) {
            throw new IllegalStateException(
                    "review job " + job.job() + ": it is " + job.state() + ", not PENDING");
        }
        Reason reason = reason(job, known, now);
        if (reason == Reason.NONE) {
            return job.eligible() ? job : Transitions.eligible(job, now);
        }
        return !job.eligible() && job.reason() == reason ? job : Transitions.barred(job, reason);
    }

    /// Whether anything but resources and its turn can keep the job: if not, there is nothing to
    /// review.
    public static boolean conditional(JobStatus job) {
        JobTerms terms = job.description().conditions();
        return job.hold() != null
                || !job.eligible()
                || terms.dependency() != null
                || terms.beginAt() != null
                || terms.het() != null;
    }

    /// The next time at which time alone may change the verdict on a waiting job, or ends a job at
    /// its deadline; `Long.MAX_VALUE` for never.
    public static long next(JobStatus job, Known known, long now) {
        JobTerms terms = job.description().conditions();
        long next = deadline(job);
        if (job.state() == JobState.PENDING && !job.eligible() && job.hold() == null) {
            if (terms.beginAt() != null && terms.beginAt() > now) {
                next = Math.min(next, terms.beginAt());
            }
            if (terms.dependency() != null) {
                next = Math.min(next, Dependencies.next(job, terms.dependency(), known, now));
            }
        }
        return next;
    }

    /// When the job is ended for its deadline: a waiting one as soon as its shortest run could not
    /// end by then, or it has waited as long as it may. `Long.MAX_VALUE` if it has none, or is
    /// being ended.
    public static long deadline(JobStatus job) {
        return Math.min(lastStart(job), toStart(job));
    }

    private static long toStart(JobStatus job) {
        Long seconds = job.description().conditions().maxWaitSeconds();
        boolean waits = job.eligible() && job.ended().isEmpty();
        return seconds == null || !waits ? Long.MAX_VALUE : job.waitsSince() + seconds * 1000;
    }

    /// When it is too late for a waiting job to end by its deadline; the deadline itself for one
    /// that runs. `Long.MAX_VALUE` if it has none, or is being ended.
    public static long lastStart(JobStatus job) {
        JobTerms terms = job.description().conditions();
        if (terms.deadlineAt() == null
                || job.state().terminal()
                || job.state() == JobState.COMPLETING) {
            return Long.MAX_VALUE;
        }
        if (job.state() != JobState.PENDING) {
            return terms.deadlineAt();
        }
        long shortest =
                terms.timeMinSeconds() == null
                        ? job.description().timeLimitSeconds()
                        : terms.timeMinSeconds();
        return terms.deadlineAt() - shortest * 1000 + 1;
    }
}
