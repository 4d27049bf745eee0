package io.berth.submit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class JobRoomTest {
    private final JobRoom room = new JobRoom(100);

    @Test
    void no_more_come_in_than_there_is_room_for() {
        assertThatCode(() -> room.take(90, 10, 0)).doesNotThrowAnyException();

        assertThatThrownBy(() -> room.take(90, 1, 0))
                .isInstanceOfSatisfying(
                        Refused.class,
                        it ->
                                assertThat(it.refusal().detail())
                                        .isEqualTo(
                                                "MaxJobCount: 100 jobs may wait or run at once, and 100 do"));
    }

    @Test
    void those_let_in_count_before_they_are_read_and_then_as_read() {
        assertThatCode(() -> room.take(0, 60, 0)).doesNotThrowAnyException();
        assertThatThrownBy(() -> room.take(0, 41, 1_000)).isInstanceOf(Refused.class);

        assertThatCode(() -> room.take(60, 40, 5_000)).doesNotThrowAnyException();
        assertThatThrownBy(() -> room.take(60, 1, 5_000)).isInstanceOf(Refused.class);
    }

    @Test
    void what_is_refused_takes_no_room() {
        assertThatThrownBy(() -> room.take(0, 101, 0)).isInstanceOf(Refused.class);

        assertThatCode(() -> room.take(0, 100, 0)).doesNotThrowAnyException();
    }
}
