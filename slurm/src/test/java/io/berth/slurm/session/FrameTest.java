package io.berth.slurm.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

class FrameTest {

    @Test
    void a_job_tells_slurms_variables_and_no_others() {
        Frame told =
                Frame.variables(
                        Map.of(
                                "SLURM_TASKS_PER_NODE", "2(x2),1=",
                                "SLURM_SUBMIT_HOST", "",
                                "SLURM_JOB_NAME", "a\0b",
                                "SLURM_", "x",
                                "SLURM_a-b", "x",
                                "XSLURM_A", "x",
                                "PATH", "/tmp",
                                "LD_PRELOAD", "/tmp/own.so"));

        assertThat(told.variables())
                .isEqualTo(Map.of("SLURM_TASKS_PER_NODE", "2(x2),1=", "SLURM_SUBMIT_HOST", ""));
    }
}
