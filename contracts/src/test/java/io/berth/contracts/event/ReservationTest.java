package io.berth.contracts.event;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.contracts.event.ConfigEntry.Part;
import io.berth.contracts.event.ConfigEntry.Reservation;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// When reservations come again. 20 November 2026 is a Friday.
final class ReservationTest {

    @ParameterizedTest
    @CsvSource({
        "DAILY,   20 21 22 23",
        "WEEKDAY, 20 23 24 25",
        "WEEKEND, 21 22 28 29",
        "WEEKLY,  20 27 4 11"
    })
    void one_comes_again_on_its_days(String flag, String days) {
        Reservation it = from("2026-11-20T22:00:00Z", flag);
        var starts = new ArrayList<String>();
        long start = it.startAt(Instant.parse("2026-11-19T00:00:00Z").toEpochMilli());
        for (int time = 0; time < 4; time++) {
            starts.add(Instant.ofEpochMilli(start).toString().replaceAll("^.*-0?(\\d+)T.*$", "$1"));
            start = it.after(start);
        }

        assertThat(String.join(" ", starts)).isEqualTo(days);
    }

    /// It lasts four hours, and so over midnight.
    @ParameterizedTest
    @CsvSource({
        "2026-11-21T01:00:00Z, WEEKDAY, true,  2026-11-20T22:00:00Z",
        "2026-11-21T02:00:00Z, WEEKDAY, false, 2026-11-23T22:00:00Z",
        "2026-11-22T23:00:00Z, WEEKDAY, false, 2026-11-23T22:00:00Z",
        "2026-11-20T23:00:00Z, WEEKEND, false, 2026-11-21T22:00:00Z",
        "2026-11-23T01:59:00Z, WEEKEND, true,  2026-11-22T22:00:00Z",
        "2026-11-24T12:00:00Z, WEEKEND, false, 2026-11-28T22:00:00Z"
    })
    void one_that_is_on_is_told_from_one_that_comes(
            String now, String flag, boolean on, String start) {
        Reservation it = from("2026-11-20T22:00:00Z", flag);
        long at = Instant.parse(now).toEpochMilli();

        assertThat(it.on(at)).isEqualTo(on);
        assertThat(Instant.ofEpochMilli(it.startAt(at))).isEqualTo(Instant.parse(start));
        assertThat(it.over(at)).isFalse();
    }

    private static Reservation from(String start, String flag) {
        long at = Instant.parse(start).toEpochMilli();
        return new Reservation(
                new Part(1, 1, 1),
                "r",
                at,
                at + 4 * 3_600_000,
                List.of("ALL"),
                List.of("ann"),
                List.of(),
                List.of(flag),
                null);
    }
}
