package io.berth.accounting;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.contracts.Charge;
import io.berth.contracts.Spending;
import io.berth.contracts.event.Usage;
import io.berth.contracts.event.Usage.Spent;
import io.berth.core.fairshare.Decay;
import io.berth.core.fairshare.HalfLife;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class SharesLoopTest {

    private static final long HOUR = 3_600_000;
    private static final Decay WEEK = Decay.of(HalfLife.ofSeconds(7 * 86_400));

    /// Nothing costs anything there, so that fair share counts nothing.
    @Test
    void usage_that_was_reset_is_published_where_there_are_no_prices() {
        Spending used = spending(60 * HOUR);
        Usage before = usage(0, WEEK.left(used, 0, HOUR), used, HOUR);
        Usage decayed = usage(0, WEEK.left(used, 0, 9 * HOUR), used, 9 * HOUR);
        Usage reset = usage(0, Spending.ZERO, used, 9 * HOUR);

        assertThat(SharesLoop.isNews(before, decayed, WEEK)).isFalse();
        assertThat(SharesLoop.isNews(before, reset, WEEK)).isTrue();
        assertThat(SharesLoop.isNews(reset, usage(0, Spending.ZERO, used, 10 * HOUR), WEEK))
                .isFalse();
    }

    @Test
    void usage_is_published_when_it_is_new_or_grows_and_not_when_it_decays() {
        Spending used = spending(60 * HOUR);
        Usage before = usage(7_000_000, used, used, 0);

        assertThat(SharesLoop.isNews(null, before, WEEK)).isTrue();
        assertThat(SharesLoop.isNews(before, usage(7_000_000, used, used, 0), WEEK)).isFalse();
        assertThat(SharesLoop.isNews(before, usage(7_000_100, used, used, 0), WEEK)).isTrue();
        Spending more = used.plus(spending(HOUR));
        assertThat(SharesLoop.isNews(before, usage(7_000_000, more, more, 0), WEEK)).isTrue();
    }

    private static Spending spending(long millis) {
        return new Spending(
                new Charge(8 * millis, 1024 * millis, millis, millis, 0, Map.of("a100", millis)),
                millis);
    }

    private static Usage usage(long micros, Spending counts, Spending whole, long asOf) {
        return new Usage(
                "team_a",
                "alice",
                asOf,
                micros,
                asOf,
                List.of(new Spent("batch", "normal", counts, whole)));
    }
}
