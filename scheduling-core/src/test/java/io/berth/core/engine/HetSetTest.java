package io.berth.core.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.core.engine.Scheduling.Backfill;
import io.berth.core.engine.Scheduling.Settings;
import io.berth.core.engine.Trial.Job;
import io.berth.core.engine.Waiting.Association;
import io.berth.core.engine.Waiting.Rank;
import io.berth.core.packing.Policies;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/// Jobs that start together or not at all. Ids from 1000 on want nothing else.
final class HetSetTest {

    private static final int SEEDS = Integer.getInteger("berth.laws.seeds", 40);

    private static Job job(long id, int nodes, int gpus, long limit, long priority) {
        return new Job(id, 0, nodes, gpus, limit, limit, priority);
    }

    @Test
    void a_set_that_fits_starts_at_once_whole_and_on_nodes_of_its_own() {
        var trial = new Trial(Settings.DEFAULT, 8, 8);
        trial.submitTogether(job(1000, 1, 4, 60, 1), job(1001, 1, 8, 60, 1));

        trial.step(false);

        assertThat(trial.starts).containsOnly(Map.entry(1000L, 0L), Map.entry(1001L, 0L));
        assertThat(trial.places.get(1000L)).isNotEqualTo(trial.places.get(1001L));
    }

    @Test
    void a_set_of_which_one_component_finds_no_seat_holds_nothing_and_is_expected_when_all_do() {
        var trial = new Trial(Settings.DEFAULT, 8, 8);
        trial.submit(job(1000, 1, 8, 120, 9));
        trial.submitTogether(job(1005, 1, 8, 60, 1), job(1006, 1, 4, 60, 1));

        trial.step(false);

        assertThat(trial.starts).containsOnlyKeys(1000L);
        assertThat(trial.expected)
                .containsOnly(Map.entry(1005L, 122_000L), Map.entry(1006L, 122_000L));
    }

    @Test
    void who_ends_in_time_starts_before_a_planned_set_and_nobody_else() {
        var trial = new Trial(Settings.DEFAULT, 8, 8);
        trial.submit(job(1000, 1, 8, 120, 9));
        trial.submitTogether(job(1005, 1, 8, 60, 1), job(1006, 1, 8, 60, 1));
        trial.submit(job(1010, 1, 8, 100, 0));
        trial.submit(job(1015, 1, 8, 300, 0));

        trial.step(false);

        assertThat(trial.starts).containsOnlyKeys(1000L, 1010L);
        trial.run();
        assertThat(trial.starts)
                .containsEntry(1005L, 120L)
                .containsEntry(1006L, 120L)
                .containsKey(1015L);
    }

    @Test
    void a_set_stands_where_its_last_component_does() {
        var trial = new Trial(Settings.DEFAULT, 8);
        trial.submit(job(1000, 1, 8, 60, 9));
        trial.submitTogether(job(1005, 1, 4, 60, 8), job(1006, 1, 4, 60, 2));
        trial.submit(job(1010, 1, 8, 60, 5));

        trial.step(true);

        assertThat(trial.expected)
                .containsEntry(1010L, 62_000L)
                .containsEntry(1005L, 124_000L)
                .containsEntry(1006L, 124_000L);
    }

    @Test
    void components_share_licenses_or_wait() {
        var trial = new Trial(Settings.DEFAULT, 8, 8);
        // Trial gives 2 of 3 licenses to ids of which a sixth is odd.
        Job one = job(6, 1, 1, 60, 1);
        Job other = job(18, 1, 1, 60, 1);
        assertThat(Trial.licenses(one) + Trial.licenses(other)).isGreaterThan(Trial.LICENSES);
        trial.submitTogether(one, other);

        trial.run();

        assertThat(trial.starts).isEmpty();
    }

    @Test
    void a_short_set_is_expected_when_its_last_component_has_a_seat_however_long_that_is() {
        var trial = new Trial(new Settings(Backfill.CONSERVATIVE, 9, Policies.FIRST_FIT), 4, 8);
        trial.submit(job(1000, 1, 4, 14_400, 9));
        trial.submitTogether(job(1005, 1, 8, 600, 1), job(1006, 1, 4, 600, 1));
        trial.submit(job(1010, 1, 8, 20_000, 0));

        trial.step(false);

        assertThat(trial.expected)
                .containsEntry(1005L, 14_402_000L)
                .containsEntry(1006L, 14_402_000L);
        assertThat(trial.starts).containsOnlyKeys(1000L);
    }

    @Test
    void without_backfill_a_set_does_not_overtake_the_job_that_keeps_its_nodes() {
        var trial = new Trial(new Settings(Backfill.OFF, 9, Policies.TIGHTEST), 8);
        trial.submit(job(1000, 1, 4, 600, 9));
        trial.submit(job(1005, 1, 8, 600, 8));
        trial.submitTogether(job(1010, 1, 1, 6000, 1), job(1011, 1, 1, 6000, 1));

        trial.run();

        assertThat(trial.starts)
                .containsOnly(
                        Map.entry(1000L, 0L),
                        Map.entry(1005L, 600L),
                        Map.entry(1010L, 1200L),
                        Map.entry(1011L, 1200L));
    }

    @Test
    void limits_are_asked_of_a_set_as_often_as_of_one_job_however_many_components_it_has() {
        assertThat(asked(7)).isEqualTo(asked(2));
    }

