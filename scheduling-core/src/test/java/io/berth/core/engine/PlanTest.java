package io.berth.core.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.core.engine.FitClass.Terms;
import io.berth.core.engine.Scheduling.Backfill;
import io.berth.core.engine.Scheduling.Settings;
import io.berth.core.engine.Waiting.Entry;
import io.berth.core.engine.Waiting.Rank;
import io.berth.core.packing.Policies;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/// Who has an expected start, and who loses it. Nodes have one GPU each; jobs last a minute.
final class PlanTest {

    private static final long MINUTE = 60_000;
    private static final long LENGTH = MINUTE + Scheduling.SLACK_MILLIS;

    /// Who runs on this ground gives way to those whose class may have its place.
    private static final Stake STAKE = new Stake(0, 0, 0, 0, 1, 1000, false);

    private final TreeSet<Long> started = new TreeSet<>();
    private final TreeSet<Long> cleared = new TreeSet<>();
    private final Set<Long> heldBack = new HashSet<>();

    /// Of those held back, when limits will let them start.
    private final Map<Long, Long> allowed = new HashMap<>();

    /// Of a job, who has its limit as long as he has an expected start.
    private final Map<Long, Long> taken = new HashMap<>();

    private final Set<Long> expected = new HashSet<>();

    /// Who would keep somebody from his expected start by what limits count.
    private final Set<Long> inTheWay = new HashSet<>();

    private final Decisions decisions =
            new Decisions() {
                @Override
                public boolean admits(Waiting job) {
                    return !heldBack.contains(job.job());
                }

                @Override
                public boolean leaves(Waiting job, long until) {
                    return !inTheWay.contains(job.job());
                }

                @Override
                public long allowedFrom(Waiting job, @Nullable LongPredicate without, long now) {
                    Long other = taken.get(job.job());
                    if (other != null
                            && expected.contains(other)
                            && (without == null || !without.test(other))) {
                        return Node.NEVER;
                    }
                    return admits(job) ? now : allowed.getOrDefault(job.job(), Node.NEVER);
                }

                @Override
                public void started(Waiting job, int[] nodes, int lane) {
                    started.add(job.job());
                }

                @Override
                public void planned(Waiting job, long start, int[] nodes, long place) {
                    expected.add(job.job());
                }

                @Override
                public void unplanned(Waiting job) {
                    expected.remove(job.job());
                }

                @Override
                public void cleared(Waiting job, Clearing clearing, long until) {
                    cleared.add(job.job());
                }
            };

    private static Scheduling engine(Backfill backfill, int depth, int nodes) {
        int[] gpus = new int[nodes];
        Arrays.fill(gpus, 1);
        return new Trial(new Settings(backfill, depth, Policies.TIGHTEST), gpus).engine;
    }

    private static void run(Scheduling engine, long job, int node, @Nullable Stake stake) {
        engine.run(
                job, new int[] {node}, new Demand[] {new Demand(1, 1, 1, 0)}, 10 * MINUTE, stake);
    }

    private static void waits(
            Scheduling engine, long job, int partition, int nodes, long points, boolean preempts) {
        FitClass fit = fit(engine, partition, nodes, preempts);
        engine.wait(job, fit, engine.association(0), rank(job, points), MINUTE);
    }

    private static Rank rank(long job, long points) {
        return new Rank(points, 0, 0, job, 0);
    }

    private static FitClass fit(Scheduling engine, int partition, int nodes, boolean preempts) {
        List<@Nullable Demand> demand = List.of(new Demand(1, 1, 1, 0));
        var grounds = new BitSet();
        grounds.set(0);
        Preemptor preemptor = preempts ? new Preemptor(grounds, false) : null;
        return engine.fitClass(
                new Terms(0, partition, nodes, 0, demand, demand, null, 0, preemptor));
    }

    /// Of a partition that has those nodes, of which a job wants so many.
    private static FitClass fit(
            Scheduling engine, int tier, int partition, int parts, int... nodes) {
        List<@Nullable Demand> demand = List.of(new Demand(1, 1, 1, 0));
        var only = new BitSet();
        Arrays.stream(nodes).forEach(only::set);
        return engine.fitClass(new Terms(tier, partition, parts, 0, demand, demand, only, 0));
    }

