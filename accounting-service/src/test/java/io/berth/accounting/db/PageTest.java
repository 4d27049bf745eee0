package io.berth.accounting.db;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.accounting.Lives;
import io.berth.contracts.Charge;
import io.berth.contracts.EndedRun;
import io.berth.contracts.JobState;
import io.berth.contracts.Spending;
import io.berth.contracts.event.JobEvent;
import io.berth.contracts.event.PriorityRules.UsageReset;
import io.berth.core.fairshare.Decay;
import io.berth.core.fairshare.HalfLife;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Laws of the books over random lives of jobs.
class PageTest {

    private static final Decay WEEK = Decay.of(HalfLife.ofSeconds(7 * 86_400));
    private static final Forgetting FORGETTING = new Forgetting(WEEK, Map.of());
    private static final int JOBS = 60;

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void every_ended_run_is_charged_once_and_nothing_else_is(long seed) {
        var lives = new Lives(seed);
        List<JobEvent> events = lives.events(1, JOBS);

        Ledger ledger = new Ledger().enter(events);

        assertThat(ledger.usage())
                .isEqualTo(
                        lives.charged().stream()
                                .map(EndedRun::charge)
                                .reduce(Charge.ZERO, Charge::plus));
    }

    @ParameterizedTest
    @ValueSource(longs = {11, 12, 13, 14, 15, 16, 17, 18})
    void records_that_come_again_change_nothing(long seed) {
        var random = new Random(seed);
        List<JobEvent> events = new Lives(seed).events(1, JOBS);
        var doubled = new ArrayList<JobEvent>();
        for (int i = 0; i < events.size(); i++) {
            doubled.add(events.get(i));
            if (random.nextInt(4) == 0) {
                int from = random.nextInt(i + 1);
                doubled.addAll(events.subList(from, Math.min(i + 1, from + 10)));
            }
        }

        assertThat(new Ledger().enter(doubled).text()).isEqualTo(new Ledger().enter(events).text());
    }

    @Test
    void what_a_run_lost_is_what_it_had_lost_at_its_end() {
        List<JobEvent> events = new Lives(19).events(1, JOBS);
        var ledger = new Ledger().enter(events);

        List<EndedRun> lost =
                events.stream()
                        .filter(JobEvent.Requeued.class::isInstance)
                        .map(it -> ((JobEvent.Requeued) it).run())
                        .filter(it -> it.lostGpuMillis() != null)
                        .toList();
        assertThat(lost).isNotEmpty();
        assertThat(ledger.runs.values())
                .extracting(it -> it.lostGpuMillis)
                .containsAll(lost.stream().map(EndedRun::lostGpuMillis).toList());
    }

    @ParameterizedTest
    @ValueSource(longs = {21, 22, 23, 24})
    void the_cut_into_batches_changes_nothing(long seed) {
        var random = new Random(seed);
        List<JobEvent> events = new Lives(seed).events(1, JOBS);
        var ledger = new Ledger();
        for (int i = 0; i < events.size(); ) {
            int to = Math.min(events.size(), i + 1 + random.nextInt(20));
            ledger.enter(events.subList(i, to));
            i = to;
        }

        assertThat(ledger.text()).isEqualTo(new Ledger().enter(events).text());
    }

    @ParameterizedTest
    @ValueSource(longs = {31, 32, 33, 34})
    void ended_jobs_are_rebuilt_from_their_last_event_alone(long seed) {
        List<JobEvent> events = new Lives(seed).events(1, JOBS);
        List<JobEvent> ends = events.stream().filter(JobEvent.Ended.class::isInstance).toList();

        var whole = new Ledger().enter(events);
        var rebuilt = new Ledger().enter(ends);

        assertThat(ends).isNotEmpty();
        rebuilt.jobs.forEach((id, job) -> {
            JobRow first = Objects.requireNonNull(whole.jobs.get(id));
            assertThat(Ledger.text(job)).isEqualTo(Ledger.text(first));
            assertThat(rebuilt.charge(id)).isEqualTo(whole.charge(id));
        });
    }

    @ParameterizedTest
    @ValueSource(longs = {41, 42, 43, 44})
    void an_ended_job_holds_nothing_and_a_live_one_at_most_one_run(long seed) {
        Ledger ledger = new Ledger().enter(new Lives(seed).events(1, JOBS));

        for (JobRow job : ledger.jobs.values()) {
            long holding =
                    ledger.runs.values().stream()
                            .filter(it -> it.job == job.id && !it.over())
                            .count();
            assertThat(holding)
                    .isEqualTo(
                            job.state == JobState.RUNNING || job.state == JobState.SUSPENDED
                                    ? 1
                                    : 0);
            assertThat(job.state.terminal()).isEqualTo(job.over());
        }
    }

