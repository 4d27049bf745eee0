package io.berth.accounting.http;

import io.berth.accounting.db.JobRow;
import io.berth.accounting.db.RunRow;
import io.berth.accounting.db.StepRow;
import io.berth.contracts.Charge;
import io.berth.contracts.Consumption;
import io.berth.contracts.ExitStatus;
import io.berth.contracts.JobState;
import io.berth.contracts.TasksUsage;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A job as accounting shows it. Times are epoch milliseconds and left out while they are not
/// known.
///
/// @param arrayJob id of the array that it is a task of
/// @param arrayThrottle the most tasks of its array that run at once; 0 is any number
/// @param hetJob the first component of the heterogeneous job that it is one of; left out for
///   others
/// @param hetOffset its place among the components, from 0
/// @param cpus that its last run has, or had, as are memory and GPUs; what it asked for before the
///   first
/// @param requested what it asked for, by the names of limits, memory in MiB; empty of jobs of
///   which the books have not kept it
/// @param startedAt when its last run was placed
/// @param elapsedSeconds how long its last run has held, or held, its resources, less the time for
///   which it was suspended
/// @param suspendedSeconds how long its last run was suspended
/// @param charge of all its ended runs
public record JobView(
        long id,
        @Nullable Long hetJob,
        @Nullable Long hetOffset,
        String name,
        String user,
        String account,
        String partition,
        String qos,
        String cluster,
        String state,
        String stateCode,
        String reason,
        @Nullable String message,
        int exitCode,
        int signal,
        String exit,
        long submittedAt,
        long eligibleAt,
        @Nullable Long startedAt,
        @Nullable Long endedAt,
        long elapsedSeconds,
        long suspendedSeconds,
        long timeLimitSeconds,
        int nodes,
        String nodeList,
        int tasks,
        int cpus,
        long memoryMib,
        int gpus,
        @Nullable String gpuType,
        @Nullable String gpuPart,
        @Nullable String gres,
        Map<String, Long> requested,
        @Nullable String reservation,
        int restarts,
        @Nullable String cancelledBy,
        @Nullable Long arrayJob,
        @Nullable Integer arrayTask,
        @Nullable Integer arrayThrottle,
        @Nullable String comment,
        Charge charge,
        List<RunView> runs) {

    private static final int KILL = 9;
    private static final int TERM = 15;

    /// A run of a job, with the UUIDs of its GPUs. A run that holds resources has no end, no
    /// outcome and no charge.
    ///
    /// @param outcome how it ended: of a job that waited again REQUEUED, or what cut it short
    /// @param used what its processes used, by the kernel's count
    /// @param preemption null if it had not to give way
    /// @param steps of its script, once it is over; null if they were not asked for
    /// @param moreSteps how many there were beyond these
    public record RunView(
            int lease,
            String nodeList,
            List<String> gpus,
            long placedAt,
            @Nullable Long startedAt,
            @Nullable Long freedAt,
            @Nullable String outcome,
            @Nullable String exit,
            @Nullable Charge charge,
            long suspendedSeconds,
            @Nullable Consumption used,
            @Nullable Preemption preemption,
            @Nullable List<StepView> steps,
            int moreSteps) {

        static RunView of(RunRow run, @Nullable List<StepRow> steps, long now) {
            boolean over = run.freedAt != 0;
            return new RunView(
                    run.lease,
                    run.nodeList,
                    run.gpuUuids.isEmpty() ? List.of() : List.of(run.gpuUuids.split(",")),
                    run.placedAt,
                    known(run.startedAt),
                    known(run.freedAt),
                    outcome(run),
                    over ? new ExitStatus(run.exitCode, run.exitSignal).toString() : null,
                    over ? run.charge() : null,
                    run.suspendedMillis(now) / 1000,
                    run.used(),
                    Preemption.of(run),
                    steps == null
                            ? null
                            : steps.stream()
                                    .filter(it -> it.lease == run.lease)
                                    .map(it -> StepView.of(it, run))
                                    .toList(),
                    run.moreSteps);
        }

        private static @Nullable String outcome(RunRow run) {
            JobState outcome = run.ending == null ? run.outcome : run.ending;
            if (outcome == null) {
                return null;
            }
            return outcome == JobState.PENDING ? "REQUEUED" : outcome.name();
        }
    }

    /// A step of a run, by the clock of its node.
    ///
    /// @param exit that of its tasks; null if it was ended with its run
    /// @param cpuMillis CPU time of its tasks
    /// @param maxMemoryMib the peak of their memory
    /// @param byTask what they used one by one
    public record StepView(
            int number,
            String name,
            String node,
            String state,
            @Nullable String exit,
            int tasks,
            int cpus,
            int gpus,
            long startedAt,
            long endedAt,
            @Nullable Long cpuMillis,
            @Nullable Long maxMemoryMib,
            @Nullable TasksUsage byTask) {

        static StepView of(StepRow step, RunRow run) {
            ExitStatus exit = step.exit();
            return new StepView(
                    step.number,
                    step.name,
                    step.node,
                    step.outOfMemory ? JobState.OUT_OF_MEMORY.name() : state(exit, run).name(),
                    exit == null ? null : exit.toString(),
                    step.tasks,
                    step.cpus,
                    step.gpus,
                    step.beganAt,
                    step.endedAt,
                    step.usedCpuMillis,
                    step.usedMaxMemoryMib,
                    step.byTask());
        }

        /// What was ended with its run, or took the signal that ended the run, was cancelled.
        private static JobState state(@Nullable ExitStatus exit, RunRow run) {
            if (exit == null) {
                return JobState.CANCELLED;
            }
            if (exit.successful()) {
                return JobState.COMPLETED;
            }
            boolean ended =
                    run.outcome != JobState.COMPLETED
                            && run.outcome != JobState.FAILED
                            && (exit.signal() == TERM || exit.signal() == KILL);
            return ended ? JobState.CANCELLED : JobState.FAILED;
        }
    }

    /// For whom a run had to give way, how, why, and how many GPU-seconds of work were lost.
    public record Preemption(
            long preemptor, long at, String mode, String reason, long lostGpuSeconds) {

        static @Nullable Preemption of(RunRow run) {
            Long preemptor = run.preemptedBy;
            return preemptor == null || run.preemptMode == null || run.preemptReason == null
                    ? null
                    : new Preemption(
                            preemptor,
                            run.preemptedAt,
                            run.preemptMode.name(),
                            run.preemptReason.code(),
                            run.lostGpuMillis / 1000);
        }
    }

    /// @param runs the job's, by lease
    /// @param steps of all of them; null if they were not asked for
    static JobView of(
            JobRow job,
            List<RunRow> runs,
            @Nullable List<StepRow> steps,
            String cluster,
            long now) {
        @Nullable RunRow last =
                runs.isEmpty() || runs.getLast().lease != job.lease ? null : runs.getLast();
        boolean current = job.startedAt != 0;
        return new JobView(
                job.id,
                job.hetJob,
                job.hetJob == null ? null : job.id - job.hetJob,
                job.name,
                job.username,
                job.account,
                job.partition,
                job.qos,
                cluster,
                job.state.name(),
                job.state.code(),
                job.reason.slurmName(),
                job.message,
                job.exitCode,
                job.exitSignal,
                new ExitStatus(job.exitCode, job.exitSignal).toString(),
                job.submittedAt,
                job.submittedAt,
                known(job.startedAt),
                known(job.endedAt),
                current ? elapsed(job, last, now) / 1000 : 0,
                current && last != null ? last.suspendedMillis(now) / 1000 : 0,
                job.timeLimitSeconds,
                job.nodes,
                current && last != null ? last.nodeList : "",
                job.tasks,
                job.cpus,
                job.memoryMib,
                job.gpus,
                job.gpuType,
                job.gpuPart,
                job.gres,
                job.requested,
                job.reservation,
                job.restarts,
                job.cancelledBy,
                job.arrayJob,
                job.arrayTask,
                job.arrayThrottle,
                job.comment,
                runs.stream().map(RunRow::charge).reduce(Charge.ZERO, Charge::plus),
                runs.stream().map(run -> RunView.of(run, steps, now)).toList());
    }

    private static long elapsed(JobRow job, @Nullable RunRow last, long now) {
        long until = last != null && last.freedAt != 0 ? last.freedAt : job.endedAt;
        long suspended = last == null ? 0 : last.suspendedMillis(now);
        return Math.max(0, (until == 0 ? now : until) - job.startedAt - suspended);
    }

    private static @Nullable Long known(long time) {
        return time == 0 ? null : time;
    }
}
