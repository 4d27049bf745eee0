package io.berth.core.fairshare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HalfLifeTest {

    private static final long DAY = 86_400_000;
    private static final HalfLife WEEK = HalfLife.ofSeconds(7 * 86_400);

    @Test
    void half_is_left_after_a_half_life() {
        assertThat(WEEK.decay(1_000_000, 7 * DAY)).isEqualTo(500_000);
        assertThat(WEEK.decay(1_000_000, 14 * DAY)).isEqualTo(250_000);
    }

    /// The table in docs/priority.md.
    @ParameterizedTest
    @CsvSource({"14, 175000000", "7, 131250000"})
    void a_hundred_hours_of_today_and_each_fortnight_before(int halfLifeDays, long left) {
        var halfLife = HalfLife.ofSeconds(halfLifeDays * 86_400L);

        long counts =
                halfLife.decay(100_000_000, 0)
                        + halfLife.decay(100_000_000, 14 * DAY)
                        + halfLife.decay(100_000_000, 28 * DAY);

        assertThat(counts).isEqualTo(left);
    }

    @Test
    void without_a_half_life_nothing_is_forgotten() {
        assertThat(new HalfLife(0).decay(123, 1000 * DAY)).isEqualTo(123);
        assertThat(new HalfLife(0).accrue(123, 1000 * DAY)).isEqualTo(123);
    }

    @Test
    void no_time_changes_nothing() {
        assertThat(WEEK.decay(123, 0)).isEqualTo(123);
        assertThat(WEEK.accrue(123, 0)).isEqualTo(123);
    }

    @Test
    void usage_over_time_is_what_its_small_pieces_leave() {
        long pieces = 0;
        for (int hour = 0; hour < 10 * 24; hour++) {
            pieces +=
                    WEEK.decay(
                            WEEK.accrue(3_600_000_000L, DAY / 24),
                            (10 * 24L - 1 - hour) * DAY / 24);
        }

        assertThat(WEEK.accrue(10 * 24 * 3_600_000_000L, 10 * DAY)).isCloseTo(pieces, within(240L));
    }
}
