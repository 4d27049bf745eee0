package io.berth.submit.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.berth.contracts.JobId;
import io.berth.contracts.JobState;
import io.berth.submit.JobName;
import io.berth.submit.Refused;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class JobFilterTest {
    @Test
    void states_are_named_by_word_or_code_in_any_case() throws Refused {
        var filter = states("pending,R, oom");

        assertThat(filter.states())
                .containsExactlyInAnyOrder(
                        JobState.PENDING, JobState.RUNNING, JobState.OUT_OF_MEMORY);
    }

    @Test
    void all_is_every_state() throws Refused {
        assertThat(states("all").states()).containsExactlyInAnyOrder(JobState.values());
    }

    @Test
    void lists_are_split_at_commas_and_blanks_are_dropped() throws Refused {
        var filter =
                JobFilter.of(
                        new JobQuery(
                                null,
                                "alice,bob",
                                null,
                                "",
                                null,
                                null,
                                "1, 22,",
                                null,
                                null,
                                null));

        assertThat(filter.ids())
                .containsExactly(new JobName(new JobId(1)), new JobName(new JobId(22)));
        assertThat(filter.users()).containsExactly("alice", "bob");
        assertThat(filter.partitions()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"x", "-1", "0", "1.5", "99999999999999999999"})
    void what_is_no_job_id_is_refused(String id) {
        assertThatThrownBy(() ->
                        JobFilter.of(
                                new JobQuery(
                                        null, null, null, null, null, null, id, null, null, null)))
                .isInstanceOf(Refused.class);
    }

    @Test
    void an_unknown_state_is_refused_with_those_that_there_are() {
        assertThatThrownBy(() -> states("waiting"))
                .isInstanceOf(Refused.class)
                .hasMessageContaining("PENDING, RUNNING");
    }

    private static JobFilter states(String states) throws Refused {
        return JobFilter.of(
                new JobQuery(states, null, null, null, null, null, null, null, null, null));
    }
}
