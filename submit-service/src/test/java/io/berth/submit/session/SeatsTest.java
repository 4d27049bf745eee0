package io.berth.submit.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.berth.submit.TooBusy;
import java.util.ArrayList;
import org.junit.jupiter.api.Test;

final class SeatsTest {
    private final Seats seats = new Seats(3, "places are taken");

    @Test
    void who_has_as_many_as_may_be_is_told_so_and_leaves_room_for_others() {
        seats.take("alice's", 2);
        seats.take("alice's", 2);

        assertThatThrownBy(() -> seats.take("alice's", 2))
                .isInstanceOf(TooBusy.class)
                .hasMessage("2 of alice's places are taken");

        seats.take("bob's", 2);
        assertThatThrownBy(() -> seats.take("carol's", 2))
                .isInstanceOf(TooBusy.class)
                .hasMessage("3 places are taken");
        assertThat(seats.count()).isEqualTo(3);
    }

    @Test
    void a_seat_is_given_back_once_however_often_its_holder_leaves() {
        var leaves = new ArrayList<Runnable>();
        leaves.add(seats.take("alice's", 2));
        leaves.add(seats.take("alice's", 2));

        leaves.getFirst().run();
        leaves.getFirst().run();

        assertThat(seats.count()).isEqualTo(1);
        seats.take("alice's", 2);
        assertThatThrownBy(() -> seats.take("alice's", 2)).isInstanceOf(TooBusy.class);
    }

    @Test
    void everybody_has_one_seat_at_least() {
        seats.take("alice's", 0);

        assertThat(seats.count()).isEqualTo(1);
        assertThatThrownBy(() -> seats.take("alice's", 0)).hasMessageStartingWith("1 of alice's");
    }
}
