package io.berth.core.state;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import io.berth.contracts.event.JobStatus;
import io.berth.contracts.event.RunReport;
import io.berth.contracts.json.Json;
import io.berth.core.testing.TestCell;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class KeptJobsTest {

    /// Measured: 552 bytes, and 1,100 when nothing was shared. With compact headers of objects, as
    /// the services have them, 476 and 1,027.
    private static final long MOST_BYTES = 620;

    private static final int JOBS = 20_000;

    /// Jobs that ran for an hour on one of 64 nodes, with a CPU and a GPU: their last records.
    private static String records(int number) throws JsonProcessingException {
        var cell = new TestCell();
        String node = "gpu-" + number % 64;
        cell.node(node, 8, 8, "a100");
        cell.submit(1, TestCell.gpus(1, 1, "a100"));
        cell.rank(1, 1000);
        cell.round();
        cell.started(1, 1, node);
        cell.now += 3_600_000;
        cell.ended(1, 1, node, RunReport.Cause.EXITED, 0);
        assertThat(cell.job(1).state().terminal()).isTrue();
        return Json.mapper()
                .writeValueAsString(cell.job(1))
                .replaceFirst("\"job\":1", "\"job\":" + (number + 1));
    }

    @Test
    void what_is_kept_of_a_job_is_all_that_was_said_of_it() throws Exception {
        var jobs = new KeptJobs();
        for (int number : List.of(1, 2, 65)) {
            JobStatus said = Json.mapper().readValue(records(number), JobStatus.class);

            assertThat(jobs.kept(said)).isEqualTo(said);
        }
    }

    @Test
    void an_ended_job_takes_few_bytes() throws Exception {
        var records = new ArrayList<String>();
        for (int i = 0; i < 64; i++) {
            records.add(records(i));
        }
        var state = new CellState();
        long before = used();
        for (int i = 0; i < JOBS; i++) {
            String record = records.get(i % 64).replaceFirst("\"job\":\\d+", "\"job\":" + (i + 1));
            state.replay(new Fact.JobChanged(Json.mapper().readValue(record, JobStatus.class)));
        }

        long each = (used() - before) / JOBS;
        assertThat(state.ended()).hasSize(JOBS);
        assertThat(each).isLessThan(MOST_BYTES);
    }

    private static long used() {
        System.gc();
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }
}
