package io.berth.simulator.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.contracts.PreemptMode;
import io.berth.contracts.event.PreemptRules;
import io.berth.contracts.event.PreemptRules.Type;
import io.berth.core.engine.Scheduling.Backfill;
import io.berth.core.engine.Scheduling.Settings;
import io.berth.core.fairshare.HalfLife;
import io.berth.core.packing.Policies;
import io.berth.simulator.run.Outcome.Spell;
import io.berth.simulator.run.Simulation.Rules;
import io.berth.simulator.trace.TraceJob;
import io.berth.simulator.trace.TraceNode;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

final class VirtualCellTest {

    private static final Map<String, Integer> PROD_FIRST = Map.of("prod", 10, "dev", 0);

    private static TraceJob job(String group, int id, long submit, long runs, int gpus) {
        return job(group, id, submit, runs, gpus, 1);
    }

    private static TraceJob job(String group, int id, long submit, long runs, int gpus, int cpus) {
        return new TraceJob(
                "j" + id,
                "u",
                group,
                submit * 1000,
                runs * 1000,
                -1,
                gpus,
                gpus == 0 ? 0 : 1000,
                List.of(),
                cpus * 1000,
                0,
                0);
    }

    private static List<TraceNode> nodes(int count, int gpus) {
        return Collections.nCopies(
                count, new TraceNode("n", "T4", gpus, 16_000, TraceNode.UNKNOWN_MIB, ""));
    }

    private static PreemptRules rules(Type type, PreemptMode mode, boolean gang, long exempt) {
        return new PreemptRules(
                type, mode, gang, PreemptMode.REQUEUE, exempt, false, 0, 0, 0, 30, null);
    }

    private static GivingWay tiers(PreemptMode mode, long grace, Map<String, Integer> tiers) {
        return new GivingWay(
                rules(Type.PARTITION_PRIO, mode, false, 0),
                new TreeMap<>(tiers),
                new TreeMap<>(),
                grace);
    }

    private static GivingWay qos(PreemptMode mode, boolean gang, String group, String other) {
        var preempt = new TreeMap<String, SortedSet<String>>();
        preempt.put(group, new TreeSet<>(List.of(other)));
        return new GivingWay(rules(Type.QOS, mode, gang, 0), new TreeMap<>(), preempt, 0);
    }

    private static List<Outcome> run(
            List<TraceJob> jobs, List<TraceNode> nodes, Backfill backfill, GivingWay givingWay) {
        var rules =
                new Rules(
                        new Settings(backfill, 100, Policies.TIGHTEST),
                        "tightest",
                        Order.FIFO,
                        Estimates.EXACT,
                        30_000,
                        new HalfLife(0),
                        givingWay);
        return Groups.together(jobs, nodes).run(rules, _ -> {}).outcomes();
    }

    private static List<Outcome> run(
            List<TraceJob> jobs, List<TraceNode> nodes, GivingWay givingWay) {
        return run(jobs, nodes, Backfill.CONSERVATIVE, givingWay);
    }

    /// From when to when in seconds.
    private static Spell spell(long start, long end) {
        return spell(start, end, 0);
    }

    private static Spell spell(long start, long end, long still) {
        return new Spell(start * 1000, end * 1000, still * 1000);
    }

    /// Two jobs of dev fill the node; one of prod, of half of it, comes at 20 for 10 s.
    private static final List<TraceJob> ONE_MUST_GO =
            List.of(job("dev", 1, 0, 100, 4), job("dev", 2, 5, 100, 4), job("prod", 3, 20, 10, 4));

    @Test
    void the_one_that_has_run_least_is_lost_and_begins_anew() {
        List<Outcome> outcomes =
                run(ONE_MUST_GO, nodes(1, 8), tiers(PreemptMode.REQUEUE, 0, PROD_FIRST));

        assertThat(outcomes)
                .extracting(Outcome::run)
                .containsExactly(spell(0, 100), spell(30, 130), spell(20, 30));
        assertThat(outcomes.get(1).lost()).containsExactly(spell(5, 20));
        assertThat(Summary.of("", 1, 8, outcomes))
                .extracting(Summary::gaveWay, Summary::lostGpuHours, Summary::cancelled)
                .containsExactly(1, 4 * 15 / 3600.0, 0);
    }

    /// The second of dev is told at 20 and may go on until 32.
    @Test
    void a_run_that_is_told_before_uses_its_grace() {
        List<Outcome> outcomes =
                run(ONE_MUST_GO, nodes(1, 8), tiers(PreemptMode.REQUEUE, 12, PROD_FIRST));

        assertThat(outcomes.get(1).lost()).containsExactly(spell(5, 32));
        assertThat(outcomes.get(2).run()).isEqualTo(spell(32, 42));
        assertThat(outcomes.get(1).run()).isEqualTo(spell(42, 142));
    }

    @Test
    void a_job_that_is_cancelled_never_runs_to_its_end() {
        List<Outcome> outcomes =
                run(ONE_MUST_GO, nodes(1, 8), tiers(PreemptMode.CANCEL, 0, PROD_FIRST));
        Summary summary = Summary.of("", 1, 8, outcomes);

        assertThat(outcomes.get(1)).matches(it -> it.cancelled() && !it.ran());
        assertThat(summary.cancelled()).isEqualTo(1);
        assertThat(summary.never()).isZero();
        assertThat(summary.use()).isEqualTo(100 * 4 * (100 + 15 + 10) / 800.0);
    }

