package io.berth.accounting.db;

import io.berth.contracts.EndedRun;
import io.berth.contracts.JobDescription;
import io.berth.contracts.JobId;
import io.berth.contracts.JobState;
import io.berth.contracts.Reason;
import io.berth.contracts.Step;
import io.berth.contracts.event.JobEvent;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The rows of the books that some events touch, and the entries that the events make in them.
///
/// An event that was entered before changes nothing: a run is charged when it first ends, a job
/// ends once, and what is known to be over is not opened again. An event whose job is not in the
/// books (its Queued is older than the log) is passed over: its Ended brings all of it.
public final class Page {

    private final Forgetting forgetting;
    private final Map<Long, JobRow> jobs = new LinkedHashMap<>();
    private final Map<RunKey, RunRow> runs = new LinkedHashMap<>();
    private final Map<UsageRow.Key, UsageRow> usage = new LinkedHashMap<>();
    private final Set<StepKey> steps = new HashSet<>();
    private final List<JobRow> addedJobs = new ArrayList<>();
    private final List<RunRow> addedRuns = new ArrayList<>();
    private final List<UsageRow> addedUsage = new ArrayList<>();
    private final List<StepRow> addedSteps = new ArrayList<>();
    private boolean changesUsage;

    /// A page with the rows that there are of what the events touch.
    Page(
            Forgetting forgetting,
            Collection<JobRow> jobs,
            Collection<RunRow> runs,
            Collection<UsageRow> usage,
            Collection<StepRow> steps) {
        this.forgetting = forgetting;
        jobs.forEach(it -> this.jobs.put(it.id, it));
        runs.forEach(it -> this.runs.put(new RunKey(it.job, it.lease), it));
        usage.forEach(it -> this.usage.put(it.key(), it));
        steps.forEach(it -> this.steps.add(it.key()));
    }

    /// The rows that were not there before, table by table: those of one go to the database
    /// together.
    public List<Object> added() {
        var added = new ArrayList<Object>(addedJobs);
        added.addAll(addedRuns);
        added.addAll(addedSteps);
        added.addAll(addedUsage);
        return added;
    }

    /// Whether a run was placed, stood still, went on or has ended.
    public boolean changesUsage() {
        return changesUsage;
    }

    /// Enters an event.
    public void enter(JobEvent event) {
        switch (event) {
            case JobEvent.Queued it -> queue(it);
            case JobEvent.Placed it -> place(it);
            case JobEvent.Started it -> start(it);
            case JobEvent.Requeued it -> requeue(it);
            case JobEvent.Ended it -> end(it);
            case JobEvent.Suspended it -> suspend(it);
            case JobEvent.Resumed it -> resume(it);
            case JobEvent.Preempted it ->
                    run(it.job(), it.lease()).ifPresent(run -> run.preempt(it));
            case JobEvent.StepsEnded it -> step(it);
            case JobEvent.Amended it -> amend(it.job(), it.description());
            case JobEvent.Held _,
                    JobEvent.Released _,
                    JobEvent.SuspendFailed _,
                    JobEvent.GpusUnderused _,
                    JobEvent.GpusUsedAgain _ -> {}
        }
    }

    private void queue(JobEvent.Queued event) {
        if (!jobs.containsKey(event.job().value())) {
            add(JobRow.of(event.job(), event.description(), event.at()));
        }
    }

    private void amend(JobId id, JobDescription description) {
        JobRow job = jobs.get(id.value());
        if (job != null && !job.over()) {
            job.describe(description);
        }
    }

    private void place(JobEvent.Placed event) {
        JobRow job = jobs.get(event.job().value());
        var key = new RunKey(event.job().value(), event.lease());
        if (job == null || runs.containsKey(key)) {
            return;
        }
        RunRow run = RunRow.of(key, job.account, event.allocations(), event.at());
        run.billingRate = event.billingRate();
        add(run);
        changesUsage = true;
        if (!job.over() && event.lease() > job.lease) {
            job.lease = event.lease();
            job.give(event.allocations());
            job.state = JobState.RUNNING;
            job.reason = Reason.NONE;
            job.startedAt = event.at();
        }
    }

