package io.berth.agent.gpu;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.agent.gpu.GpuError.Severity;
import io.berth.contracts.Hardware.Health;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GpuHealthTest {

    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final long MINUTE = 60_000;
    private static final Xid FATAL = new Xid(79);
    private static final Xid TRANSIENT = new Xid(63);

    private final GpuHealth healthy = GpuHealth.healthy(PATIENCE);

    @ParameterizedTest
    @CsvSource({
        "13,APPLICATION",
        "31,APPLICATION",
        "48,FATAL",
        "79,FATAL",
        "63,TRANSIENT",
        "999,TRANSIENT"
    })
    void an_error_has_a_class(int number, Severity severity) {
        assertThat(new Xid(number).severity()).isEqualTo(severity);
    }

    @Test
    void a_sign_of_amds_driver_has_a_class_and_words() {
        assertThat(new AmdError.Uncorrectable("umc", 1))
                .hasToString("1 uncorrectable error in umc")
                .extracting(AmdError::severity)
                .isEqualTo(Severity.FATAL);
        assertThat(new AmdError.Uncorrectable("gfx", 12))
                .hasToString("12 uncorrectable errors in gfx");
        assertThat(new AmdError.Reset())
                .hasToString("reset by its driver")
                .extracting(AmdError::severity)
                .isEqualTo(Severity.TRANSIENT);
    }

    @Test
    void a_programs_own_fault_leaves_the_gpu_healthy() {
        assertThat(healthy.after(new Xid(31), 5)).isEqualTo(healthy);
    }

    @Test
    void a_fatal_error_puts_it_aside_with_its_reason() {
        GpuHealth after = healthy.after(FATAL, 5);

        assertThat(after.state()).isEqualTo(Health.DRAINED);
        assertThat(after.usable()).isFalse();
        assertThat(after.reason()).isEqualTo("XID 79, the GPU has fallen off the bus");
    }

    @Test
    void a_transient_error_makes_a_suspect_that_works_and_is_healthy_after_a_while() {
        GpuHealth suspect = healthy.after(TRANSIENT, 5);

        assertThat(suspect.state()).isEqualTo(Health.SUSPECT);
        assertThat(suspect.usable()).isTrue();
        assertThat(suspect.at(10 * MINUTE, false)).isEqualTo(suspect);
        assertThat(suspect.at(10 * MINUTE + 5, false)).isEqualTo(healthy);
    }

    @Test
    void the_third_transient_error_puts_it_aside() {
        GpuHealth second = healthy.after(TRANSIENT, 1).after(TRANSIENT, 2);

        assertThat(second.state()).isEqualTo(Health.SUSPECT);
        assertThat(second.after(TRANSIENT, 3).state()).isEqualTo(Health.DRAINED);
    }

    @Test
    void it_is_tested_once_it_is_empty_and_its_time_has_passed() {
        GpuHealth drained = healthy.after(FATAL, 0);

        assertThat(drained.at(MINUTE - 1, true).state()).isEqualTo(Health.DRAINED);
        assertThat(drained.at(MINUTE, false).state()).isEqualTo(Health.DRAINED);
        assertThat(drained.at(MINUTE, true).state()).isEqualTo(Health.TESTING);
    }

    @Test
    void a_test_that_it_passes_brings_it_back() {
        assertThat(healthy.after(FATAL, 0).at(MINUTE, true).passed(PATIENCE)).isEqualTo(healthy);
    }

    @Test
    void each_failed_test_doubles_the_time_to_the_next_up_to_an_hour() {
        GpuHealth health = healthy.after(FATAL, 0).at(MINUTE, true).failed("no", MINUTE);
        assertThat(health.due()).isEqualTo(3 * MINUTE);
        assertThat(health.reason()).isEqualTo("no");

        for (int i = 0; i < 10; i++) {
            health = health.at(health.due(), true).failed("no", health.due());
        }

        assertThat(health.patience()).isEqualTo(Duration.ofHours(1));
    }

    @Test
    void errors_of_a_gpu_that_stands_aside_change_the_reason_at_most() {
        GpuHealth drained = healthy.after(FATAL, 0);

        assertThat(drained.after(TRANSIENT, 1)).isEqualTo(drained);
        assertThat(drained.after(new Xid(48), 1).reason()).startsWith("XID 48");
    }

    @Test
    void a_gpu_that_does_not_answer_is_lost_until_it_is_tested() {
        GpuHealth lost = healthy.lost("no answer", 0);

        assertThat(lost.state()).isEqualTo(Health.LOST);
        assertThat(lost.lost("again", 9)).isEqualTo(lost);
        assertThat(lost.after(FATAL, 9)).isEqualTo(lost);
        assertThat(lost.at(MINUTE, true).state()).isEqualTo(Health.TESTING);
    }
}
