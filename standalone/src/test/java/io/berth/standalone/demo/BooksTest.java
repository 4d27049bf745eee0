package io.berth.standalone.demo;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import io.berth.contracts.json.Json;
import io.berth.standalone.demo.Entry.RunEntry;
import java.util.List;
import org.junit.jupiter.api.Test;

class BooksTest {

    private static final RunEntry RUN = new RunEntry(1, 1_000, 3_500, 20_000, 2_500);

    @Test
    void right_books_have_no_differences() throws Exception {
        assertThat(books(entry("COMPLETED", 20_000, RUN), 20_000, true).differences()).isEmpty();
    }

    @Test
    void a_job_that_did_not_complete_is_a_difference() throws Exception {
        assertThat(books(entry("FAILED", 20_000, RUN), 20_000, true).differences())
                .containsExactly("job 7 is FAILED, not COMPLETED");
    }

    @Test
    void a_charge_that_is_not_resources_times_time_is_a_difference() throws Exception {
        RunEntry wrong = new RunEntry(1, 1_000, 3_500, 19_999, 2_500);

        assertThat(books(entry("COMPLETED", 19_999, wrong), 19_999, true).differences())
                .containsExactly("job 7 GPU-ms: 20000 expected, 19999 booked");
    }

    @Test
    void a_second_run_is_a_difference() throws Exception {
        assertThat(books(entry("COMPLETED", 40_000, RUN, RUN), 40_000, true).differences())
                .containsExactly("job 7 ran 2 times, not once");
    }

    @Test
    void usage_that_is_not_the_sum_of_the_jobs_is_a_difference() throws Exception {
        assertThat(books(entry("COMPLETED", 20_000, RUN), 1, true).differences())
                .containsExactly("bob's GPU-ms of all jobs: 20000 expected, 1 booked");
    }

    @Test
    void what_the_accounting_service_finds_is_a_difference() throws Exception {
        assertThat(books(entry("COMPLETED", 20_000, RUN), 20_000, false).differences())
                .containsExactly("the accounting service finds: [\"x\"]");
    }

    private static Entry entry(String state, long gpuMillis, RunEntry... runs) {
        return new Entry(
                7, "train", "bob", "team_a", state, 8, 1, 900, List.of(runs), gpuMillis, 1);
    }

    private static Books books(Entry entry, long booked, boolean balanced)
            throws JsonProcessingException {
        JsonNode usage = json("{'usage':[{'user':'bob','gpuMillis':%d}]}".formatted(booked));
        JsonNode balance =
                json(
                        "{'balanced':%s,'differences':%s}"
                                .formatted(balanced, balanced ? "[]" : "['x']"));
        return new Books(List.of(entry), usage, balance);
    }

    private static JsonNode json(String text) throws JsonProcessingException {
        return Json.mapper().readTree(text.replace('\'', '"'));
    }
}
