package io.berth.core.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.core.engine.FitClass.Terms;
import io.berth.core.engine.Scheduling.Settings;
import io.berth.core.engine.Waiting.Entry;
import io.berth.core.engine.Waiting.Rank;
import io.berth.core.packing.Policies;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Whom what comes free helps in a later pass.
final class FreedTest {

    private static final long NOW = 1_000_000;
    private static final long HOUR = 3_600_000;

    private Scheduling engine = planning(0);
    private final List<Long> started = new ArrayList<>();
    private int asked;
    private final Decisions decisions =
            new Decisions() {
                @Override
                public boolean admits(Waiting job) {
                    asked++;
                    return true;
                }

                @Override
                public void started(Waiting job, int[] nodes, int lane) {
                    started.add(job.job());
                }

                @Override
                public void planned(Waiting job, long start, int[] nodes, long place) {}

                @Override
                public void unplanned(Waiting job) {}
            };

    /// One node of two GPUs and two shared ones.
    ///
    /// @param depth how many jobs have an expected start
    private static Scheduling planning(int depth) {
        var kind = new Kind(64, 1024, new int[] {2}, new int[] {1000, 1000});
        return new Scheduling(
                new Cluster(List.of(kind), new int[1], Network.FLAT),
                new Settings(Scheduling.Backfill.CONSERVATIVE, depth, Policies.TIGHTEST));
    }

    private FitClass gpus(int count) {
        List<@Nullable Demand> on = List.of(new Demand(1, 1, count, 0));
        return engine.fitClass(new Terms(0, 0, 1, 0, on, on, null, 0));
    }

    private static Demand units(int units, int lane) {
        return new Demand(1, 1, units, lane);
    }

    private void run(long job, Demand... held) {
        engine.run(job, new int[held.length], held, NOW, HOUR);
    }

    /// A job waits that takes 600 units of the first shared GPU, or 300 of the second.
    private void submitPart() {
        List<Demand> ways = List.of(units(600, 1), units(300, 2));
        List<@Nullable Demand> first = List.of(ways.getFirst());
        var terms = new Terms(0, 0, 1, 0, first, first, null, 0).sharing(List.of(ways));
        wait(100, engine.fitClass(terms));
    }

    private void wait(long job, FitClass fit) {
        wait(job, fit, HOUR);
    }

    private void wait(long job, FitClass fit, long limit) {
        engine.wait(job, fit, engine.association(0), new Rank(0, 0, 0, job, NOW), limit);
    }

    @ParameterizedTest
    @CsvSource({"500, 299, false", "500, 300, true", "600, 0, true", "599, 299, false"})
    void a_part_of_a_gpu_starts_on_any_that_has_enough_units_for_it(
            int first, int second, boolean starts) {
        run(1, units(1000 - first, 1), units(1000 - second, 2));
        run(2, units(Math.max(1, first), 1), units(Math.max(1, second), 2));
        submitPart();
        engine.startPass(NOW, decisions);
        assertThat(started).isEmpty();

        engine.forget(2);
        engine.startPass(NOW, decisions);

        assertThat(started).isEqualTo(starts ? List.of(100L) : List.of());
    }

    @Test
    void whole_gpus_that_come_free_start_who_needs_no_more() {
        run(1, new Demand(1, 1, 1, 0));
        run(2, new Demand(1, 1, 1, 0));
        for (int gpus = 1; gpus <= 2; gpus++) {
            wait(10 + gpus, gpus(gpus));
        }
        engine.startPass(NOW, decisions);
        assertThat(started).isEmpty();

        engine.forget(1);
        engine.startPass(NOW, decisions);
        assertThat(started).containsExactly(11L);

        engine.forget(2);
        engine.forget(11);
        engine.startPass(NOW, decisions);
        assertThat(started).containsExactly(11L, 12L);
    }

    @Test
    void a_shorter_job_has_what_came_free_for_too_short_a_time_for_those_before_it() {
        engine = planning(1);
        run(1, new Demand(1, 1, 1, 0));
        run(2, new Demand(1, 1, 1, 0));
        wait(11, gpus(2));
        FitClass one = gpus(1);
        wait(12, one, 2 * HOUR);
        engine.startPass(NOW, decisions);
        engine.forget(2);
        engine.startPass(NOW, decisions);
        assertThat(engine.planned()).containsExactly(11L);
        assertThat(started).isEmpty();

        wait(13, one, HOUR / 2);
        engine.startPass(NOW, decisions);

        assertThat(started).containsExactly(13L);
    }

    @Test
    void of_planned_jobs_that_are_alike_one_after_the_other_is_tried_until_one_finds_nothing() {
        engine = planning(500);
        run(1, new Demand(1, 1, 1, 0));
        run(2, new Demand(1, 1, 1, 0));
        FitClass one = gpus(1);
        for (int job = 11; job <= 60; job++) {
            wait(job, one, job % 2 == 0 ? HOUR : 2 * HOUR);
        }
        engine.startPass(NOW, decisions);
        assertThat(engine.planned()).hasSize(50);

        engine.forget(1);
        asked = 0;
        engine.startPass(NOW, decisions);

        assertThat(started).hasSize(1);
        assertThat(asked).as("beside once for each that is planned still").isLessThan(49 + 10);
    }

    @Test
    void who_is_in_line_for_what_somebody_else_has_taken_is_not_tried() {
        run(1, new Demand(1, 1, 1, 0));
        run(2, new Demand(1, 1, 1, 0));
        for (int job = 11; job <= 60; job++) {
            wait(job, gpus(1));
        }
        engine.startPass(NOW, decisions);

        engine.forget(1);
        asked = 0;
        engine.startPass(NOW, decisions);

        assertThat(started).containsExactly(11L);
        assertThat(asked).isLessThan(5);
        engine.forget(2);
        engine.forget(11);
        engine.startPass(NOW, decisions);
        assertThat(started).containsExactly(11L, 12L, 13L);
    }

    @Test
    void nor_is_who_is_planned_while_another_one_may_be_planned_in_place_of_who_started() {
        engine = planning(50);
        run(1, new Demand(1, 1, 1, 0));
        run(2, new Demand(1, 1, 1, 0));
        for (int job = 11; job <= 61; job++) {
            wait(job, gpus(1));
        }
        engine.startPass(NOW, decisions);
        assertThat(engine.planned()).hasSize(50).doesNotContain(61L);

        engine.forget(1);
        engine.startPass(NOW, decisions);

        assertThat(started).containsExactly(11L);
        assertThat(engine.planned()).contains(61L);
        assertThat(engine.tally().tried()).isLessThan(5);
    }

    @Test
    void limits_are_asked_again_only_about_who_is_planned_and_may_meet_one() {
        engine = planning(500);
        run(1, new Demand(1, 1, 2, 0));
        wait(11, gpus(1));
        var rank = new Rank(0, 0, 0, 12, NOW);
        engine.wait(12, List.of(new Entry(0, gpus(1), rank, true)), engine.association(0), HOUR, 0);
        engine.startPass(NOW, decisions);
        assertThat(engine.planned()).containsExactly(11L, 12L);

        asked = 0;
        engine.startPass(NOW, decisions);

        assertThat(asked).isEqualTo(1);
    }
}
