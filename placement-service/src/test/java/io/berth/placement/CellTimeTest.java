package io.berth.placement;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

final class CellTimeTest {

    private final AtomicLong nanos = new AtomicLong();

    @Test
    void it_follows_the_monotonic_clock_and_not_the_wall_clock() {
        var wall = new AtomicLong(5_000);
        var time = new CellTime(0, wall::get, nanos::get);
        nanos.addAndGet(7_000_000);
        wall.set(1);

        assertThat(time.now()).isEqualTo(5_007);
    }

    @Test
    void it_never_goes_behind_the_last_round() {
        var time = new CellTime(9_000, () -> 5_000, nanos::get);

        assertThat(time.now()).isEqualTo(9_000);
    }
}
