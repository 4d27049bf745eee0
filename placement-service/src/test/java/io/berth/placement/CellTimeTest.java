package io.berth.placement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.berth.placement.kafka.Fatal;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class CellTimeTest {

    private static final long HOUR = 3_600_000;

    private long broker = 100 * HOUR;
    private long wall = broker;
    private long nanos = 77;

    private CellTime time(long lastRound) {
        var time = new CellTime(lastRound, () -> wall, () -> nanos);
        hear(time, 0);
        return time;
    }

    /// The broker is heard; the answer takes so long.
    private void hear(CellTime time, long millis) {
        time.asking();
        pass(millis, 1);
        time.heard(broker);
    }

    /// Time passes, on the monotonic clock at that rate.
    private void pass(long millis, double rate) {
        broker += millis;
        wall += millis;
        nanos += (long) (millis * rate * 1_000_000);
    }

    @Test
    void it_begins_at_the_time_of_the_broker_and_follows_the_monotonic_clock() {
        wall -= 300;
        CellTime time = time(0);
        nanos += 7_000_000;
        wall -= 5_000;

        assertThat(time.now()).isEqualTo(100 * HOUR + 7);
    }

    @Test
    void it_never_goes_behind_the_last_round() {
        assertThat(time(broker + 9_000).now()).isEqualTo(broker + 9_000);
    }

    @Test
    void a_cell_whose_last_leader_was_an_hour_ahead_is_led_back_in_ten() {
        CellTime time = time(broker + HOUR);
        for (int minute = 0; minute <= 10 * 60; minute++) {
            pass(60_000, 1);
            hear(time, 0);
        }

        assertThat(time.now()).isCloseTo(broker, within(2L));
        assertThat(time.cellOffset()).isCloseTo(0, within(2L));
    }

    @ParameterizedTest
    @ValueSource(longs = {-HOUR, -2_001, 2_001, HOUR})
    void a_machine_whose_clock_is_off_has_no_time_of_the_cell(long off) {
        wall += off;
        var time = new CellTime(0, () -> wall, () -> nanos);
        time.asking();

        assertThatThrownBy(() -> time.heard(broker))
                .isInstanceOf(Fatal.class)
                .hasMessageContaining(off + " ms off the broker's");
        assertThatThrownBy(time::now).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void an_answer_that_was_long_on_its_way_says_nothing_against_a_clock() {
        CellTime time = time(0);
        time.asking();
        broker += 10_000;
        long told = broker;
        wall += 60_000;
        nanos += 60_000_000_000L;
        time.heard(told);

        assertThat(time.machineOffset()).isZero();
        assertThat(time.cellOffset()).isZero();
    }

    /// Clocks that drift by up to a twentieth, rounds at any distance, answers at any speed, and
    /// brokers, one after the other, that differ by up to a second.
    @Test
    void whatever_the_clocks_do_it_never_goes_back_or_jumps_and_stays_with_the_broker() {
        for (long seed = 0; seed < 500; seed++) {
            var random = new Random(seed);
            double rate = 0.95 + random.nextDouble() / 10;
            long another = 0;
            CellTime time = time(0);
            for (int round = 0; round < 200; round++) {
                long before = time.now();
                long began = nanos;
                pass(1 + random.nextInt(5_000), rate);
                if (random.nextInt(50) == 0) {
                    another = random.nextLong(2_001) - 1_000;
                }
                time.asking();
                pass(random.nextInt(50), rate);
                time.heard(broker + another);

                long passed = (nanos - began) / 1_000_000;
                assertThat(time.now() - before)
                        .as("seed %d, round %d", seed, round)
                        .isBetween(passed - passed / 10 - 2, passed + passed / 10 + 2);
                assertThat(time.cellOffset())
                        .as("seed %d, round %d", seed, round)
                        .isBetween(-2_600L, 2_600L);
            }
        }
    }
}