    private static long start(Scheduling engine, long job) {
        return Objects.requireNonNull(engine.expected(job), () -> "job " + job).start();
    }

    /// Jobs 1 and 2 of one partition, 3 and 4 of another one, on a node that is held.
    private static Scheduling twoPartitions(Backfill backfill, int depth) {
        Scheduling engine = engine(backfill, depth, 1);
        run(engine, 9, 0, null);
        waits(engine, 1, 0, 1, 10, false);
        waits(engine, 2, 0, 1, 5, false);
        waits(engine, 3, 1, 1, 20, false);
        waits(engine, 4, 1, 1, 1, false);
        return engine;
    }

    @Test
    void nobody_gives_way_for_one_who_would_keep_another_from_his_start_by_limits() {
        Scheduling engine = engine(Backfill.CONSERVATIVE, 1, 1);
        run(engine, 9, 0, new Stake(0, 0, 0, MINUTE, 1, 1000, false)); // Exempt for a minute.
        waits(engine, 1, 0, 1, 10, false);
        waits(engine, 2, 1, 1, 5, true);
        engine.startPass(0, decisions);
        inTheWay.add(2L);

        engine.startPass(2 * MINUTE, decisions);

        assertThat(engine.planned()).containsExactly(1L);
        assertThat(cleared).isEmpty();
        assertThat(started).isEmpty();
    }

    @Test
    void with_easy_the_first_of_each_partition_is_expected() {
        Scheduling engine = twoPartitions(Backfill.EASY, 500);

        engine.planPass(0, decisions);

        assertThat(engine.planned()).containsExactlyInAnyOrder(1L, 3L);
        assertThat(start(engine, 3)).isEqualTo(10 * MINUTE);
        assertThat(start(engine, 1)).isEqualTo(10 * MINUTE + LENGTH);
    }

    @Test
    void with_easy_the_first_of_a_partition_has_the_expected_start_of_who_was_first_before() {
        Scheduling engine = twoPartitions(Backfill.EASY, 500);
        engine.planPass(0, decisions);
        waits(engine, 5, 0, 1, 30, false);

        engine.planPass(0, decisions);

        assertThat(engine.planned()).containsExactlyInAnyOrder(5L, 3L);
        assertThat(start(engine, 5)).isEqualTo(10 * MINUTE);
    }

    @Test
    void with_easy_a_job_that_waits_for_a_limit_puts_no_expected_start_out_of_order() {
        Scheduling engine = engine(Backfill.EASY, 500, 1);
        run(engine, 9, 0, null);
        waits(engine, 1, 0, 1, 20, false);
        waits(engine, 2, 1, 1, 10, false);
        heldBack.add(1L);
        allowed.put(1L, 5 * MINUTE);

        engine.planPass(0, decisions);

        assertThat(engine.planned()).containsExactly(2L);
        assertThat(engine.stale()).isFalse();
    }

    @Test
    void who_starts_beside_the_plan_of_one_before_him_is_told_to_be_backfilled() {
        Scheduling engine = engine(Backfill.CONSERVATIVE, 500, 2);
        run(engine, 9, 0, null);
        waits(engine, 1, 0, 2, 10, false);
        waits(engine, 2, 0, 1, 5, false);
        waits(engine, 3, 1, 2, 1, false);

        engine.planPass(0, decisions);

        assertThat(started).containsExactly(2L);
        PassTally tally = engine.tally();
        assertThat(tally.backfilled()).isEqualTo(1);
        assertThat(tally.planned()).isEqualTo(2);
        assertThat(tally.tried()).isGreaterThanOrEqualTo(3);

        engine.forget(9);
        engine.forget(2);
        engine.startPass(1000, decisions);

        assertThat(started).containsExactly(1L, 2L);
        assertThat(engine.tally().backfilled()).as("in its turn").isZero();
        assertThat(engine.tally().planned()).isEqualTo(1);
    }

