package io.berth.standalone;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.contracts.Allocation;
import io.berth.contracts.GpuRequest;
import io.berth.contracts.IndexSet;
import io.berth.contracts.JobDescription;
import io.berth.contracts.JobId;
import io.berth.contracts.LaunchMode;
import io.berth.contracts.MemoryRequest;
import io.berth.contracts.NodeName;
import io.berth.contracts.ResourceRequest;
import io.berth.contracts.SuspendCause;
import io.berth.contracts.event.JobEvent;
import java.util.List;
import org.junit.jupiter.api.Test;

class JobsAuditTest {

    private final JobsAudit audit = new JobsAudit();

    private void queued(long id) {
        var request = new ResourceRequest(1, 1, 1, MemoryRequest.perNode(1), GpuRequest.NONE);
        audit.read(
                new JobEvent.Queued(
                        new JobId(id),
                        1,
                        new JobDescription(
                                "u", "a", "p", "q", "n", request, LaunchMode.BATCH, 0, 0, true)));
    }

    private void placed(long id, int lease, String gpu, int cpu) {
        var allocation =
                new Allocation(
                        new NodeName("n1"),
                        0,
                        1,
                        IndexSet.parse(Integer.toString(cpu)),
                        1,
                        List.of(gpu));
        audit.read(new JobEvent.Placed(new JobId(id), 2, lease, List.of(allocation), 0));
    }

    @Test
    void jobs_side_by_side_break_nothing() {
        queued(1);
        queued(2);
        placed(1, 1, "GPU-a", 0);
        placed(2, 1, "GPU-b", 1);

        assertThat(audit.breaks(List.of(1L, 2L))).isEmpty();
    }

    @Test
    void so_many_of_a_partition_hold_a_cpu_as_it_lets_them() {
        audit.together("p", 2);
        for (long id = 1; id <= 3; id++) {
            queued(id);
            placed(id, 1, "GPU-" + id, 0);
        }

        assertThat(audit.breaks(List.of())).singleElement().asString().contains("job 3", "CPU 0");
    }

    @Test
    void a_lost_job_is_noticed() {
        assertThat(audit.breaks(List.of(7L))).singleElement().asString().contains("job 7", "lost");
    }

    @Test
    void a_job_that_is_queued_twice_is_noticed() {
        queued(1);
        queued(1);

        assertThat(audit.breaks(List.of())).singleElement().asString().contains("queued twice");
    }

    @Test
    void a_gpu_that_two_jobs_hold_is_noticed() {
        queued(1);
        queued(2);
        placed(1, 1, "GPU-a", 0);
        placed(2, 1, "GPU-a", 1);

        assertThat(audit.breaks(List.of())).singleElement().asString().contains("GPU-a", "job 1");
    }

    private void suspended(long id) {
        audit.read(
                new JobEvent.Suspended(new JobId(id), 3, 1, SuspendCause.OPERATOR, "root", null));
    }

    @Test
    void a_suspended_run_gives_its_cpus_and_keeps_its_gpus() {
        queued(1);
        queued(2);
        placed(1, 1, "GPU-a", 0);
        suspended(1);
        placed(2, 1, "GPU-b", 0);
        List<String> before = audit.breaks(List.of());

        queued(3);
        placed(3, 1, "GPU-a", 1);

        assertThat(before).isEmpty();
        assertThat(audit.suspensions(List.of(1L, 2L))).isEqualTo(1);
        assertThat(audit.breaks(List.of())).singleElement().asString().contains("GPU-a", "job 1");
    }

    @Test
    void a_run_that_goes_on_with_cpus_that_another_one_has_is_noticed() {
        queued(1);
        queued(2);
        placed(1, 1, "GPU-a", 0);
        suspended(1);
        placed(2, 1, "GPU-b", 0);

        audit.read(new JobEvent.Resumed(new JobId(1), 4, 1));

        assertThat(audit.breaks(List.of())).singleElement().asString().contains("CPU 0", "job 2");
    }

    @Test
    void a_second_lease_beside_the_first_is_noticed() {
        queued(1);
        placed(1, 1, "GPU-a", 0);
        placed(1, 2, "GPU-b", 1);

        assertThat(audit.breaks(List.of()))
                .singleElement()
                .asString()
                .contains("placed twice at a time");
    }
}
