package io.berth.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import org.junit.jupiter.api.Test;

final class TimeFormatTest {

    private static final ZoneId BERLIN = ZoneId.of("Europe/Berlin");
    private static final long TIME = Instant.parse("2026-01-05T13:04:09Z").toEpochMilli();

    private static String text(String pattern) {
        return TimeFormat.of(pattern).text(TIME, TIME, BERLIN);
    }

    @Test
    void without_a_word_times_are_told_as_slurm_tells_them() {
        assertThat(text("")).isEqualTo("2026-01-05T14:04:09");
        assertThat(text("standard")).isEqualTo("2026-01-05T14:04:09");
    }

    @Test
    void other_words_are_those_of_strftime() {
        assertThat(text("%a %A %b %B %d %e %-d %j %y %Y"))
                .isEqualTo("Mon Monday Jan January 05  5 5 005 26 2026");
        assertThat(text("%H %I %l %k %M %S %p %s %u %w %V %G"))
                .isEqualTo("14 02  2 14 04 09 PM 1767618249 1 1 02 2026");
        assertThat(text("%F %T %D %R %r %c|%z|%%|%q|%"))
                .isEqualTo(
                        "2026-01-05 14:04:09 01/05/26 14:04 02:04:09 PM Mon Jan  5 14:04:09 2026|+0100|%|%q|%");
    }

    @Test
    void relative_times_are_the_shorter_the_nearer() {
        assertThat(after(-1)).isEqualTo("Tomorr 14:04");
        assertThat(after(0)).isEqualTo("14:04:09");
        assertThat(after(1)).isEqualTo("Ystday 14:04");
        assertThat(after(-6)).isEqualTo("Mon 14:04");
        assertThat(after(-7)).isEqualTo("5 Jan 14:04");
        assertThat(after(2)).isEqualTo("5 Jan 14:04");
        assertThat(after(366)).isEqualTo("5 Jan 2026");
    }

    /// How the time is told so many days after it.
    private static String after(int days) {
        return TimeFormat.of("relative")
                .text(TIME, TIME + Duration.ofDays(days).toMillis(), BERLIN);
    }
}