    /// Of one node of 16 CPUs, exactly one of two jobs stands still from 20 to 30.
    @Test
    void a_job_without_gpus_stands_still_and_goes_on() {
        List<Outcome> outcomes =
                run(
                        List.of(
                                job("dev", 1, 0, 100, 0, 8),
                                job("dev", 2, 5, 100, 0, 8),
                                job("prod", 3, 20, 10, 0, 8)),
                        nodes(1, 0),
                        tiers(PreemptMode.SUSPEND, 0, PROD_FIRST));

        assertThat(outcomes)
                .extracting(Outcome::run)
                .containsExactlyInAnyOrder(spell(0, 100), spell(5, 115, 10), spell(20, 30));
        assertThat(Summary.of("", 1, 0, outcomes))
                .extracting(Summary::gaveWay, Summary::stoodStill, Summary::stillHours)
                .containsExactly(0, 1, 10 / 3600.0);
    }

    /// From 10 on the urgent one runs, 30 s a turn: until 40, and from 70 to 80.
    @Test
    void of_two_qos_the_jobs_take_turns_and_both_end() {
        List<Outcome> outcomes =
                run(
                        List.of(job("normal", 1, 0, 60, 0, 16), job("high", 2, 10, 40, 0, 16)),
                        nodes(1, 0),
                        qos(PreemptMode.SUSPEND, true, "high", "normal"));

        assertThat(outcomes)
                .extracting(Outcome::run)
                .containsExactly(spell(0, 100, 40), spell(10, 80, 30));
    }

    @Test
    void a_qos_takes_nobodys_place_but_of_those_that_it_names() {
        List<Outcome> outcomes =
                run(ONE_MUST_GO, nodes(1, 8), qos(PreemptMode.REQUEUE, false, "prod", "test"));

        assertThat(outcomes).allMatch(it -> it.lost().isEmpty());
        assertThat(outcomes.get(2).run()).isEqualTo(spell(100, 110));
    }

    /// A gave way at 20 and waits for its 4 GPUs, of which 4 are free from 30 on.
    @Test
    void runs_that_were_lost_count_as_held_and_their_jobs_as_waiting_after_them() {
        TraceJob lost = job("dev", 1, 0, 100, 4);
        var outcomes =
                List.of(
                        new Outcome(lost, spell(50, 150), -1, false, List.of(spell(0, 20))),
                        new Outcome(job("prod", 2, 20, 10, 8), 20_000, -1, false));

        assertThat(Timeline.fragmented(outcomes, 8)).isEqualTo(8 * 20);
        assertThat(Timeline.want(outcomes.subList(0, 1))).isEqualTo(new Timeline.Want(30, 0));
        assertThat(AccountUse.of(outcomes, nodes(1, 8)))
                .extracting(AccountUse::used)
                .containsExactly(100 * 480 / 560.0, 100 * 80 / 560.0);
    }

    @Test
    void a_job_of_one_of_two_gpu_types_runs_on_neither_third() {
        var both =
                List.of(
                        new TraceNode("a", "T4", 8, 16_000, 1 << 20, ""),
                        new TraceNode("b", "V100-16G", 8, 16_000, 1 << 20, ""));
        TraceJob any = job("prod", 1, 0, 10, 8);
        var typed =
                new TraceJob(
                        "j2",
                        "u",
                        "dev",
                        0,
                        10_000,
                        -1,
                        8,
                        1000,
                        List.of("V100-16G", "A100"),
                        1000,
                        0,
                        0);
        var other =
                new TraceJob(
                        "j3",
                        "u",
                        "dev",
                        1000,
                        10_000,
                        -1,
                        8,
                        1000,
                        List.of("V100-16G", "A100"),
                        1000,
                        0,
                        0);

        List<Outcome> outcomes =
                run(
                        List.of(typed, any, other),
                        both,
                        tiers(PreemptMode.REQUEUE, 0, Map.of("x", 2)));

        assertThat(outcomes).extracting(Outcome::start).containsExactly(0L, 0L, 10_000L);
    }

    @Test
    void every_job_runs_to_its_end_the_highest_never_gives_way_and_nothing_is_held_twice() {
        int gaveWay = 0;
        for (int seed = 0; seed < 30; seed++) {
            var random = new Random(seed);
            var jobs = new ArrayList<TraceJob>();
            for (int i = 0; i < 50; i++) {
                String group = List.of("dev", "main", "prod").get(random.nextInt(3));
                long submit = random.nextInt(600);
                jobs.add(job(group, i, submit, 1 + random.nextInt(90), 1 + random.nextInt(12)));
            }
            Backfill backfill = Backfill.values()[seed % Backfill.values().length];
            long grace = 5L * random.nextInt(3);

            List<Outcome> outcomes =
                    run(jobs, nodes(3, 4), backfill, tiers(PreemptMode.REQUEUE, grace, PROD_FIRST));

            assertThat(outcomes).as("seed %d", seed).allMatch(Outcome::ran);
            assertThat(outcomes)
                    .as("seed %d", seed)
                    .filteredOn(it -> it.job().group().equals("prod"))
                    .allMatch(it -> it.lost().isEmpty());
            assertNeverMoreThan(outcomes, 12, seed);
            gaveWay += outcomes.stream().mapToInt(it -> it.lost().size()).sum();
        }
        assertThat(gaveWay).isPositive();
    }

    private static void assertNeverMoreThan(List<Outcome> outcomes, int gpus, int seed) {
        for (Outcome one : outcomes) {
            for (Spell begun : one.spells()) {
                long held =
                        outcomes.stream()
                                .filter(it -> at(it, begun.start()))
                                .mapToLong(it -> it.job().gpus())
                                .sum();
                assertThat(held).as("GPUs in use, seed %d", seed).isLessThanOrEqualTo(gpus);
            }
        }
    }

    private static boolean at(Outcome outcome, long time) {
        return outcome.spells().stream().anyMatch(it -> it.start() <= time && it.end() > time);
    }
}
