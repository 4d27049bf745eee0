package io.berth.core.fairshare;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.contracts.event.PriorityRules.UsageReset;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DecayTest {

    private static final HalfLife FOR_EVER = new HalfLife(0);

    private static long at(String time) {
        return Instant.parse(time + "Z").toEpochMilli();
    }

    /// The 21st of November 2026 is a Saturday.
    @ParameterizedTest
    @CsvSource({
        "NONE,      1970-01-01T00:00:00, 100",
        "DAILY,     2026-11-21T00:00:00, 100",
        "DAILY,     2026-11-20T23:59:59, 0",
        "WEEKLY,    2026-11-15T00:00:00, 100",
        "WEEKLY,    2026-11-14T23:59:59, 0",
        "MONTHLY,   2026-11-01T00:00:00, 100",
        "MONTHLY,   2026-10-31T23:59:59, 0",
        "QUARTERLY, 2026-10-01T00:00:00, 100",
        "QUARTERLY, 2026-09-30T23:59:59, 0",
        "YEARLY,    2026-01-01T00:00:00, 100",
        "YEARLY,    2025-12-31T23:59:59, 0",
    })
    void usage_of_a_period_that_is_over_is_forgotten(UsageReset reset, String from, long left) {
        var decay = Decay.of(FOR_EVER, reset);

        assertThat(decay.left(100, at(from), at("2026-11-21T12:00:00"))).isEqualTo(left);
    }

    @Test
    void of_a_run_across_a_reset_the_part_after_it_counts() {
        var decay = Decay.of(FOR_EVER, UsageReset.DAILY);

        assertThat(decay.accrued(900, at("2026-11-20T22:00:00"), at("2026-11-21T01:00:00")))
                .isEqualTo(300);
        assertThat(decay.accrued(900, at("2026-11-21T01:00:00"), at("2026-11-21T04:00:00")))
                .isEqualTo(900);
    }

    @Test
    void within_a_period_usage_decays_by_half_life() {
        var decay = Decay.of(HalfLife.ofSeconds(3600), UsageReset.DAILY);
        var alone = Decay.of(HalfLife.ofSeconds(3600));
        long from = at("2026-11-21T01:00:00");
        long to = at("2026-11-21T03:00:00");

        assertThat(decay.left(100, from, to)).isEqualTo(25);
        assertThat(decay.accrued(100, from, to)).isEqualTo(alone.accrued(100, from, to));
    }

    @Test
    void usage_of_a_later_time_is_left_whole() {
        assertThat(Decay.of(HalfLife.ofSeconds(60)).left(100, 2_000_000, 1_000_000)).isEqualTo(100);
    }

    @Test
    void what_was_used_before_a_reset_counts_nothing() {
        Decay decay = Decay.of(FOR_EVER).since(100);

        assertThat(decay.left(8, 50, 99)).isEqualTo(8);
        assertThat(decay.left(8, 50, 100)).isZero();
        assertThat(decay.left(8, 100, 150)).isEqualTo(8);
        assertThat(decay.accrued(8, 50, 90)).isEqualTo(8);
        assertThat(decay.accrued(8, 60, 140)).isEqualTo(4);
        assertThat(decay.accrued(8, 100, 140)).isEqualTo(8);
    }
}
