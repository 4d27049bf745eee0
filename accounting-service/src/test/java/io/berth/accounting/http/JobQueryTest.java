package io.berth.accounting.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.berth.accounting.http.JobQuery.Asked;
import io.berth.accounting.http.JobQuery.Refused;
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
}
