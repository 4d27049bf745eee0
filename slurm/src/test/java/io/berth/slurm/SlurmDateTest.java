package io.berth.slurm;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.OptionalLong;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Read on Friday 2026-11-20 at 10:00:30 in Berlin.
final class SlurmDateTest {

    private static final ZonedDateTime NOW =
            ZonedDateTime.of(2026, 11, 20, 10, 0, 30, 0, ZoneId.of("Europe/Berlin"));

    @ParameterizedTest
    @CsvSource({
        "now, 2026-11-20T10:00:30",
        "now+60, 2026-11-20T10:01:30",
        "now+1hour, 2026-11-20T11:00:30",
        "now + 2days, 2026-11-22T10:00:30",
        "now+1week, 2026-11-27T10:00:30",
        "now-5minutes, 2026-11-20T09:55:30",
        "16:00, 2026-11-20T16:00:00",
        "9:30, 2026-11-21T09:30:00",
        "16:00:07, 2026-11-20T16:00:07",
        "4:00pm, 2026-11-20T16:00:00",
        "12:15 AM, 2026-11-21T00:15:00",
        "today, 2026-11-20T00:00:00",
        "tomorrow, 2026-11-21T00:00:00",
        "midnight, 2026-11-21T00:00:00",
        "noon, 2026-11-20T12:00:00",
        "elevenses, 2026-11-20T11:00:00",
        "fika, 2026-11-20T15:00:00",
        "teatime, 2026-11-20T16:00:00",
        "TEATIME tomorrow, 2026-11-21T16:00:00",
        "2030-01-01, 2030-01-01T00:00:00",
        "2030-01-01T12:00, 2030-01-01T12:00:00",
        "2030-01-01T12:00:05, 2030-01-01T12:00:05",
        "2030-07-01T12:00, 2030-07-01T12:00:00",
        "2020-01-01, 2020-01-01T00:00:00",
        "12/24, 2026-12-24T00:00:00",
        "01/20, 2027-01-20T00:00:00",
        "01/20/30-08:00, ",
        "1/20/30 8:00, 2030-01-20T08:00:00",
        "12.24.28, 2028-12-24T00:00:00",
        "1224, 2026-12-24T00:00:00",
        "122428, 2028-12-24T00:00:00",
    })
    void a_time_is_read_in_the_callers_zone(String text, String local) {
        OptionalLong read = SlurmDate.parse(text, NOW);

        assertThat(
                        read.isEmpty()
                                ? null
                                : Instant.ofEpochMilli(read.getAsLong())
                                        .atZone(NOW.getZone())
                                        .toLocalDateTime())
                .isEqualTo(local == null ? null : LocalDateTime.parse(local));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "foo",
                "now+",
                "now+x",
                "now+1fortnight",
                "25:00",
                "10:60",
                "13:00pm",
                "2030-13-01",
                "2030-02-30",
                "noon noon",
                "today tomorrow",
                "1",
                "99/99",
                "now+99999999999hours"
            })
    void other_texts_are_no_time(String text) {
        assertThat(SlurmDate.parse(text, NOW)).isEmpty();
    }
}