    @Test
    void who_starts_in_a_partition_in_which_nobody_stands_before_him_is_not_backfilled() {
        Scheduling engine = engine(Backfill.CONSERVATIVE, 500, 2);
        run(engine, 9, 0, null);
        waits(engine, 1, 0, 2, 10, false);
        waits(engine, 2, 1, 1, 5, false);

        engine.startPass(0, decisions);

        assertThat(started).containsExactly(2L);
        assertThat(engine.tally().backfilled()).isZero();
    }

    @Test
    void as_many_are_expected_as_the_plan_is_deep_the_first_by_priority() {
        Scheduling engine = twoPartitions(Backfill.CONSERVATIVE, 3);

        engine.planPass(0, decisions);

        assertThat(engine.planned()).containsExactlyInAnyOrder(3L, 1L, 2L);
        assertThat(start(engine, 2)).isEqualTo(10 * MINUTE + 2 * LENGTH);
    }

    @Test
    void whom_limits_hold_back_has_no_expected_start_any_more_and_others_move_up() {
        Scheduling engine = twoPartitions(Backfill.CONSERVATIVE, 500);
        engine.planPass(0, decisions);
        heldBack.add(3L);

        engine.planPass(0, decisions);

        assertThat(engine.planned()).doesNotContain(3L);
        assertThat(start(engine, 1)).isEqualTo(10 * MINUTE);
    }

    /// Job 7 stands first and waits for a limit; 1 may be on either node, for half an hour, 2 and 7
    /// on the second alone.
    private Scheduling behindOneHeldBack() {
        Scheduling engine = engine(Backfill.CONSERVATIVE, 500, 2);
        Demand[] all = {new Demand(1, 1, 1, 0)};
        engine.run(8, new int[] {0}, all, 10 * MINUTE, null);
        engine.run(9, new int[] {1}, all, 20 * MINUTE, null);
        FitClass second = fit(engine, 0, 0, 1, 1);
        engine.wait(7, second, engine.association(0), rank(7, 30), MINUTE);
        heldBack.add(7L);
        engine.wait(1, fit(engine, 0, 1, false), engine.association(0), rank(1, 20), 30 * MINUTE);
        engine.wait(2, second, engine.association(0), rank(2, 10), MINUTE);
        engine.planPass(0, decisions);
        assertThat(engine.planned()).containsExactlyInAnyOrder(1L, 2L);
        assertThat(start(engine, 1)).isEqualTo(10 * MINUTE);
        assertThat(start(engine, 2)).isEqualTo(20 * MINUTE);
        return engine;
    }

    @Test
    void who_has_no_expected_start_and_gets_none_has_nobody_behind_him_put_off() {
        Scheduling engine = behindOneHeldBack();
        engine.forget(9);

        engine.planPass(5 * MINUTE, decisions);

        assertThat(started).containsExactly(2L);
        assertThat(start(engine, 1)).isEqualTo(10 * MINUTE);
    }

    @Test
    void who_gets_an_expected_start_gets_it_before_those_behind_him() {
        Scheduling engine = behindOneHeldBack();
        heldBack.clear();

        engine.planPass(MINUTE, decisions);

        assertThat(start(engine, 7)).isEqualTo(20 * MINUTE);
        assertThat(start(engine, 1)).isEqualTo(10 * MINUTE);
        assertThat(start(engine, 2)).isEqualTo(20 * MINUTE + LENGTH);
    }

    @Test
    void a_set_whose_limit_one_behind_it_has_by_plan_makes_the_plan_stale() {
        Scheduling engine = engine(Backfill.CONSERVATIVE, 500, 2);
        run(engine, 8, 0, null);
        run(engine, 9, 1, null);
        FitClass fit = fit(engine, 0, 1, false);
        for (long job : new long[] {1, 2}) {
            engine.waitTogether(
                    job, fit, engine.association(0), rank(job, 20), MINUTE, 1, 2, Node.NEVER);
            heldBack.add(job);
        }
        waits(engine, 3, 0, 1, 10, false);
        engine.startPass(0, decisions);
        assertThat(engine.planned()).containsExactly(3L);
        assertThat(engine.stale()).isFalse();
        heldBack.clear();
        taken.put(1L, 3L);

        engine.startPass(1000, decisions);

        assertThat(engine.stale()).isTrue();
        engine.planPass(1000, decisions);
        assertThat(engine.stale()).isFalse();
        assertThat(start(engine, 1)).isEqualTo(10 * MINUTE);
        assertThat(start(engine, 2)).isEqualTo(10 * MINUTE);
        assertThat(start(engine, 3)).isEqualTo(10 * MINUTE + LENGTH);
    }

