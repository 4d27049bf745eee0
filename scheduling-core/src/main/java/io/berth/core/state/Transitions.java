package io.berth.core.state;

import io.berth.contracts.Charge;
import io.berth.contracts.EndedRun;
import io.berth.contracts.ExitStatus;
import io.berth.contracts.JobState;
import io.berth.contracts.Rank;
import io.berth.contracts.Reason;
import io.berth.contracts.event.JobStatus;
import io.berth.contracts.event.JobStatus.Outcome;
import io.berth.contracts.event.JobStatus.Part;
import io.berth.contracts.event.JobStatus.Planned;
import io.berth.contracts.event.JobStatus.Run;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/// The ways in which a job's status changes. Each takes the old status and gives the new one.
public final class Transitions {

    private Transitions() {}

    /// A waiting job with another expected start, or with none.
    public static JobStatus planned(JobStatus job, @Nullable Planned planned) {
        return copy(job, job.state(), job.reason(), job.rank(), job.run(), planned);
    }

    public static JobStatus ranked(JobStatus job, Rank rank) {
        return copy(job, job.state(), job.reason(), rank, job.run());
    }

    public static JobStatus reasoned(JobStatus job, Reason reason) {
        return copy(job, job.state(), reason, job.rank(), job.run());
    }

    /// A waiting job's new run holds resources. Slurm calls the job RUNNING from here on.
    public static JobStatus placed(JobStatus job, Run run) {
        if (job.state() != JobState.PENDING) {
            throw new IllegalStateException(
                    "place job " + job.job() + ": it is " + job.state() + ", not PENDING");
        }
        return copy(job, JobState.RUNNING, Reason.NONE, job.rank(), run);
    }

    /// The current run with other parts, or another start or Go.
    public static JobStatus running(JobStatus job, Run run) {
        return copy(job, job.state(), job.reason(), job.rank(), run);
    }

    /// The outcome of the current run is decided: its resources are held until its groups are
    /// empty.
    public static JobStatus completing(JobStatus job, Outcome outcome) {
        Run run = run(job);
        var decided =
                new Run(
                        run.lease(),
                        run.placedAt(),
                        run.startedAt(),
                        run.gone(),
                        run.billingRate(),
                        outcome,
                        run.parts());
        return copy(job, JobState.COMPLETING, outcome.reason(), job.rank(), decided);
    }

    public static JobStatus cancelledBy(JobStatus job, String user) {
        return new JobStatus(
                job.job(),
                job.description(),
                job.submittedBy(),
                job.spec(),
                job.key(),
                job.submission(),
                job.submittedAt(),
                job.state(),
                job.reason(),
                job.rank(),
                job.run(),
                job.ended(),
                job.endedAt(),
                job.exit(),
                user,
                job.message());
    }

    /// The run is over and its resources are free; by its outcome the job ends, or waits again.
    public static JobStatus freed(JobStatus job, long now) {
        Run run = run(job);
        Outcome outcome =
                Objects.requireNonNull(
                        run.outcome(), () -> "free job " + job.job() + ": no outcome");
        var ended = new ArrayList<>(job.ended());
        ended.add(
                new EndedRun(
                        run.lease(),
                        run.allocations(),
                        run.placedAt(),
                        run.startedAt(),
                        now,
                        outcome.state(),
                        outcome.exit(),
                        charge(run, now)));
        boolean over = outcome.state() != JobState.PENDING;
        return new JobStatus(
                job.job(),
                job.description(),
                job.submittedBy(),
                job.spec(),
                job.key(),
                job.submission(),
                job.submittedAt(),
                outcome.state(),
                outcome.reason(),
                job.rank(),
                null,
                ended,
                over ? now : 0,
                outcome.exit(),
                job.cancelledBy(),
                outcome.message());
    }

    /// A job ends without having run (again).
    public static JobStatus endedWaiting(JobStatus job, JobState state, Reason reason, long now) {
        return new JobStatus(
                job.job(),
                job.description(),
                job.submittedBy(),
                job.spec(),
                job.key(),
                job.submission(),
                job.submittedAt(),
                state,
                reason,
                job.rank(),
                null,
                job.ended(),
                now,
                job.exit() == null ? ExitStatus.SUCCESS : job.exit(),
                job.cancelledBy(),
                job.message());
    }

    /// The run with the part on that place of it changed.
    public static Run withPart(Run run, int index, UnaryOperator<Part> change) {
        List<Part> parts = new ArrayList<>(run.parts());
        parts.set(index, change.apply(parts.get(index)));
        return new Run(
                run.lease(),
                run.placedAt(),
                run.startedAt(),
                run.gone(),
                run.billingRate(),
                run.outcome(),
                parts);
    }

    /// Σ resources × time held, in integers. (DESIGN.md, "Books")
    static Charge charge(Run run, long now) {
        long millis = now - run.placedAt();
        long cpus = 0;
        long memory = 0;
        long gpus = 0;
        for (Part part : run.parts()) {
            cpus += part.allocation().cpus().size();
            memory += part.allocation().memoryMib();
            gpus += part.allocation().gpus().size();
        }
        return new Charge(
                cpus * millis,
                Math.multiplyExact(memory, millis),
                gpus * millis,
                run.parts().size() * millis,
                Math.multiplyExact(run.billingRate(), millis));
    }

    private static Run run(JobStatus job) {
        return Objects.requireNonNull(
                job.run(), () -> "job " + job.job() + " is " + job.state() + " and has no run");
    }

    private static JobStatus copy(
            JobStatus job, JobState state, Reason reason, Rank rank, @Nullable Run run) {
        return copy(
                job, state, reason, rank, run, state == JobState.PENDING ? job.planned() : null);
    }

    private static JobStatus copy(
            JobStatus job,
            JobState state,
            Reason reason,
            Rank rank,
            @Nullable Run run,
            @Nullable Planned planned) {
        return new JobStatus(
                job.job(),
                job.description(),
                job.submittedBy(),
                job.spec(),
                job.key(),
                job.submission(),
                job.submittedAt(),
                state,
                reason,
                rank,
                run,
                job.ended(),
                job.endedAt(),
                job.exit(),
                job.cancelledBy(),
                job.message(),
                planned);
    }
}
