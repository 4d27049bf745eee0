package io.berth.core.state;

import io.berth.contracts.Charge;
import io.berth.contracts.Consumption;
import io.berth.contracts.EndedRun;
import io.berth.contracts.ExitStatus;
import io.berth.contracts.Hold;
import io.berth.contracts.JobDescription;
import io.berth.contracts.JobState;
import io.berth.contracts.Rank;
import io.berth.contracts.Reason;
import io.berth.contracts.ResourceRequest;
import io.berth.contracts.event.JobStatus;
import io.berth.contracts.event.JobStatus.Clearing;
import io.berth.contracts.event.JobStatus.Outcome;
import io.berth.contracts.event.JobStatus.Part;
import io.berth.contracts.event.JobStatus.Planned;
import io.berth.contracts.event.JobStatus.Run;
import io.berth.contracts.event.Suspensions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// The ways in which a job's status changes. Each takes the old status and gives the new one.
public final class Transitions {

    /// So many of a job's runs its status tells: the first, which says when it first started, and
    /// the last.
    static final int MOST_ENDED = 100;

    private Transitions() {}

    /// A waiting job with another expected start, or with none.
    public static JobStatus planned(JobStatus job, @Nullable Planned planned) {
        return new StatusEdit(job).planned(planned).done();
    }

    public static JobStatus ranked(JobStatus job, Rank rank) {
        return new StatusEdit(job).rank(rank).done();
    }

    public static JobStatus reasoned(JobStatus job, Reason reason) {
        return new StatusEdit(job).reason(reason).done();
    }

    /// The job as another one: what was expected of it is void. What is cleared for it stays if it
    /// needs the same for no longer.
    public static JobStatus amended(JobStatus job, JobDescription description) {
        JobDescription before = job.description();
        boolean same =
                before.request().equals(description.request())
                        && before.partition().equals(description.partition())
                        && before.partitions().equals(description.partitions())
                        && before.qos().equals(description.qos())
                        && before.account().equals(description.account())
                        && before.timeLimitSeconds() == description.timeLimitSeconds();
        return new StatusEdit(job)
                .description(description)
                .planned(null)
                .clearing(same ? job.clearing() : null)
                .done();
    }

    /// A job in one of the partitions in which it may start.
    public static JobStatus in(JobStatus job, String partition) {
        JobDescription asked = job.description();
        return asked.partition().equals(partition)
                ? job
                : new StatusEdit(job).description(asked.in(partition)).done();
    }

    /// A waiting job that nodes are cleared for, or are no more.
    public static JobStatus cleared(JobStatus job, @Nullable Clearing clearing) {
        return new StatusEdit(job).clearing(clearing).done();
    }

    /// The job with that hold on it, or with none.
    public static JobStatus held(JobStatus job, @Nullable Hold hold) {
        return new StatusEdit(job).hold(hold).done();
    }

    /// A waiting job that may start from now on.
    public static JobStatus eligible(JobStatus job, long now) {
        return new StatusEdit(job).reason(Reason.NONE).eligibleAt(now).done();
    }

    /// A waiting job that may not start, for that reason.
    public static JobStatus barred(JobStatus job, Reason reason) {
        return new StatusEdit(job).reason(reason).eligibleAt(0).planned(null).clearing(null).done();
    }

    /// A job with so many nodes of the range that it asks for.
    public static JobStatus onNodes(JobStatus job, int nodes) {
        JobDescription asked = job.description();
        return nodes == asked.request().nodes()
                ? job
                : new StatusEdit(job)
                        .description(asked.with(asked.request().onNodes(nodes)))
                        .done();
    }

    /// A job that has less time than it asks for, so that it starts sooner.
    public static JobStatus limited(JobStatus job, long seconds) {
        return new StatusEdit(job).description(job.description().limited(seconds)).done();
    }

    /// A waiting job's new run holds resources. Slurm calls the job RUNNING from here on.
    public static JobStatus placed(JobStatus job, Run run) {
        if (job.state() != JobState.PENDING) {
            throw new IllegalStateException(
                    "place job " + job.job() + ": it is " + job.state() + ", not PENDING");
        }
        return new StatusEdit(job).state(JobState.RUNNING, Reason.NONE).run(run).done();
    }

    /// The current run with other parts, or another start or Go.
    public static JobStatus running(JobStatus job, Run run) {
        return new StatusEdit(job).run(run).done();
    }

    /// The outcome of the current run is decided: its resources are held until its groups are
    /// empty.
    public static JobStatus completing(JobStatus job, Outcome outcome) {
        return new StatusEdit(job)
                .state(JobState.COMPLETING, outcome.reason())
                .run(run(job).decided(outcome))
                .done();
    }

