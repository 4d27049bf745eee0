package io.berth.core.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.core.engine.Scheduling.Backfill;
import io.berth.core.engine.Scheduling.Settings;
import io.berth.core.engine.Trial.Job;
import io.berth.core.packing.Policies;
import org.junit.jupiter.api.Test;

/// Eight jobs on one node of 8 GPUs, as a real Slurm 22.05.8 ran them: who started before BIG, who
/// waited for it, and when each was expected. Slurm looked every 5 seconds, and so started some
/// jobs later than it could have.
final class BackfillGoldenTest {

    private static final long R0 = 1026;
    private static final long BIG = 1027;
    private static final long C_LONG = 1028;
    private static final long D_TOO_LONG = 1029;
    private static final long A_SHORT = 1030;
    private static final long B_SHORT = 1031;
    private static final long E_SHORT_4 = 1032;
    private static final long F_SHORT_1 = 1033;

    private static Trial slurms(Backfill backfill) {
        var trial = new Trial(new Settings(backfill, 500, Policies.TIGHTEST), 8);
        trial.submit(new Job(R0, 0, 1, 4, 120, 110, 0));
        trial.submit(new Job(BIG, 6, 1, 8, 300, 20, 0));
        trial.submit(new Job(C_LONG, 7, 1, 2, 600, 10, 0));
        trial.submit(new Job(D_TOO_LONG, 8, 1, 1, 120, 10, 0));
        trial.submit(new Job(A_SHORT, 9, 1, 1, 60, 20, 0));
        trial.submit(new Job(B_SHORT, 10, 1, 2, 60, 40, 0));
        trial.submit(new Job(E_SHORT_4, 11, 1, 4, 60, 10, 0));
        trial.submit(new Job(F_SHORT_1, 12, 1, 1, 60, 5, 0));
        return trial;
    }

    @Test
    void the_same_jobs_pass_the_big_one_as_in_slurm() {
        var trial = slurms(Backfill.CONSERVATIVE);

        trial.run();

        assertThat(trial.starts)
                .containsEntry(R0, 0L)
                .containsEntry(A_SHORT, 9L)
                .containsEntry(B_SHORT, 10L)
                .containsEntry(F_SHORT_1, 12L)
                .containsEntry(E_SHORT_4, 50L)
                .containsEntry(BIG, 110L)
                .containsEntry(C_LONG, 130L)
                .containsEntry(D_TOO_LONG, 130L);
    }

    @Test
    void easy_backfill_lets_the_same_jobs_pass() {
        var trial = slurms(Backfill.EASY);

        trial.run();

        assertThat(trial.startedBefore(110))
                .containsExactlyInAnyOrder(R0, A_SHORT, B_SHORT, E_SHORT_4, F_SHORT_1);
    }

    @Test
    void with_easy_the_next_in_order_is_expected_as_soon_as_the_first_has_started() {
        var trial = new Trial(new Settings(Backfill.EASY, 500, Policies.TIGHTEST), 8);
        trial.submit(new Job(1, 0, 1, 4, 120, 100, 0));
        trial.submit(new Job(2, 1, 1, 8, 300, 300, 0));
        trial.submit(new Job(3, 2, 1, 6, 600, 600, 0));
        trial.submit(new Job(4, 3, 1, 5, 10, 10, 0));

        while (trial.now < 100) {
            trial.step(false);
        }

        assertThat(trial.starts).containsOnlyKeys(1L, 2L);
        assertThat(trial.expected).containsOnlyKeys(3L);
    }

    @Test
    void without_backfill_nobody_passes() {
        var trial = slurms(Backfill.OFF);

        trial.run();

        assertThat(trial.startedBefore(110)).containsExactly(R0);
        assertThat(trial.starts.get(BIG)).isEqualTo(110);
    }

    @Test
    void the_expected_starts_follow_from_the_limits_as_in_slurm() {
        var trial = slurms(Backfill.CONSERVATIVE);
        while (trial.now < 12) {
            trial.step(false);
        }

        long slack = Buckets.SLACK_MILLIS;
        assertThat(trial.expected)
                .containsEntry(BIG, 120_000 + slack)
                .containsEntry(C_LONG, 420_000 + 2 * slack)
                .containsEntry(D_TOO_LONG, 420_000 + 2 * slack);
    }
}
