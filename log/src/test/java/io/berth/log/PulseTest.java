package io.berth.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

final class PulseTest {

    private final AtomicLong nanos = new AtomicLong(-7);
    private final Pulse pulse = new Pulse(nanos::get);

    private void pass() {
        nanos.addAndGet(Pulse.WEDGED.toNanos());
    }

    @Test
    void a_loop_that_turns_no_more_is_wedged_until_it_turns() {
        pulse.beat();
        boolean turning = pulse.alive();
        pass();
        boolean wedged = pulse.alive();
        pulse.beat();

        assertThat(turning).isTrue();
        assertThat(wedged).isFalse();
        assertThat(pulse.alive()).isTrue();
    }

    @Test
    void a_loop_that_waits_or_has_not_begun_is_not_wedged_however_long() {
        pass();
        boolean before = pulse.alive();
        pulse.beat();
        pulse.waits();
        pass();

        assertThat(before).isTrue();
        assertThat(pulse.alive()).isTrue();
    }

    @Test
    void a_loop_whose_thread_has_died_is_wedged_though_it_waited() throws Exception {
        Thread.ofPlatform().start(pulse::waits).join();
        boolean died = !pulse.alive();
        Thread.ofPlatform().start(pulse::beat).join();

        assertThat(died).isTrue();
        assertThat(pulse.alive()).isFalse();
    }

    @Test
    void a_loop_that_has_ended_as_it_should_is_not_wedged() throws Exception {
        Thread.ofPlatform()
                .start(() -> {
                    pulse.beat();
                    pulse.ended();
                })
                .join();
        pass();

        assertThat(pulse.alive()).isTrue();
    }
}