    /// The current run stands still, or goes on, as this says. One that wants its CPUs back waits
    /// for resources.
    public static JobStatus standing(JobStatus job, Suspensions suspensions) {
        var edit = new StatusEdit(job).run(run(job).with(suspensions));
        if (run(job).outcome() == null) {
            Reason kept = job.reason() == Reason.RESOURCES ? Reason.NONE : job.reason();
            edit.state(
                    suspensions.suspended() ? JobState.SUSPENDED : JobState.RUNNING,
                    suspensions.resuming() ? Reason.RESOURCES : kept);
        }
        return edit.done();
    }

    public static JobStatus cancelledBy(JobStatus job, String user) {
        return new StatusEdit(job).cancelledBy(user).done();
    }

    /// The run is over and its resources are free; by its outcome the job ends, or waits again.
    public static JobStatus freed(JobStatus job, long now) {
        Run run = run(job);
        Outcome outcome =
                Objects.requireNonNull(
                        run.outcome(), () -> "free job " + job.job() + ": no outcome");
        long suspended = run.standstill().millis(now);
        var ended = new ArrayList<>(job.ended());
        if (ended.size() == MOST_ENDED) {
            ended.remove(1);
        }
        ended.add(
                new EndedRun(
                        run.lease(),
                        run.allocations(),
                        run.placedAt(),
                        run.startedAt(),
                        now,
                        outcome.state(),
                        outcome.exit(),
                        charge(run, now),
                        suspended == 0 ? null : suspended,
                        outcome.ending(),
                        used(run),
                        gaveWay(outcome) ? lostGpuMillis(run, now) : null));
        boolean over = outcome.state() != JobState.PENDING;
        return new StatusEdit(over ? job : asAsked(job))
                .state(outcome.state(), outcome.reason())
                .run(null)
                .ended(ended, over ? now : 0)
                .exit(outcome.exit())
                .message(outcome.message())
                .done();
    }

    private static boolean gaveWay(Outcome outcome) {
        return outcome.state() == JobState.PREEMPTED || outcome.ending() == JobState.PREEMPTED;
    }

    /// What is lost with a run that ends now: GPU-milliseconds since its start, or its last
    /// checkpoint, without the time in which it stood still.
    public static long lostGpuMillis(Run run, long now) {
        long worked =
                run.startedAt() == 0 ? 0 : now - run.startedAt() - run.standstill().millis(now);
        long lost = Math.max(0, worked - run.safeMillis());
        return run.allocations().stream().mapToLong(it -> it.gpuMillis(lost)).sum();
    }

    /// The job with its whole range of nodes, and its whole time.
    private static JobStatus asAsked(JobStatus job) {
        ResourceRequest request = job.description().request();
        JobStatus least = onNodes(job, request.onLeastNodes().nodes());
        return new StatusEdit(least).description(least.description().inFull()).done();
    }

    private static @Nullable Consumption used(Run run) {
        Consumption all = null;
        for (Part part : run.parts()) {
            Consumption one = part.used();
            all = all == null || one == null ? (all == null ? one : all) : all.and(one);
        }
        return all;
    }

    /// A job ends without having run (again).
    public static JobStatus endedWaiting(JobStatus job, JobState state, Reason reason, long now) {
        return new StatusEdit(job)
                .state(state, reason)
                .ended(job.ended(), now)
                .exit(job.exit() == null ? ExitStatus.SUCCESS : job.exit())
                .done();
    }

    /// The run with the part on that place of it changed.
    public static Run withPart(Run run, int index, UnaryOperator<Part> change) {
        List<Part> parts = new ArrayList<>(run.parts());
        parts.set(index, change.apply(parts.get(index)));
        return run.with(parts);
    }

    /// Σ resources × time held, in integers, as in Slurm without the time for which the run was
    /// suspended. (DESIGN.md, "Books")
    static Charge charge(Run run, long now) {
        long millis = now - run.placedAt() - run.standstill().millis(now);
        long cpus = 0;
        long memory = 0;
        long gpuMillis = 0;
        for (Part part : run.parts()) {
            cpus += part.allocation().cpus().size();
            memory += part.allocation().memoryMib();
            gpuMillis += part.allocation().gpuMillis(millis);
        }
        return new Charge(
                cpus * millis,
                Math.multiplyExact(memory, millis),
                gpuMillis,
                run.parts().size() * millis,
                Math.multiplyExact(run.billingRate(), millis),
                run.gpusByType().entrySet().stream()
                        .collect(
                                Collectors.toMap(Map.Entry::getKey, it -> it.getValue() * millis)));
    }

    private static Run run(JobStatus job) {
        return Objects.requireNonNull(
                job.run(), () -> "job " + job.job() + " is " + job.state() + " and has no run");
    }
}
