package io.berth.core.lifecycle;

import io.berth.contracts.ExitStatus;
import io.berth.contracts.JobId;
import io.berth.contracts.JobState;
import io.berth.contracts.JobTerms;
import io.berth.contracts.PreemptMode;
import io.berth.contracts.Reason;
import io.berth.contracts.SuspendCause;
import io.berth.contracts.event.JobEvent;
import io.berth.contracts.event.JobStatus;
import io.berth.contracts.event.JobStatus.Outcome;
import io.berth.contracts.event.JobStatus.Run;
import io.berth.contracts.event.Suspensions.Current;
import io.berth.core.state.Draft;
import io.berth.core.state.Transitions;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// How runs give way, and go on when they no longer need to.
final class Preemptions {

    private Preemptions() {}

    /// Ends a run, or lets it stand still, and says so.
    static void giveWay(Draft draft, JobEvent.Preempted chosen) {
        JobEvent.Preempted victim = possible(draft, chosen);
        draft.announce(victim);
        switch (victim.mode()) {
            case CANCEL -> Endings.decide(draft, victim.job(), cancelled(victim), victim.at());
            case REQUEUE -> {
                delay(draft, victim);
                Endings.decide(draft, victim.job(), requeued(victim), victim.at());
            }
            case SUSPEND ->
                    Standstill.suspend(
                            draft,
                            victim.job(),
                            SuspendCause.PREEMPTION,
                            null,
                            victim.preemptor(),
                            Standstill.GRACE_SECONDS);
            case OFF ->
                    throw new IllegalStateException(
                            "preempt job " + victim.job() + ": it gives way to nobody");
        }
    }

    /// A component of a heterogeneous job that cannot wait again ends.
    private static JobEvent.Preempted possible(Draft draft, JobEvent.Preempted victim) {
        boolean ends =
                victim.mode() == PreemptMode.REQUEUE
                        && !HetJobs.mayWaitAgain(draft, draft.job(victim.job()));
        return !ends
                ? victim
                : new JobEvent.Preempted(
                        victim.job(),
                        victim.at(),
                        victim.lease(),
                        victim.preemptor(),
                        PreemptMode.CANCEL,
                        victim.reason(),
                        victim.graceSeconds(),
                        victim.lostGpuMillis());
    }

    /// The job begins again after the cluster's delay at the earliest.
    private static void delay(Draft draft, JobEvent.Preempted victim) {
        long seconds =
                draft.state()
                        .configuration()
                        .map(it -> it.cluster().preemptRules().requeueDelaySeconds())
                        .orElse(0L);
        if (seconds > 0) {
            JobStatus job = draft.job(victim.job());
            JobTerms terms = job.description().conditions();
            long at = victim.at() + 1000 * (victim.graceSeconds() + seconds);
            long begin = Math.max(at, terms.beginAt() == null ? 0 : terms.beginAt());
            draft.change(Transitions.amended(job, job.description().on(terms.from(begin))));
        }
    }

    private static Outcome cancelled(JobEvent.Preempted victim) {
        return new Outcome(
                JobState.PREEMPTED,
                Reason.NONE,
                ExitStatus.SUCCESS,
                "gave way to job " + victim.preemptor(),
                null,
                endsBy(victim));
    }

    private static Outcome requeued(JobEvent.Preempted victim) {
        return new Outcome(
                JobState.PENDING,
                Reason.NONE,
                ExitStatus.SUCCESS,
                null,
                JobState.PREEMPTED,
                endsBy(victim));
    }

    private static @Nullable Long endsBy(JobEvent.Preempted victim) {
        return victim.graceSeconds() == 0 ? null : victim.at() + 1000 * victim.graceSeconds();
    }

    /// Lets suspended runs go on whose preemptor has ended, or has what it needs without them; and
    /// those who wait for a turn on CPUs that nobody uses any more.
    static void goOn(Draft draft, long now) {
        for (JobId id : draft.state().suspended()) {
            JobStatus job = draft.job(id);
            Run run = Objects.requireNonNull(job.run());
            Current current = run.standstill().current();
            if (run.outcome() == null
                    && current != null
                    && !current.resuming()
                    && mayGoOn(draft, job, current)) {
                Standstill.resume(draft, id, now);
            }
        }
    }

    private static boolean mayGoOn(Draft draft, JobStatus job, Current current) {
        return switch (current.cause()) {
            case OPERATOR -> false;
            case TIME_SLICE -> TimeSlices.cpusFree(draft, job);
            case PREEMPTION -> {
                JobStatus preemptor =
                        current.preemptor() == null
                                ? null
                                : draft.state().job(current.preemptor()).orElse(null);
                yield preemptor == null
                        || (preemptor.clearing() == null
                                && (preemptor.run() == null || TimeSlices.cpusFree(draft, job)));
            }
        };
    }
}
