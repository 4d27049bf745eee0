package io.berth.standalone.mesh;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class BackoffTest {

    private static final Duration SHORT = Duration.ofSeconds(1);

    @Test
    void each_death_waits_longer_up_to_a_bound() {
        Stream<Backoff> deaths =
                Stream.iterate(Backoff.NONE.afterDeath(SHORT), each -> each.afterDeath(SHORT));

        assertThat(deaths.limit(7).map(each -> each.delay().toMillis()))
                .containsExactly(100L, 400L, 1_600L, 6_400L, 25_600L, 30_000L, 30_000L);
    }

    @Test
    void a_long_life_starts_anew() {
        Backoff tired = new Backoff(9);

        assertThat(tired.afterDeath(Duration.ofMinutes(2))).isEqualTo(new Backoff(1));
    }

    @Test
    void four_short_lives_are_a_crash_loop() {
        Backoff third = new Backoff(3);

        assertThat(third.isCrashLoop()).isFalse();
        assertThat(third.afterDeath(SHORT).isCrashLoop()).isTrue();
    }
}