    @Test
    void who_has_the_place_of_a_run_has_it_before_those_that_were_expected_there() {
        Scheduling engine = engine(Backfill.CONSERVATIVE, 500, 1);
        run(engine, 9, 0, STAKE);
        waits(engine, 1, 0, 1, 0, false);
        engine.startPass(0, decisions);
        assertThat(start(engine, 1)).isEqualTo(10 * MINUTE);
        waits(engine, 2, 0, 1, 10, true);

        engine.startPass(0, decisions);

        assertThat(cleared).containsExactly(2L);
        assertThat(engine.clears(2)).isTrue();
        assertThat(engine.stale()).as("the plan is to be made anew").isTrue();
        assertThat(engine.expected(1)).isNull();
        engine.forget(9);
        engine.startPass(1000, decisions);
        assertThat(started).containsExactly(2L);
        assertThat(start(engine, 1)).isEqualTo(1000 + LENGTH);
    }

    @Test
    void who_may_have_the_place_of_others_starts_where_only_plans_of_those_behind_stand() {
        Scheduling engine = engine(Backfill.CONSERVATIVE, 500, 2);
        run(engine, 9, 1, STAKE);
        waits(engine, 1, 0, 2, 0, false);
        engine.startPass(10 * MINUTE - 1000, decisions);
        assertThat(start(engine, 1)).isEqualTo(10 * MINUTE);
        waits(engine, 2, 0, 1, 10, true);

        engine.startPass(10 * MINUTE - 1000, decisions);

        assertThat(started).containsExactly(2L);
        assertThat(cleared).isEmpty();
        assertThat(start(engine, 1)).isGreaterThanOrEqualTo(10 * MINUTE - 1000 + LENGTH);
    }

    @Test
    void who_may_have_the_place_of_nobody_ahead_waits_for_those_that_are_expected_there() {
        Scheduling engine = engine(Backfill.CONSERVATIVE, 500, 2);
        run(engine, 9, 1, null);
        waits(engine, 1, 0, 2, 20, false);
        engine.startPass(10 * MINUTE - 1000, decisions);
        waits(engine, 2, 0, 1, 10, true);

        engine.startPass(10 * MINUTE - 1000, decisions);

        assertThat(started).isEmpty();
        assertThat(start(engine, 1)).isEqualTo(10 * MINUTE);
    }

    @Test
    void who_is_expected_sooner_in_another_partition_leaves_his_nodes_to_those_behind_him() {
        long now = 10 * MINUTE - 1000;
        Scheduling engine = engine(Backfill.CONSERVATIVE, 500, 4);
        run(engine, 8, 0, null);
        Demand[] one = {new Demand(1, 1, 1, 0)};
        engine.run(9, new int[] {2}, one, now + 500, null);
        engine.startPass(now, decisions);
        var entries =
                List.of(
                        new Entry(0, fit(engine, 2, 0, 2, 0, 1), rank(1, 10)),
                        new Entry(1, fit(engine, 1, 1, 2, 2, 3), rank(1, 10)));
        engine.wait(1, entries, engine.association(0), MINUTE, 0);
        FitClass behind = fit(engine, 2, 0, 1, 0, 1);
        engine.wait(2, behind, engine.association(0), rank(2, 5), MINUTE);

        engine.startPass(now, decisions);

        assertThat(start(engine, 1)).isEqualTo(now + 500);
        assertThat(started).containsExactly(2L);
    }