    /// A reset and another half-life are known when the books are read anew, and were not before.
    @ParameterizedTest
    @ValueSource(longs = {51, 52, 53, 54})
    void books_read_anew_after_usage_was_forgotten_otherwise_come_to_the_same(long seed) {
        List<JobEvent> events =
                new Lives(seed)
                        .events(1, JOBS).stream()
                                .sorted(Comparator.comparingLong(JobEvent::at))
                                .toList();
        int cut = new Random(seed).nextInt(events.size());
        long at = events.get(cut).at() + 1;
        List<Decay.Rule> rules =
                List.of(
                        new Decay.Rule(0, HalfLife.ofSeconds(600), UsageReset.NONE),
                        new Decay.Rule(at, HalfLife.ofSeconds(9000), UsageReset.DAILY));
        var key = new ResetRow.Key("team_a", ResetRow.ALL_USERS);
        var before = new Forgetting(Decay.of(rules.subList(0, 1)), Map.of());
        var after = new Forgetting(Decay.of(rules), Map.of(key, at));
        Map<Boolean, List<JobEvent>> parts =
                events.stream().collect(Collectors.partitioningBy(it -> it.at() < at));

        var kept =
                new Ledger()
                        .enter(parts.getOrDefault(true, List.of()), before)
                        .enter(parts.getOrDefault(false, List.of()), after);
        var anew = new Ledger().enter(events, after);

        long end = events.getLast().at() + 1;
        assertThat(kept.counts(after, end)).isEqualTo(anew.counts(after, end)).isNotEmpty();
    }

    /// All rows, as the database would keep them from page to page.
    private static final class Ledger {

        final Map<Long, JobRow> jobs = new TreeMap<>();
        final Map<String, RunRow> runs = new TreeMap<>();
        final Map<String, UsageRow> usage = new TreeMap<>();
        final Map<String, StepRow> steps = new TreeMap<>();

        Ledger enter(List<JobEvent> events) {
            return enter(events, FORGETTING);
        }

        Ledger enter(List<JobEvent> events, Forgetting forgetting) {
            var page =
                    new Page(
                            forgetting,
                            jobs.values(),
                            runs.values(),
                            usage.values(),
                            steps.values());
            events.forEach(page::enter);
            page.jobs().forEach(it -> jobs.put(it.id, it));
            page.runs().forEach(it -> runs.put(it.job + "." + it.lease, it));
            page.usage().forEach(it -> usage.put(it.key().toString(), it));
            page.steps().forEach(it -> steps.put(it.key().toString(), it));
            return this;
        }

        /// What counts of each row, decayed and since it was reset.
        List<List<Spending>> counts(Forgetting forgetting, long now) {
            return usage.values().stream()
                    .map(it -> {
                        Decay decay = forgetting.of(it.account, it.username);
                        return List.of(it.decayedAt(now, decay), it.sinceReset(now, decay));
                    })
                    .toList();
        }

        Charge usage() {
            return usage.values().stream().map(UsageRow::charge).reduce(Charge.ZERO, Charge::plus);
        }

        Charge charge(long job) {
            return runs.values().stream()
                    .filter(it -> it.job == job)
                    .map(RunRow::charge)
                    .reduce(Charge.ZERO, Charge::plus);
        }

        String text() {
            var text = new StringBuilder();
            jobs.values().forEach(it -> text.append(text(it)).append('\n'));
            runs.forEach((name, it) ->
                    text.append(name)
                            .append(' ')
                            .append(it.placedAt)
                            .append(' ')
                            .append(it.freedAt)
                            .append(' ')
                            .append(it.charge())
                            .append(' ')
                            .append(it.suspendedAt)
                            .append(' ')
                            .append(it.suspendedMillis)
                            .append(' ')
                            .append(it.preemptedBy)
                            .append(' ')
                            .append(it.lostGpuMillis)
                            .append(' ')
                            .append(it.moreSteps)
                            .append('\n'));
            steps.forEach(
                    (name, it) -> text.append(name).append(' ').append(it.exit()).append('\n'));
            usage.forEach((name, it) ->
                    text.append(name)
                            .append(' ')
                            .append(it.charge())
                            .append(' ')
                            .append(it.decayedAt(it.decayedAt, WEEK))
                            .append(' ')
                            .append(it.sinceReset(it.decayedAt, WEEK))
                            .append('\n'));
            return text.toString();
        }

        static String text(JobRow job) {
            return String.join(
                    " ",
                    Long.toString(job.id),
                    job.username,
                    job.state.name(),
                    Long.toString(job.submittedAt),
                    Long.toString(job.startedAt),
                    Long.toString(job.endedAt),
                    Integer.toString(job.lease),
                    Integer.toString(job.restarts),
                    Integer.toString(job.nodes),
                    Integer.toString(job.cpus),
                    Long.toString(job.memoryMib),
                    Integer.toString(job.gpus));
        }
    }
}
