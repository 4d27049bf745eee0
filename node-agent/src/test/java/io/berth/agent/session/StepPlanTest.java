package io.berth.agent.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/// What `srun` asks for a step of a component of the job.
class StepPlanTest {

    private static final Map<String, String> SCRIPT =
            Map.of(
                    "HOME", "/home/alice",
                    "MASTER_ADDR", "a",
                    "MASTER_ADDR_HET_GROUP_0", "a",
                    "MASTER_ADDR_HET_GROUP_1", "b",
                    "SLURM_HET_SIZE", "12",
                    "SLURM_JOB_ID", "17",
                    "SLURM_JOB_ID_HET_GROUP_1", "18",
                    "SLURM_JOB_ID_HET_GROUP_11", "28",
                    "SLURM_NTASKS_PER_NODE", "4");

    @Test
    void a_component_has_its_own_values_of_the_jobs_variables() {
        StepPlan plan = StepPlan.of("component=1", SCRIPT, true);

        assertThat(plan.environment())
                .containsEntry("HOME", "/home/alice")
                .containsEntry("SLURM_JOB_ID", "18")
                .containsEntry("SLURM_JOBID", "18")
                .containsEntry("MASTER_ADDR", "a")
                .doesNotContainKey("SLURM_NTASKS_PER_NODE");
        assertThat(plan.isOfTheScript()).isFalse();
        assertThat(plan.endsTogether()).isFalse();
        assertThat(plan.meetsElsewhere()).isFalse();
    }

    @Test
    void a_component_alone_has_them_already() {
        assertThat(StepPlan.of("component=1", SCRIPT, false).environment()).isEqualTo(SCRIPT);
    }

    @Test
    void where_the_script_has_its_tasks_meet_is_its_own() {
        var script = new TreeMap<>(SCRIPT);
        script.put("MASTER_ADDR", "ib-a");

        StepPlan plan = StepPlan.of("component=0\nkill=1", script, true);

        assertThat(plan.meetsElsewhere()).isTrue();
        assertThat(plan.isOfTheScript()).isTrue();
        assertThat(plan.endsTogether()).isTrue();
    }
}