    /// How often, of a set that comes, waits and is planned anew.
    private static int asked(int size) {
        var trial = new Trial(Settings.DEFAULT, 8);
        trial.submit(job(1000, 1, 8, 60, 9));
        trial.submit(job(1005, 1, 8, 60, 0));
        trial.step(false);
        Job[] set = new Job[size];
        Arrays.setAll(set, it -> job(1010 + it, 1, 1, 60, 1));
        trial.submitTogether(set);
        trial.step(false);
        trial.pass(true);
        trial.pass(false);
        assertThat(trial.expected).containsEntry(1010L, 62_000L);
        return trial.asked;
    }

    @Test
    void which_component_stands_last_follows_the_fair_shares_and_who_waits() {
        var trial = new Trial(Settings.DEFAULT, 8);
        Scheduling engine = trial.engine;
        Association one = engine.association(0);
        Association other = engine.association(0);
        FitClass fit = trial.fit(job(1000, 1, 1, 60, 0));
        engine.waitTogether(
                1000, fit, one, new Rank(5, 0, 0, 1000, 0), 60_000, 1000, 2, Node.NEVER);
        engine.waitTogether(
                1001, fit, other, new Rank(9, 0, 0, 1001, 0), 60_000, 1000, 2, Node.NEVER);
        HetSet set = engine.sets.all().iterator().next();
        long before = set.last(0).job;
        engine.reshare(() -> Scheduling.share(one, 7));
        long reshared = set.last(0).job;
        engine.forget(1001);

        assertThat(before).isEqualTo(1000);
        assertThat(reshared).isEqualTo(1001);
        assertThat(set.last(0).job).isEqualTo(1000);
    }

    private static Trial troubled(Random random) {
        var settings =
                new Settings(
                        Backfill.values()[random.nextInt(3)],
                        1 + random.nextInt(12),
                        random.nextBoolean() ? Policies.TIGHTEST : Policies.FIRST_FIT);
        int[] gpus = new int[2 + random.nextInt(5)];
        for (int i = 0; i < gpus.length; i++) {
            gpus[i] = new int[] {0, 4, 8, -2}[random.nextInt(4)];
        }
        var trial = new Trial(settings, gpus);
        for (long id = 1; id < 50; id++) {
            var together = new ArrayList<Job>();
            long submit = random.nextInt(1200);
            int size = random.nextInt(3) == 0 ? 2 + random.nextInt(2) : 1;
            for (int component = 0; component < size; component++) {
                long limit = 10L + random.nextInt(600);
                together.add(
                        new Job(
                                id + component,
                                submit,
                                1 + random.nextInt(2),
                                random.nextInt(5),
                                limit,
                                1 + random.nextLong(limit + 20),
                                random.nextInt(4)));
            }
            id += size - 1;
            if (size > 1) {
                trial.submitTogether(together.toArray(Job[]::new));
            } else {
                trial.submit(together.getFirst());
            }
        }
        return trial;
    }

    private interface Law {
        void check(Trial trial, Random random);
    }

    private static void always(Law law) {
        for (int seed = 0; seed < SEEDS; seed++) {
            var random = new Random(seed);
            try {
                law.check(troubled(random), random);
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
            }
        }
    }

    @Test
    void a_set_starts_whole_and_is_planned_whole_and_nothing_is_held_twice() {
        int[] sets = {0};
        always((trial, random) -> {
            while (trial.step(random.nextInt(4) == 0)) {
                for (List<Long> set : trial.sets()) {
                    assertThat(set.stream().map(trial.starts::get).distinct()).hasSize(1);
                    assertThat(set.stream().map(trial.expected::get).distinct()).hasSize(1);
                }
                for (int i = 0; i < trial.engine.cluster.size(); i++) {
                    for (long free : trial.engine.cluster.node(i).free) {
                        assertThat(free).isNotNegative();
                    }
                }
                assertThat(trial.licensesHeld()).isLessThanOrEqualTo(Trial.LICENSES);
            }
            sets[0] +=
                    (int)
                            trial.sets().stream()
                                    .filter(set -> trial.starts.containsKey(set.getFirst()))
                                    .count();
        });
        assertThat(sets[0]).isGreaterThan(SEEDS);
    }

    @Test
    void an_engine_that_has_just_been_built_decides_the_same() {
        always((trial, random) -> {
            while (trial.step(random.nextInt(4) == 0)) {
                trial.decidesAsOneJustBuilt(random.nextBoolean());
            }
        });
    }

    @Test
    void a_set_that_fits_on_the_empty_cluster_is_never_passed_for_ever() {
        always((trial, random) -> {
            trial.run();
            for (List<Long> set : trial.sets()) {
                if (trial.fitsAlone(set)) {
                    assertThat(trial.starts).containsKeys(set.toArray(Long[]::new));
                }
            }
        });
    }

    @Test
    void an_expected_start_of_a_set_never_moves_to_a_later_time_by_an_early_end() {
        always((_, random) -> {
            var settings = new Settings(Backfill.CONSERVATIVE, 60, Policies.TIGHTEST);
            var trial = new Trial(settings, 8, 4, 8, 4);
            for (long id = 1000; id < 1040; id += 2) {
                long limit = 10L + random.nextInt(600);
                long runs = 1 + random.nextLong(limit);
                int gpus = random.nextInt(9);
                int priority = random.nextInt(4);
                var one = new Job(id, 0, 1, gpus, limit, runs, priority);
                var other = new Job(id + 1, 0, 2, gpus / 2, limit, runs, priority);
                if (random.nextBoolean()) {
                    trial.submitTogether(one, other);
                } else {
                    trial.submit(one);
                    trial.submit(other);
                }
            }
            trial.step(true);
            trial.keepsPromises(random);
        });
    }
}