    private void start(JobEvent.Started event) {
        run(event.job(), event.lease())
                .filter(run -> run.startedAt == 0 && !run.over())
                .ifPresent(run -> run.startedAt = event.at());
    }

    private void suspend(JobEvent.Suspended event) {
        run(event.job(), event.lease()).ifPresent(run -> run.suspend(event.at()));
        stands(event.job(), event.lease());
    }

    private void resume(JobEvent.Resumed event) {
        run(event.job(), event.lease()).ifPresent(run -> run.resume(event.at()));
        stands(event.job(), event.lease());
    }

    /// The state of a job follows from its current run's.
    private void stands(JobId id, int lease) {
        JobRow job = jobs.get(id.value());
        RunRow run = runs.get(new RunKey(id.value(), lease));
        if (job != null && run != null && !job.over() && !run.over() && job.lease == lease) {
            job.state = run.suspendedAt == 0 ? JobState.RUNNING : JobState.SUSPENDED;
            changesUsage = true;
        }
    }

    private Optional<RunRow> run(JobId job, int lease) {
        return Optional.ofNullable(runs.get(new RunKey(job.value(), lease)));
    }

    /// Enters a run's steps on a node, once. A run that is not in the books yet comes with its end.
    private void step(JobEvent.StepsEnded event) {
        boolean entered = false;
        for (Step step : event.steps().each()) {
            StepRow row = StepRow.of(event, step);
            if (steps.add(row.key())) {
                addedSteps.add(row);
                entered = true;
            }
        }
        if (entered) {
            run(event.job(), event.lease()).ifPresent(run -> run.moreSteps += event.steps().more());
        }
    }

    private void requeue(JobEvent.Requeued event) {
        JobRow job = jobs.get(event.job().value());
        if (job != null && close(job, event.run()) && !job.over()) {
            job.restarts++;
            if (event.run().lease() >= job.lease) {
                job.lease = event.run().lease();
                job.state = JobState.PENDING;
                job.reason = event.reason();
                job.startedAt = 0;
            }
        }
    }

    private void end(JobEvent.Ended event) {
        JobRow job = jobs.get(event.job().value());
        if (job == null) {
            job = JobRow.of(event.job(), event.description(), event.submittedAt());
            add(job);
        }
        amend(event.job(), event.description());
        for (EndedRun run : event.runs()) {
            close(job, run);
        }
        if (job.over()) {
            return;
        }
        job.state = event.state();
        job.reason = event.reason();
        job.exitCode = event.exit().code();
        job.exitSignal = event.exit().signal();
        job.submittedAt = event.submittedAt();
        job.endedAt = event.at();
        job.cancelledBy = storable(event.cancelledBy());
        job.message = storable(event.message());
        job.restarts =
                (int)
                        event.runs().stream()
                                .filter(run -> run.outcome() == JobState.PENDING)
                                .count();
        if (!event.runs().isEmpty()) {
            EndedRun last = event.runs().getLast();
            job.lease = last.lease();
            job.startedAt = last.placedAt();
        }
    }

    /// Ends a run and charges it, if it was not over before; whether it was not.
    private boolean close(JobRow job, EndedRun ended) {
        var key = new RunKey(job.id, ended.lease());
        RunRow run = runs.get(key);
        if (run != null && run.over()) {
            return false;
        }
        if (run == null) {
            run = RunRow.of(key, job.account, ended.allocations(), ended.placedAt());
            add(run);
        }
        run.end(ended);
        usage(new UsageRow.Key(run.account, job.username, job.partition, job.qos))
                .add(ended, forgetting.of(run.account, job.username));
        changesUsage = true;
        return true;
    }

    private UsageRow usage(UsageRow.Key key) {
        UsageRow row = usage.get(key);
        if (row == null) {
            row = UsageRow.of(key);
            usage.put(key, row);
            addedUsage.add(row);
        }
        return row;
    }

    private void add(JobRow job) {
        jobs.put(job.id, job);
        addedJobs.add(job);
    }

    private void add(RunRow run) {
        runs.put(new RunKey(run.job, run.lease), run);
        addedRuns.add(run);
    }

    private static @Nullable String storable(@Nullable String text) {
        return text == null ? null : Texts.storable(text);
    }
}
