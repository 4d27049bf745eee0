package io.berth.submit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class JobRoomTest {
    private long now;
    private final JobRoom room = new JobRoom(100, () -> now);

    @Test
    void no_more_come_in_than_there_is_room_for() {
        assertThatCode(() -> room.take(90, 10)).doesNotThrowAnyException();

        assertThatThrownBy(() -> room.take(90, 1))
                .isInstanceOfSatisfying(
                        Refused.class,
                        it ->
                                assertThat(it.refusal().detail())
                                        .isEqualTo(
                                                "MaxJobCount: 100 jobs may wait or run at once, and 100 do"));
    }

    @Test
    void those_let_in_count_before_they_are_read_and_then_as_read() {
        assertThatCode(() -> room.take(0, 60)).doesNotThrowAnyException();
        now += 1_000;
        assertThatThrownBy(() -> room.take(0, 41)).isInstanceOf(Refused.class);

        now += 4_000;
        assertThatCode(() -> room.take(60, 40)).doesNotThrowAnyException();
        assertThatThrownBy(() -> room.take(60, 1)).isInstanceOf(Refused.class);
    }

    @Test
    void one_who_brings_many_for_long_is_not_counted_twice() {
        for (int read = 0; read < 100; read += 10) {
            int before = read;
            assertThatCode(() -> room.take(before, 10)).doesNotThrowAnyException();
            now += 4_000;
        }
    }

    @Test
    void what_is_refused_takes_no_room() {
        assertThatThrownBy(() -> room.take(0, 101)).isInstanceOf(Refused.class);

        assertThatCode(() -> room.take(0, 100)).doesNotThrowAnyException();
    }
}
