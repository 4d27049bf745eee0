package io.berth.agent.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.slurm.session.Frame;
import java.util.Map;
import org.junit.jupiter.api.Test;

class AllocationEndTest {

    @Test
    void the_shell_is_told_slurms_variables_of_the_job_and_none_of_the_node() {
        var environment =
                Map.of(
                        "SLURM_TASKS_PER_NODE", "2(x2),1",
                        "SLURM_JOB_NAME", "two words=é",
                        "SLURM_SUBMIT_HOST", "",
                        "SLURM_NODEID", "0",
                        "SLURM_STEP_ID", "0",
                        "SLURMD_NODENAME", "gpu1",
                        "BERTH_STEP_SECRET", "s",
                        "HOME", "/root");

        assertThat(Frame.variables(AllocationEnd.ofJob(environment)).variables())
                .isEqualTo(
                        Map.of(
                                "SLURM_TASKS_PER_NODE", "2(x2),1",
                                "SLURM_JOB_NAME", "two words=é",
                                "SLURM_SUBMIT_HOST", ""));
    }
}
