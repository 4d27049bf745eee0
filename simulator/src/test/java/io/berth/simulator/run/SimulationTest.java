package io.berth.simulator.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.core.engine.Scheduling.Backfill;
import io.berth.core.engine.Scheduling.Settings;
import io.berth.core.fairshare.HalfLife;
import io.berth.core.packing.Policies;
import io.berth.simulator.run.Simulation.Rules;
import io.berth.simulator.trace.TraceJob;
import io.berth.simulator.trace.TraceNode;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class SimulationTest {

    private static TraceJob job(int id, long submit, long runs, int gpus) {
        return new TraceJob(
                "j" + id, "", "", submit * 1000, runs * 1000, -1, gpus, 1000, List.of(), 0, 0, 0);
    }

    private static List<TraceNode> nodes(int count, int gpus) {
        return Collections.nCopies(
                count, new TraceNode("n", "T4", gpus, 64_000, TraceNode.UNKNOWN_MIB, ""));
    }

    private static Rules rules(Backfill backfill, Order order, Estimates estimates) {
        return new Rules(
                new Settings(backfill, 100, Policies.TIGHTEST),
                "tightest",
                order,
                estimates,
                30_000,
                new HalfLife(0),
                GivingWay.NONE);
    }

    private static Rules rules(Backfill backfill) {
        return rules(backfill, Order.FIFO, Estimates.EXACT);
    }

    private static List<Outcome> run(List<TraceJob> jobs, List<TraceNode> nodes, Rules rules) {
        return new Simulation(jobs, nodes, rules).run(_ -> {});
    }

    private static List<Long> starts(List<Outcome> outcomes) {
        return outcomes.stream().map(it -> it.start() < 0 ? -1 : it.start() / 1000).toList();
    }

    /// A has half of a node of 8 GPUs until 100, and B wants all of it; C would end before, D
    /// after.
    private static final List<TraceJob> CONTENDING =
            List.of(job(1, 0, 100, 4), job(2, 1, 100, 8), job(3, 2, 50, 4), job(4, 3, 200, 4));

    @Test
    void without_backfill_nobody_passes_the_head_of_the_queue() {
        List<Outcome> outcomes = run(CONTENDING, nodes(1, 8), rules(Backfill.OFF));

        assertThat(starts(outcomes)).containsExactly(0L, 100L, 200L, 200L);
        assertThat(outcomes).noneMatch(Outcome::backfilled);
    }

    @Test
    void a_job_that_ends_before_the_head_can_start_is_backfilled() {
        List<Outcome> outcomes = run(CONTENDING, nodes(1, 8), rules(Backfill.EASY));

        assertThat(starts(outcomes)).containsExactly(0L, 100L, 2L, 200L);
        assertThat(outcomes)
                .extracting(Outcome::backfilled)
                .containsExactly(false, false, true, false);
    }

    /// The engine counts two seconds more for an end, so B is told 102 and starts at 100.
    @Test
    void the_start_that_a_job_is_told_is_remembered() {
        List<Outcome> outcomes = run(CONTENDING, nodes(1, 8), rules(Backfill.EASY));

        assertThat(outcomes.get(1).promised()).isEqualTo(102_000);
        assertThat(outcomes.get(0).promised()).isEqualTo(-1);
    }

    @Test
    void the_shortest_goes_first_where_that_is_wanted() {
        var jobs = List.of(job(1, 0, 10, 1), job(2, 1, 30, 1), job(3, 2, 20, 1));

        assertThat(starts(run(jobs, nodes(1, 1), rules(Backfill.OFF, Order.SJF, Estimates.EXACT))))
                .containsExactly(0L, 30L, 10L);
    }

    @Test
    void a_job_of_more_gpus_than_a_node_has_is_a_gang() {
        var jobs = List.of(job(1, 0, 10, 12), job(2, 1, 10, 4), job(3, 2, 10, 8));

        assertThat(starts(run(jobs, nodes(2, 8), rules(Backfill.OFF))))
                .containsExactly(0L, 10L, 10L);
    }

    @Test
    void a_job_that_no_node_can_hold_never_runs_and_holds_nobody_up() {
        var jobs = List.of(job(1, 0, 10, 17), job(2, 0, 10, 1));

        assertThat(starts(run(jobs, nodes(2, 8), rules(Backfill.OFF)))).containsExactly(-1L, 0L);
    }

    /// Expected of the second after the first ended: 10 s. It takes 100. The third wants both GPUs
    /// and is told 10 s from then, then 20, and so on; the fourth must not pass it for ever.
    @Test
    void a_run_that_outlasts_its_prediction_keeps_what_it_has() {
        var jobs =
                List.of(job(1, 0, 10, 1), job(2, 20, 100, 1), job(3, 21, 10, 2), job(4, 22, 10, 1));
        var rules = rules(Backfill.EASY, Order.FIFO, new Estimates(Estimates.Source.PREDICTED, 1));

        List<Long> starts = starts(run(jobs, nodes(1, 2), rules));

        assertThat(starts.subList(0, 3)).containsExactly(0L, 20L, 120L);
    }

    private static List<TraceJob> random(Random random, int count) {
        var jobs = new ArrayList<TraceJob>();
        for (int i = 0; i < count; i++) {
            int gpus = random.nextInt(4) == 0 ? 8 : 1 + random.nextInt(4);
            jobs.add(job(i, random.nextInt(3000), random.nextInt(400), gpus));
        }
        jobs.sort(Comparator.comparingLong(TraceJob::submitMillis));
        return jobs;
    }

    @Test
    void without_backfill_it_is_a_queue_with_one_head() {
        for (int seed = 0; seed < 40; seed++) {
            List<TraceJob> jobs = random(new Random(seed), 80);

            assertThat(starts(run(jobs, nodes(3, 8), rules(Backfill.OFF))))
                    .as("seed " + seed)
                    .isEqualTo(queue(jobs, new int[] {8, 8, 8}));
        }
    }

    /// Strict first come, first served on the tightest node, without the engine.
    private static List<Long> queue(List<TraceJob> jobs, int[] free) {
        var ends = new PriorityQueue<long[]>(Comparator.comparingLong(end -> end[0]));
        var starts = new ArrayList<Long>();
        long now = 0;
        for (TraceJob job : jobs) {
            now = Math.max(now, job.submitMillis());
            while (!ends.isEmpty() && ends.element()[0] <= now) {
                long[] end = ends.remove();
                free[(int) end[1]] += (int) end[2];
            }
            while (Arrays.stream(free).max().orElse(0) < job.gpus()) {
                now = ends.element()[0];
                while (!ends.isEmpty() && ends.element()[0] <= now) {
                    long[] end = ends.remove();
                    free[(int) end[1]] += (int) end[2];
                }
            }
            int best = -1;
            for (int node = 0; node < free.length; node++) {
                if (free[node] >= job.gpus() && (best < 0 || free[node] < free[best])) {
                    best = node;
                }
            }
            free[best] -= job.gpus();
            ends.add(new long[] {now + job.durationMillis(), best, job.gpus()});
            starts.add(now / 1000);
        }
        return starts;
    }

    @Test
    void every_job_runs_once_after_it_came_and_nothing_is_held_twice() {
        for (int seed = 0; seed < 60; seed++) {
            var random = new Random(seed);
            var rules =
                    rules(
                            Backfill.values()[random.nextInt(3)],
                            Order.values()[random.nextInt(4)],
                            new Estimates(
                                    Estimates.Source.values()[random.nextInt(4)],
                                    1 + random.nextInt(3)));
            List<Outcome> outcomes = run(random(random, 80), nodes(3, 8), rules);

            assertThat(outcomes).as("seed " + seed).allMatch(Outcome::ran);
            for (Outcome outcome : outcomes) {
                assertThat(outcome.waitMillis()).as("seed " + seed).isNotNegative();
                int held =
                        outcomes.stream()
                                .filter(it -> it.start() <= outcome.start())
                                .filter(it -> it.end() > outcome.start())
                                .mapToInt(it -> it.job().gpus())
                                .sum();
                assertThat(held).as("seed " + seed).isLessThanOrEqualTo(24);
            }
        }
    }

    /// What runs longest is made to run longer still: until its end nothing may change.
    @Test
    void predictions_never_look_at_what_has_not_ended() {
        var rules =
                rules(Backfill.EASY, Order.PREDICTED, new Estimates(Estimates.Source.PREDICTED, 1));
        for (int seed = 0; seed < 40; seed++) {
            List<TraceJob> jobs = random(new Random(seed), 80);
            List<Outcome> before = run(jobs, nodes(2, 8), rules);
            int changed = new Random(seed).nextInt(jobs.size());
            var longer = new ArrayList<>(jobs);
            TraceJob job = jobs.get(changed);
            longer.set(
                    changed,
                    job(
                            Integer.parseInt(job.id().substring(1)),
                            job.submitMillis() / 1000,
                            job.durationMillis() / 1000 + 5000,
                            job.gpus()));
            List<Outcome> after = run(longer, nodes(2, 8), rules);

            long until = before.get(changed).end();
            for (int i = 0; i < jobs.size(); i++) {
                if (before.get(i).start() < until) {
                    assertThat(after.get(i).start())
                            .as("seed %s, job %s", seed, i)
                            .isEqualTo(before.get(i).start());
                }
            }
        }
    }

    @Test
    void a_run_time_is_the_median_of_its_kind() {
        var runTimes = new RunTimes();
        assertThat(runTimes.expectedMillis(job(0, 0, 1, 1))).isEqualTo(RunTimes.UNKNOWN_MILLIS);

        for (long seconds : new long[] {1, 2, 3, 4, 900}) {
            runTimes.ended(job(0, 0, seconds, 1));
        }
        runTimes.ended(job(0, 0, 50, 8));

        assertThat(runTimes.expectedMillis(job(0, 0, 1, 1))).isEqualTo(3_000);
        assertThat(runTimes.expectedMillis(job(0, 0, 1, 8))).isEqualTo(3_000);
    }

    /// Waits of 0, 99, 198 s; one GPU of the two is used for 250 of 250 s, the other for 200.
    @Test
    void a_summary_is_of_the_jobs_that_ran() {
        List<Outcome> outcomes =
                run(
                        List.of(
                                job(1, 0, 100, 2),
                                job(2, 1, 100, 2),
                                job(3, 2, 50, 1),
                                job(4, 3, 1, 3)),
                        nodes(1, 2),
                        rules(Backfill.OFF));

        Summary summary = Summary.of("", 1, 2, outcomes);

        assertThat(summary.jobs()).isEqualTo(3);
        assertThat(summary.never()).isEqualTo(1);
        assertThat(summary.waits()).isEqualTo(new Distribution(99, 99, 198, 198, 198));
        assertThat(summary.completion().max()).isEqualTo(248);
        assertThat(summary.slowdown().max()).isEqualTo(248.0 / 50);
        assertThat(summary.makespan()).isEqualTo(250);
        assertThat(summary.use()).isEqualTo(90);
        assertThat(summary.overtaken().max()).isZero();
    }

    /// B wants 2 of 6 GPUs from 10 on, while 3 are free, then 1. C and D come later and pass it.
    @Test
    void gpus_that_are_free_for_a_job_that_waits_and_jobs_that_are_passed_are_counted() {
        List<Outcome> outcomes =
                List.of(
                        new Outcome(job(1, 0, 100, 3), 0, -1, false),
                        new Outcome(job(2, 10, 50, 2), 100_000, -1, false),
                        new Outcome(job(3, 20, 80, 2), 20_000, -1, false),
                        new Outcome(job(4, 30, 20, 1), 30_000, -1, false));

        Summary summary = Summary.of("", 1, 6, outcomes);

        assertThat(summary.fragmented()).isEqualTo(100 * 30.0 / 900);
        assertThat(summary.overtaken()).isEqualTo(new Distribution(0.5, 0, 2, 2, 2));
    }

    @Test
    void a_percentile_is_the_smallest_that_so_many_do_not_exceed() {
        double[] hundred = new double[100];
        Arrays.setAll(hundred, i -> 100 - i);

        assertThat(Distribution.of(hundred)).isEqualTo(new Distribution(50.5, 50, 95, 99, 100));
        assertThat(Distribution.of()).isEqualTo(new Distribution(0, 0, 0, 0, 0));
    }
}
