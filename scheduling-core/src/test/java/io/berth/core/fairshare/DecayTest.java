package io.berth.core.fairshare;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.contracts.event.PriorityRules.UsageReset;
import io.berth.core.fairshare.Decay.Rule;
import java.time.Instant;
import java.util.List;
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

    private static final long HOUR = 3_600_000;
    private static final Rule BY_THE_HOUR = new Rule(0, HalfLife.ofSeconds(3600), UsageReset.NONE);
    private static final Rule NEVER_FROM_TEN = new Rule(10 * HOUR, FOR_EVER, UsageReset.NONE);

    @Test
    void usage_decays_by_the_half_life_of_each_time() {
        var longer = Decay.of(List.of(BY_THE_HOUR, NEVER_FROM_TEN));
        var shorter =
                Decay.of(
                        List.of(
                                new Rule(0, FOR_EVER, UsageReset.NONE),
                                new Rule(10 * HOUR, BY_THE_HOUR.halfLife(), UsageReset.NONE)));

        assertThat(longer.left(800, 8 * HOUR, 20 * HOUR)).isEqualTo(200);
        assertThat(longer.left(800, 12 * HOUR, 20 * HOUR)).isEqualTo(800);
        assertThat(longer.left(800, -2 * HOUR, HOUR)).isEqualTo(100);
        assertThat(shorter.left(800, 0, 10 * HOUR)).isEqualTo(800);
        assertThat(shorter.left(800, 0, 12 * HOUR)).isEqualTo(200);
    }

    @Test
    void a_run_across_a_change_accrues_by_both_half_lives() {
        var longer = Decay.of(List.of(BY_THE_HOUR, NEVER_FROM_TEN));
        long before = Decay.of(BY_THE_HOUR.halfLife()).accrued(2_000_000, 8 * HOUR, 10 * HOUR);

        assertThat(longer.accrued(6_000_000, 8 * HOUR, 14 * HOUR)).isEqualTo(before + 4_000_000);
        assertThat(longer.accrued(7, 14 * HOUR, 14 * HOUR)).isEqualTo(7);
        assertThat(longer.since(9 * HOUR).accrued(6_000_000, 8 * HOUR, 14 * HOUR))
                .isEqualTo(
                        Decay.of(BY_THE_HOUR.halfLife()).accrued(1_000_000, 0, HOUR) + 4_000_000);
    }

    @Test
    void what_a_period_forgot_stays_forgotten_when_periods_end() {
        long noon = at("2026-11-21T12:00:00");
        var daily = new Rule(0, FOR_EVER, UsageReset.DAILY);
        var none = new Rule(noon, FOR_EVER, UsageReset.NONE);
        var ends = Decay.of(List.of(daily, none));
        var begins = Decay.of(List.of(none, new Rule(noon, FOR_EVER, UsageReset.DAILY)));

        assertThat(ends.left(100, at("2026-11-20T12:00:00"), at("2026-11-23T12:00:00"))).isZero();
        assertThat(ends.left(100, at("2026-11-21T06:00:00"), at("2026-11-23T12:00:00")))
                .isEqualTo(100);
        assertThat(begins.left(100, at("2026-11-20T12:00:00"), at("2026-11-21T23:00:00")))
                .as("the first period begins at the next midnight")
                .isEqualTo(100);
        assertThat(begins.left(100, at("2026-11-20T12:00:00"), at("2026-11-22T01:00:00"))).isZero();
    }
}
