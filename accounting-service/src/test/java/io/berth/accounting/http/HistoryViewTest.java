package io.berth.accounting.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class HistoryViewTest {

    /// The database is told to make each of them.
    @ParameterizedTest
    @ValueSource(
            longs = {
                1,
                86_400_000,
                1_700_000_000_000L,
                900_000_000_000_000L,
                1_000_000_000_000_000_000L,
                Long.MAX_VALUE
            })
    void no_time_is_parted_into_more_than_400(long whole) throws Exception {
        long least = whole / 1000 / 400 + 1;

        for (long asked : new long[] {least, 2 * least, Integer.MAX_VALUE, Long.MAX_VALUE}) {
            if (asked >= least) {
                long step = HistoryView.step(asked, whole);
                assertThat(whole / step).as("%d by %d", whole, asked).isBetween(0L, 400L);
            }
        }
        assertThatExceptionOfType(JobQuery.Refused.class)
                .isThrownBy(() -> HistoryView.step(least / 2, whole));
    }
}
