package io.berth.accounting.db;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.berth.contracts.JobState;
import io.berth.contracts.json.Json;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class UpsertTest {

    @Test
    void a_row_is_written_by_the_names_of_its_columns() throws Exception {
        var job = new JobRow();
        job.id = Long.MAX_VALUE;
        job.name = "a \"quoted\" name\n";
        job.state = JobState.RUNNING;
        job.requested = Map.of("cpu", 8L);

        JsonNode row = read(new Upsert<>(JobRow.class).json(List.of(job)));

        assertThat(row.get("id").longValue()).isEqualTo(Long.MAX_VALUE);
        assertThat(row.get("name").textValue()).isEqualTo("a \"quoted\" name\n");
        assertThat(row.get("state").textValue()).isEqualTo("RUNNING");
        assertThat(row.get("requested").textValue()).isEqualTo("{\"cpu\":8}");
        assertThat(row.get("time_limit_seconds").longValue()).isZero();
        assertThat(row.has("comment")).isFalse();
    }

    @Test
    void what_is_embedded_has_columns_of_its_own() throws Exception {
        var usage = new UsageRow();
        usage.charge.cpuMillis = 1;
        usage.decayed.cpuMillis = 2;
        usage.decayed.gpuTypeMillis = Map.of("a100", 3L);

        JsonNode row = read(new Upsert<>(UsageRow.class).json(List.of(usage)));

        assertThat(row.get("cpu_millis").longValue()).isEqualTo(1);
        assertThat(row.get("decayed_cpu_millis").longValue()).isEqualTo(2);
        assertThat(row.get("decayed_gpu_type_millis").textValue()).isEqualTo("{\"a100\":3}");
        assertThat(row.has("gpu_type_millis")).isFalse();
    }

    @Test
    void what_is_not_embedded_is_null() throws Exception {
        JsonNode row = read(new Upsert<>(StepRow.class).json(List.of(new StepRow())));

        assertThat(row.has("tasks_counted")).isFalse();
        assertThat(row.get("out_of_memory").booleanValue()).isFalse();
    }

    private static JsonNode read(String rows) throws Exception {
        JsonNode all = Json.mapper().readTree(rows);
        assertThat(all).hasSize(1);
        return all.get(0);
    }
}
