package io.berth.core.lifecycle;

import io.berth.contracts.Allocation;
import io.berth.contracts.JobId;
import io.berth.contracts.SuspendCause;
import io.berth.contracts.event.JobStatus;
import io.berth.contracts.event.JobStatus.Run;
import io.berth.contracts.event.PreemptRules;
import io.berth.contracts.event.Suspensions.Current;
import io.berth.core.state.CellState;
import io.berth.core.state.Draft;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;

/// How whole jobs of one partition take turns on the same CPUs: a job that was suspended for
/// another one goes on after a slice of time, and the other one stands still meanwhile.
///
/// A turn begins when the last of those who share the CPUs has come to a stand, and lasts a slice
/// at least. Who stands still for longest comes next; all who are on its CPUs make room for it.
/// Jobs with GPUs take no turns, since they keep them; nor does one with a deadline for one
/// without, where deadlines give a right to the place of others.
///
/// Source: Slurm's gang scheduling; slurm.conf(5), `SchedulerTimeSlice` and GANG in `PreemptMode`.
final class TimeSlices {

    private TimeSlices() {}

    /// Lets those whose turn has come go on.
    static void turn(Draft draft, long now) {
        long slice = slice(draft.state()).orElse(Long.MAX_VALUE);
        for (JobStatus next : waiting(draft.state())) {
            List<JobStatus> others = onItsCpus(draft, next);
            if (slice != Long.MAX_VALUE
                    && !others.isEmpty()
                    && others.stream().allMatch(it -> makesRoom(draft.state(), it, next))
                    && others.stream()
                            .allMatch(it -> turnBegan(draft.state(), it) + slice <= now)) {
                others.forEach(it ->
                        Standstill.suspend(
                                draft,
                                it.job(),
                                SuspendCause.TIME_SLICE,
                                null,
                                next.job(),
                                Standstill.GRACE_SECONDS));
                Standstill.resume(draft, next.job(), now);
            }
        }
    }

    /// When the next turn ends; `Long.MAX_VALUE` if nobody waits for one.
    static long next(CellState state) {
        long slice = slice(state).orElse(Long.MAX_VALUE);
        long next = Long.MAX_VALUE;
        for (JobStatus job : slice == Long.MAX_VALUE ? List.<JobStatus>of() : waiting(state)) {
            List<JobStatus> others = onItsCpus(new Draft(state), job);
            if (!others.isEmpty() && others.stream().allMatch(it -> makesRoom(state, it, job))) {
                long over = others.stream().mapToLong(it -> turnBegan(state, it)).max().orElse(0);
                next = Math.min(next, over + slice);
            }
        }
        return next;
    }

    /// Whether nobody has the CPUs that the job was given, nor waits to have them back.
    static boolean cpusFree(Draft draft, JobStatus job) {
        return draft.cpusFree(job)
                && draft.state().suspended().stream()
                        .filter(it -> !it.equals(job.job()))
                        .map(draft::job)
                        .noneMatch(it ->
                                run(it).standstill().resuming() && overlap(run(it), run(job)));
    }

    private static Optional<Long> slice(CellState state) {
        return state.configuration()
                .map(it -> it.cluster().preemptRules())
                .filter(PreemptRules::gang)
                .map(it -> TimeUnit.SECONDS.toMillis(it.timeSliceSeconds()));
    }

    /// Those who wait for a turn, the longest first.
    private static List<JobStatus> waiting(CellState state) {
        return state.suspended().stream()
                .map(state::knownJob)
                .filter(it -> waits(run(it)))
                .sorted(
                        Comparator.comparingLong((JobStatus it) -> stoodStillAt(run(it)))
                                .thenComparing(JobStatus::job))
                .toList();
    }

    private static boolean waits(Run run) {
        Current current = run.standstill().current();
        return run.outcome() == null
                && current != null
                && current.cause() != SuspendCause.OPERATOR
                && !current.resuming();
    }

    private static long stoodStillAt(Run run) {
        return run.standstill().suspendedAt();
    }

    /// Whether that job can stand still for the other one.
    private static boolean makesRoom(CellState state, JobStatus job, JobStatus other) {
        Run run = run(job);
        return run.outcome() == null
                && run.standstill().current() == null
                && run.startedAt() != 0
                && job.description().partition().equals(other.description().partition())
                && job.description().request().totalGpus() == 0
                && !keepsDeadline(state, job, other);
    }

    private static boolean keepsDeadline(CellState state, JobStatus job, JobStatus other) {
        return state.configuration()
                        .map(it -> it.cluster().preemptRules().deadlineSeconds())
                        .isPresent()
                && job.description().conditions().deadlineAt() != null
                && other.description().conditions().deadlineAt() == null;
    }

    /// Since when a job has its CPUs for itself.
    private static long turnBegan(CellState state, JobStatus job) {
        long began = run(job).startedAt();
        for (JobStatus other : waiting(state)) {
            if (overlap(run(job), run(other))) {
                began = Math.max(began, stoodStillAt(run(other)));
            }
        }
        return began;
    }

    private static List<JobStatus> onItsCpus(Draft draft, JobStatus job) {
        var others = new TreeSet<JobId>();
        run(job).allocations().forEach(it -> others.addAll(draft.state().jobsOn(it.node())));
        others.remove(job.job());
        var on = new ArrayList<JobStatus>();
        for (JobId id : others) {
            JobStatus other = draft.job(id);
            if (other.run() != null && holdsCpusOf(run(other), run(job))) {
                on.add(other);
            }
        }
        return on;
    }

    private static boolean holdsCpusOf(Run holder, Run wanting) {
        return holder.held().stream()
                .anyMatch(it -> wanting.allocations().stream().anyMatch(its -> overlap(it, its)));
    }

    private static boolean overlap(Run one, Run other) {
        return one.allocations().stream()
                .anyMatch(it -> other.allocations().stream().anyMatch(its -> overlap(it, its)));
    }

    private static boolean overlap(Allocation one, Allocation other) {
        return one.node().equals(other.node()) && one.cpus().intersects(other.cpus());
    }

    private static Run run(JobStatus job) {
        return Objects.requireNonNull(
                job.run(), () -> "give job " + job.job() + " a turn: it has no run");
    }
}
