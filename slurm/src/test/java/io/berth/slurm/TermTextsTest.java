package io.berth.slurm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.berth.contracts.SwitchLimit;
import io.berth.contracts.WarningSignal;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Arrays, dependencies, signals and switches beyond what the recorded cases say.
final class TermTextsTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {"0-99:33%8|0,33,66,99|8", "[3-4]%2|3-4|2", "5|5|0", "%7|0|7"})
    void an_array_is_a_set_of_indices_and_a_throttle(String text, String tasks, int throttle)
            throws InvalidOption {
        ArrayText array = Objects.requireNonNull(ArrayText.parse(text));

        assertThat(array.tasks()).hasToString(tasks);
        assertThat(array.throttle()).isEqualTo(throttle);
    }

    @ParameterizedTest
    @ValueSource(strings = {"65536", "0-65536", "0--1", "1-5:0", "999999999999999", ","})
    void what_is_no_array_is_refused(String text) {
        assertThatThrownBy(() -> ArrayText.parse(text))
                .hasMessage("Batch job submission failed: Invalid job array specification");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "7|afterany:7",
                "after:7+5:8|after:7+5,after:8",
                "afterok:7_3:8_*,singleton|afterok:7_3,afterok:8,singleton",
                "AfterNotOk:7?afterany:8|afternotok:7?afterany:8",
            })
    void a_dependency_is_written_back_clause_by_clause(String text, String written)
            throws InvalidOption {
        assertThat(DependencyText.parse(text)).hasToString(written);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"afterok:7+5", "singleton:7", "afterok", "7:8", "afterok:7,", "after:7+"})
    void what_is_no_dependency_is_refused(String text) {
        assertThatThrownBy(() -> DependencyText.parse(text))
                .hasMessage("Batch job submission failed: Job dependency problem");
    }

    @Test
    void a_warning_has_a_signal_a_time_and_a_target() throws InvalidOption {
        assertThat(SignalText.warning("B:sigusr2@90")).isEqualTo(new WarningSignal(12, 90, true));
        assertThat(SignalText.warning("b:10")).isEqualTo(new WarningSignal(10, 60, true));
        assertThat(SignalText.warning("INT")).isEqualTo(new WarningSignal(2, 60, false));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "@60", "USR1@", "USR1@65536", ":USR1", "X:USR1", "0", "65"})
    void what_is_no_warning_is_refused(String text) {
        assertThatThrownBy(() -> SignalText.warning(text))
                .hasMessage("Invalid --signal specification");
    }

    @ParameterizedTest
    @ValueSource(strings = {"R:USR1", "RB:USR1@60", "br:USR1"})
    void a_warning_that_overlaps_a_reservation_is_refused_by_its_name(String text) {
        assertThatThrownBy(() -> SignalText.warning(text))
                .hasMessage(
                        "--signal=R: is not supported yet: it lets a job overlap a reservation with a MaxStartDelay, and reservations have none");
    }

    @Test
    void a_level_is_waited_for_for_ever_for_a_time_or_not_at_all() throws InvalidOption {
        assertThat(SwitchesText.within("rack")).isEqualTo(SwitchLimit.within("rack", null));
        assertThat(SwitchesText.within("rack@10:00")).isEqualTo(SwitchLimit.within("rack", 600L));
        assertThat(SwitchesText.within("prefer:1")).isEqualTo(SwitchLimit.within("1", 0L));
        for (String text : List.of("rack", "rack@00:10:00", "rack@2-00:00:00", "prefer:rack")) {
            SwitchLimit limit = SwitchesText.within(text);
            assertThat(SwitchesText.within("rack", limit.maxWaitSeconds())).isEqualTo(text);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "rack@", "rack@0", "rack@soon", "prefer:", "prefer:rack@5", "a b"})
    void what_is_no_level_is_refused(String text) {
        assertThatThrownBy(() -> SwitchesText.within(text))
                .hasMessageContaining("Invalid --topology specification \"" + text + "\"");
    }

    @Test
    void switches_may_bound_the_wait() throws InvalidOption {
        assertThat(SwitchesText.parse("2@10:00").maxWaitSeconds()).isEqualTo(600L);
        assertThat(SwitchesText.parse("2").maxWaitSeconds()).isNull();
    }
}
