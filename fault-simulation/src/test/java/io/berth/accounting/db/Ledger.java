package io.berth.accounting.db;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.contracts.Charge;
import io.berth.contracts.EndedRun;
import io.berth.contracts.JobState;
import io.berth.contracts.RunId;
import io.berth.contracts.event.JobEvent;
import io.berth.core.fairshare.Decay;
import io.berth.core.fairshare.HalfLife;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/// The tables of the books in memory, and the service's own entries in them.
public final class Ledger {

    private static final Forgetting FORGETTING =
            new Forgetting(Decay.of(HalfLife.ofSeconds(7 * 86_400)), Map.of());

    private final TreeMap<Long, JobRow> jobs = new TreeMap<>();
    private final Map<RunKey, RunRow> runs = new HashMap<>();
    private final Map<UsageRow.Key, UsageRow> usage = new HashMap<>();
    private final Map<StepKey, StepRow> steps = new HashMap<>();

    /// Enters events, as one transaction does: into the rows of their jobs.
    public void enter(List<JobEvent> events) {
        Set<Long> of = new HashSet<>();
        events.forEach(it -> of.add(it.job().value()));
        var page =
                new Page(
                        FORGETTING,
                        of.stream().filter(jobs::containsKey).map(jobs::get).toList(),
                        runs.values().stream().filter(it -> of.contains(it.job)).toList(),
                        usage.values(),
                        steps.values().stream().filter(it -> of.contains(it.key().job())).toList());
        events.forEach(page::enter);
        page.jobs().forEach(it -> jobs.put(it.id, it));
        page.runs().forEach(it -> runs.put(new RunKey(it.job, it.lease), it));
        page.usage().forEach(it -> usage.put(it.key(), it));
        page.steps().forEach(it -> steps.put(it.key(), it));
    }

    /// That these jobs are over as they ended, each run is charged as told, and everybody's usage
    /// is the sum of that.
    ///
    /// @param told every run that has ended
    public void assertBalance(Iterable<JobEvent.Ended> ended, Map<RunId, EndedRun> told) {
        var states = new TreeMap<Long, JobState>();
        ended.forEach(it -> states.put(it.job().value(), it.state()));
        var booked = new TreeMap<Long, JobState>();
        jobs.values().stream().filter(JobRow::over).forEach(it -> booked.put(it.id, it.state));
        assertThat(booked).as("states of jobs that are over").isEqualTo(states);
        told.forEach((run, it) ->
                assertThat(runs.get(new RunKey(run.job().value(), run.lease())))
                        .as("run %s in the books", run)
                        .returns(true, RunRow::over)
                        .returns(it.charge(), RunRow::charge));
        assertThat(sum(usage.values().stream().map(UsageRow::charge).toList()))
                .as("what everybody used")
                .isEqualTo(sum(told.values().stream().map(EndedRun::charge).toList()));
    }

    private static Charge sum(Collection<Charge> charges) {
        return charges.stream().reduce(Charge.ZERO, Charge::plus);
    }
}
