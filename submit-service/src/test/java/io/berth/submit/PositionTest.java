package io.berth.submit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class PositionTest {
    @Test
    void a_position_is_read_as_it_was_given() throws Refused {
        assertThat(Position.parse("submissions:3:124")).isEqualTo(new Position(3, 124));
        assertThat(new Position(3, 124)).hasToString("submissions:3:124");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "submissions:0",
                "submissions:0:-1",
                "jobs:0:1",
                "submissions:0:99999999999999999999"
            })
    void what_the_service_never_gave_is_refused(String text) {
        assertThatThrownBy(() -> Position.parse(text))
                .isInstanceOfSatisfying(
                        Refused.class,
                        it -> assertThat(it.refusal()).isInstanceOf(Refusal.InvalidRequest.class));
    }
}
