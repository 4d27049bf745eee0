package io.berth.accounting.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.berth.accounting.http.JobQuery.Asked;
import io.berth.accounting.http.JobQuery.Refused;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class JobQueryTest {

    private static Asked jobs(String names) {
        return new Asked(names, null, null, null, null, null, null, null, null);
    }

    /// Four thousand characters of a query would be a hundred million of a statement.
    @Test
    void so_many_tasks_of_arrays_are_refused() throws Refused {
        String arrays =
                IntStream.rangeClosed(1, 5)
                        .mapToObj(it -> it + "_[0-65535]")
                        .collect(Collectors.joining(","));

        assertThat(JobQuery.of(jobs("1_[0-65535]")).parameters()).containsKey("tasks0");
        assertThatThrownBy(() -> JobQuery.of(jobs(arrays)))
                .isInstanceOf(Refused.class)
                .hasMessage("job: more than 262144 tasks of arrays are named");
    }

    /// As the books have them: no text of the database can hold a NUL.
    @Test
    void a_name_with_a_nul_is_asked_for_as_it_is_stored() throws Refused {
        var asked = new Asked(null, null, null, null, null, "job\0of alice", null, null, null);

        assertThat(JobQuery.of(asked).parameters())
                .containsEntry("name", List.of("job\uFFFDof alice"));
    }
}
