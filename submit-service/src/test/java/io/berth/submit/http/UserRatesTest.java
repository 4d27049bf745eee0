package io.berth.submit.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.quarkus.security.runtime.QuarkusSecurityIdentity;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class UserRatesTest {
    private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 5);
    private final UserRates rates =
            new UserRates(
                    QuarkusSecurityIdentity.builder().setAnonymous(true).build(),
                    10,
                    new SimpleMeterRegistry(),
                    nanos::get);

    /// How many of so many requests are taken at this moment.
    private long taken(String user, int requests) {
        return IntStream.range(0, requests).filter(_ -> rates.take(user)).count();
    }

    @Test
    void a_user_may_send_at_once_what_he_may_send_in_two_seconds() {
        assertThat(taken("alice", 100)).isEqualTo(20);
    }

    @Test
    void what_one_sends_takes_nothing_from_another() {
        taken("alice", 100);

        assertThat(taken("bob", 5)).isEqualTo(5);
    }

    @Test
    void what_was_taken_comes_back_with_time_and_never_more_than_that() {
        taken("alice", 100);
        nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(350));
        long soon = taken("alice", 100);
        nanos.addAndGet(TimeUnit.HOURS.toNanos(1));
        long later = taken("alice", 100);

        assertThat(soon).isEqualTo(3);
        assertThat(later).isEqualTo(20);
    }
}
