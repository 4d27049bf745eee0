package io.berth.submit.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.berth.contracts.Consumption;
import io.berth.contracts.GpuConsumption;
import io.berth.contracts.NodeName;
import io.berth.submit.JobUsage;
import java.util.List;
import org.junit.jupiter.api.Test;

class TelemetryJsonTest {

    private static String json(Consumption used) throws Exception {
        var usage = new JobUsage(new NodeName("gpu-01"), 5, used, List.of());
        return new ObjectMapper().writeValueAsString(TelemetryJson.of(List.of(), List.of(usage)));
    }

    @Test
    void the_memory_of_a_part_of_a_gpu_is_the_jobs_own_and_of_whole_ones_is_left_out()
            throws Exception {
        var used = new Consumption(1000, 64, 1L, 2L);

        assertThat(json(used.with(new GpuConsumption(1, 50, 1500L, null))))
                .contains("\"writtenMib\":2,\"gpuMemoryMib\":1500,");
        assertThat(json(used)).doesNotContain("gpuMemoryMib");
    }
}
