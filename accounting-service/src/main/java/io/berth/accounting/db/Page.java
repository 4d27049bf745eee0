package io.berth.accounting.db;

import io.berth.contracts.EndedRun;
import io.berth.contracts.JobDescription;
import io.berth.contracts.JobId;
import io.berth.contracts.JobState;
import io.berth.contracts.Reason;
import io.berth.contracts.Step;
import io.berth.contracts.event.JobEvent;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The rows of the books that some events touch, and the entries that the events make in them.
///
/// An event that was entered before changes nothing: a run is charged when it first ends, a job
/// ends once, and what is known to be over is not opened again. An event whose job is not in the
/// books (its Queued is older than the log) is passed over: its Ended brings all of it.
public final class Page {

    private final Forgetting forgetting;
    private final Rows<Long, JobRow> jobs = new Rows<>();
    private final Rows<RunKey, RunRow> runs = new Rows<>();
    private final Rows<UsageRow.Key, UsageRow> usage = new Rows<>();
    private final Rows<StepKey, StepRow> steps = new Rows<>();
    private boolean changesUsage;

    /// Rows of one table, and which of them may differ from the database's: all that were given
    /// out.
    private static final class Rows<K, R> {
        private final Map<K, R> all = new HashMap<>();
        private final Map<K, R> touched = new LinkedHashMap<>();

        void found(K key, R row) {
            all.put(key, row);
        }

        boolean has(K key) {
            return all.containsKey(key);
        }

        @Nullable R get(K key) {
            R row = all.get(key);
            if (row != null) {
                touched.put(key, row);
            }
            return row;
        }

        void add(K key, R row) {
            all.put(key, row);
            touched.put(key, row);
        }

        Collection<R> touched() {
            return Collections.unmodifiableCollection(touched.values());
        }
    }

    /// A page with the rows that there are of what the events touch.
    Page(
            Forgetting forgetting,
            Collection<JobRow> jobs,
            Collection<RunRow> runs,
            Collection<UsageRow> usage,
            Collection<StepRow> steps) {
        this.forgetting = forgetting;
        jobs.forEach(it -> this.jobs.found(it.id, it));
        runs.forEach(it -> this.runs.found(new RunKey(it.job, it.lease), it));
        usage.forEach(it -> this.usage.found(it.key(), it));
        steps.forEach(it -> this.steps.found(it.key(), it));
    }

    /// The jobs to be written, new ones and such as may have changed; likewise the others.
    Collection<JobRow> jobs() {
        return jobs.touched();
    }

    Collection<RunRow> runs() {
        return runs.touched();
    }

    Collection<UsageRow> usage() {
        return usage.touched();
    }

    Collection<StepRow> steps() {
        return steps.touched();
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
        if (!jobs.has(event.job().value())) {
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
        if (job == null || runs.has(key)) {
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
            if (!steps.has(row.key())) {
                steps.add(row.key(), row);
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
        if (!event.runs().isEmpty()) {
            EndedRun last = event.runs().getLast();
            job.lease = last.lease();
            // Of many the event tells not all.
            job.restarts = last.restartsByThen();
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
            if (ended.lease() > job.lease) {
                job.lease = ended.lease();
                job.give(ended.allocations());
            }
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
            usage.add(key, row);
        }
        return row;
    }

    private void add(JobRow job) {
        jobs.add(job.id, job);
    }

    private void add(RunRow run) {
        runs.add(new RunKey(run.job, run.lease), run);
    }

    private static @Nullable String storable(@Nullable String text) {
        return text == null ? null : Texts.storable(text);
    }
}
