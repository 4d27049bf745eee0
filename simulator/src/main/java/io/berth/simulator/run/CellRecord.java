package io.berth.simulator.run;

import io.berth.contracts.EndedRun;
import io.berth.contracts.JobId;
import io.berth.contracts.JobState;
import io.berth.contracts.event.JobEvent;
import io.berth.contracts.event.JobStatus;
import io.berth.core.state.Fact;
import io.berth.simulator.run.Outcome.Spell;
import io.berth.simulator.trace.TraceJob;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// What becomes of the jobs of a virtual cell, as its facts tell.
final class CellRecord {

    private final List<TraceJob> jobs;
    private final long beginning;
    private final JobEvent.@Nullable Ended[] ended;
    private final long[] promised;
    private final boolean[] backfilled;
    private int finished;

    /// @param jobs by number, which is one less than the id
    /// @param beginning cell time at the trace's beginning
    CellRecord(List<TraceJob> jobs, long beginning) {
        this.jobs = jobs;
        this.beginning = beginning;
        this.ended = new JobEvent.@Nullable Ended[jobs.size()];
        this.promised = new long[jobs.size()];
        this.backfilled = new boolean[jobs.size()];
        Arrays.fill(promised, -1);
    }

    static JobId id(int number) {
        return new JobId(number + 1L);
    }

    static int number(JobId id) {
        return (int) id.value() - 1;
    }

    void see(Fact fact) {
        if (fact instanceof Fact.JobChanged(JobStatus job)) {
            var plan = job.planned();
            int number = number(job.job());
            if (plan != null && promised[number] < 0) {
                promised[number] = plan.start() - beginning;
            }
        } else if (fact instanceof Fact.Announced(JobEvent.Ended event)) {
            ended[number(event.job())] = event;
            finished++;
        }
    }

    /// A job started before one that stands ahead of it.
    void backfilled(JobStatus job) {
        backfilled[number(job.job())] = true;
    }

    int finished() {
        return finished;
    }

    List<Outcome> outcomes() {
        var outcomes = new ArrayList<Outcome>(jobs.size());
        for (int number = 0; number < ended.length; number++) {
            outcomes.add(outcome(number));
        }
        return outcomes;
    }

    private Outcome outcome(int number) {
        TraceJob job = jobs.get(number);
        JobEvent.Ended event = ended[number];
        var spells = new ArrayList<Spell>();
        for (EndedRun run : event == null ? List.<EndedRun>of() : event.runs()) {
            long still = run.suspendedMillis() == null ? 0 : run.suspendedMillis();
            spells.add(new Spell(run.placedAt() - beginning, run.freedAt() - beginning, still));
        }
        boolean completed = event != null && event.state() == JobState.COMPLETED;
        Spell last = completed ? spells.removeLast() : null;
        return new Outcome(job, last, promised[number], last != null && backfilled[number], spells);
    }
}