    /// Job 1 wants two nodes of 0 and 1, or of 1 and 2. It is expected on 0 and 1, of which 1 is
    /// free, when that on 0 ends; 2 is held for longer.
    private Scheduling expectedOnNodeOne() {
        Scheduling engine = engine(Backfill.CONSERVATIVE, 500, 3);
        run(engine, 9, 0, null);
        Demand[] one = {new Demand(1, 1, 1, 0)};
        engine.run(8, new int[] {2}, one, 20 * MINUTE, null);
        var entries =
                List.of(
                        new Entry(0, fit(engine, 2, 0, 2, 0, 1), rank(1, 10)),
                        new Entry(1, fit(engine, 1, 1, 2, 1, 2), rank(1, 10)));
        engine.wait(1, entries, engine.association(0), 2 * MINUTE, 0);
        FitClass behind = fit(engine, 1, 1, 1, 1, 2);
        engine.wait(2, behind, engine.association(0), rank(2, 5), 2 * MINUTE);
        engine.startPass(9 * MINUTE, decisions);
        assertThat(start(engine, 1)).isEqualTo(10 * MINUTE);
        assertThat(start(engine, 2)).isEqualTo(10 * MINUTE + 2 * MINUTE + Buckets.SLACK_MILLIS);
        return engine;
    }

    @Test
    void what_is_kept_for_a_job_in_one_partition_is_not_in_its_way_in_another() {
        Scheduling engine = expectedOnNodeOne();
        engine.forget(8);

        engine.startPass(9 * MINUTE + 1000, decisions);

        assertThat(started).containsExactly(1L);
        assertThat(engine.nodesOf(1)).containsExactly(1, 2);
        assertThat(start(engine, 2))
                .as("no later than before")
                .isEqualTo(10 * MINUTE + 2 * MINUTE + Buckets.SLACK_MILLIS);
    }

    @Test
    void a_job_that_limits_held_back_then_starts_in_the_other_partition_when_they_let_it() {
        Scheduling engine = expectedOnNodeOne();
        heldBack.add(1L);
        allowed.put(1L, 10 * MINUTE);
        engine.forget(8);
        engine.forget(2);
        engine.startPass(9 * MINUTE + 1000, decisions);
        assertThat(started).isEmpty();
        heldBack.clear();

        engine.startPass(9 * MINUTE + 2000, decisions);

        assertThat(started).containsExactly(1L);
        assertThat(engine.nodesOf(1)).containsExactly(1, 2);
    }

    @Test
    void what_one_kept_whom_limits_hold_back_is_given_to_others_at_once() {
        long now = 10 * MINUTE - 1000;
        Scheduling engine = engine(Backfill.CONSERVATIVE, 500, 2);
        run(engine, 9, 0, null);
        waits(engine, 1, 0, 2, 10, false);
        waits(engine, 2, 0, 1, 5, false);
        engine.startPass(now, decisions);
        assertThat(start(engine, 1)).isEqualTo(10 * MINUTE);
        heldBack.add(1L);

        engine.startPass(now, decisions);

        assertThat(engine.expected(1)).isNull();
        assertThat(started).containsExactly(2L);
    }

    /// Both of its sizes of parts fit on nodes of two kinds, the larger one on two of 602 alone,
    /// which come free last.
    @Test
    void a_gang_is_expected_though_many_nodes_come_free_before_those_that_hold_its_larger_part() {
        Kind few = new Kind(64, 1024, 4);
        Kind many = new Kind(64, 1024, 8);
        int[] kinds = new int[602];
        Arrays.fill(kinds, 600, 602, 1);
        var engine =
                new Scheduling(
                        new Cluster(List.of(few, many), kinds, Network.FLAT), Settings.DEFAULT);
        for (int node = 0; node < kinds.length; node++) {
            var all = new Demand(1, 1, 4 + 4 * kinds[node], 0);
            engine.run(
                    node + 1, new int[] {node}, new Demand[] {all}, 0, (1 + kinds[node]) * MINUTE);
        }
        var large = new Demand(1, 1, 6, 0);
        var small = new Demand(1, 1, 2, 0);
        FitClass fit =
                engine.fitClass(
                        new Terms(
                                0,
                                0,
                                1,
                                2,
                                Arrays.asList(null, large),
                                List.of(small, small),
                                null,
                                0));

        engine.wait(1000, fit, engine.association(0), rank(1000, 1), MINUTE);
        engine.startPass(0, decisions);

        assertThat(expected).containsExactly(1000L);
        assertThat(engine.nodesOf(1000)[0]).isGreaterThanOrEqualTo(600);
    }
}
