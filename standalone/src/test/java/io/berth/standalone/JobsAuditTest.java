package io.berth.standalone;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.contracts.Allocation;
import io.berth.contracts.Charge;
import io.berth.contracts.EndedRun;
import io.berth.contracts.ExitStatus;
import io.berth.contracts.GpuRequest;
import io.berth.contracts.GpuShare;
import io.berth.contracts.GpuSharing;
import io.berth.contracts.Gres;
import io.berth.contracts.IdempotencyKey;
import io.berth.contracts.IndexSet;
import io.berth.contracts.JobDescription;
import io.berth.contracts.JobId;
import io.berth.contracts.JobState;
import io.berth.contracts.LaunchMode;
import io.berth.contracts.MemoryRequest;
import io.berth.contracts.NodeName;
import io.berth.contracts.Rank;
import io.berth.contracts.Reason;
import io.berth.contracts.ResourceRequest;
import io.berth.contracts.SpecReference;
import io.berth.contracts.SuspendCause;
import io.berth.contracts.event.JobEvent;
import io.berth.contracts.event.JobStatus;
import io.berth.contracts.event.JobStatus.Part;
import io.berth.contracts.event.JobStatus.Part.Phase;
import io.berth.contracts.event.JobStatus.Run;
import io.berth.contracts.event.Submission;
import io.berth.contracts.json.Json;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class JobsAuditTest {

    private final JobsAudit audit = new JobsAudit();

    private static final JobDescription DESCRIPTION =
            new JobDescription(
                    "u",
                    "a",
                    "p",
                    "q",
                    "n",
                    new ResourceRequest(1, 1, 1, MemoryRequest.perNode(1), GpuRequest.NONE),
                    LaunchMode.BATCH,
                    0,
                    0,
                    true);

    private void queued(long id) {
        audit.read(new JobEvent.Queued(new JobId(id), 1, DESCRIPTION));
    }

    private void placed(long id, int lease, String gpu, int cpu) {
        audit.read(new JobEvent.Placed(new JobId(id), 2, lease, List.of(allocation(gpu, cpu)), 0));
    }

    private static Allocation allocation(String gpu, int cpu) {
        return new Allocation(
                new NodeName("n1"), 0, 1, IndexSet.parse(Integer.toString(cpu)), 1, List.of(gpu));
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

    private void placed(long id, GpuShare share, Gres... gres) {
        var allocation =
                new Allocation(
                        new NodeName("n1"),
                        0,
                        1,
                        IndexSet.parse(Long.toString(id)),
                        1,
                        List.of("GPU-a"),
                        share,
                        List.of(gres));
        audit.read(new JobEvent.Placed(new JobId(id), 2, 1, List.of(allocation), 0));
    }

    private static GpuShare thousandths(int parts) {
        return new GpuShare(GpuSharing.MPS, parts, GpuSharing.THOUSANDTHS, 1);
    }

    @Test
    void parts_of_a_gpu_add_up_to_the_whole_and_no_further() {
        for (long id = 1; id <= 4; id++) {
            queued(id);
        }
        placed(1, thousandths(500));
        placed(2, thousandths(250));
        placed(3, new GpuShare(GpuSharing.SHARD, 4, 16, 1));
        List<String> before = audit.breaks(List.of());
        placed(4, thousandths(1));

        assertThat(before).isEmpty();
        assertThat(audit.breaks(List.of()))
                .singleElement()
                .asString()
                .contains("job 4", "GPU-a", "job 1", "job 2", "job 3");
    }

    @Test
    void other_resources_are_held_as_far_as_a_node_has_them_and_a_device_file_once() {
        audit.has(new NodeName("n1"), "nic", 3);
        for (long id = 1; id <= 3; id++) {
            queued(id);
        }
        placed(1, thousandths(1), new Gres("nic", null, 2, List.of("/dev/nic0", "/dev/nic1")));
        placed(2, thousandths(1), new Gres("nic", null, 1, List.of("/dev/nic1")));
        List<String> before = audit.breaks(List.of());
        placed(3, thousandths(1), new Gres("nic", null, 1));

        assertThat(before).singleElement().asString().contains("job 2", "/dev/nic1", "job 1");
        assertThat(audit.breaks(List.of()))
                .last()
                .asString()
                .contains("job 3", "nic", "4 are held");
    }

    private void submitted(long id, String key) {
        audit.read(
                new Submission.Submitted(
                        new JobId(id),
                        DESCRIPTION,
                        "u",
                        new SpecReference(0, id, "00"),
                        new IdempotencyKey(key, "00"),
                        null));
    }

    @Test
    void a_second_job_of_a_key_is_noticed() {
        submitted(1, "a");
        submitted(2, "b");
        submitted(3, "a");
        submitted(4, "b");
        queued(1);
        queued(2);
        List<String> before = audit.breaks(List.of());
        queued(4);

        assertThat(before).isEmpty();
        assertThat(audit.breaks(List.of()))
                .singleElement()
                .asString()
                .contains("job 4", "key", "job 2");
    }

    private void booked(String jobs) throws IOException {
        audit.readBooks(Json.mapper().readTree(jobs));
    }

    @Test
    void books_that_tell_another_charge_or_other_runs_are_noticed() throws IOException {
        String right =
                "{\"cpuMillis\": 2, \"memoryMibMillis\": 2, \"gpuMillis\": 2, \"nodeMillis\": 2, \"billingMicros\": 0}";
        queued(1);
        placed(1, 1, "GPU-a", 0);
        ended(1, run("GPU-a"));
        booked("[{\"id\": 1, \"runs\": [{\"lease\": 1, \"charge\": %s}]}]".formatted(right));
        List<String> before = audit.breaks(List.of());

        booked("[{\"id\": 1, \"runs\": []}]");
        booked("[{\"id\": 1, \"runs\": [{\"lease\": 2, \"charge\": %s}]}]".formatted(right));
        booked(
                "[{\"id\": 1, \"runs\": [{\"lease\": 1, \"charge\": %s}, {\"lease\": 1, \"charge\": %s}]}]"
                        .formatted(right, right));
        booked(
                "[{\"id\": 1, \"runs\": [{\"lease\": 1, \"charge\": %s}]}]"
                        .formatted(right.replace("0", "1")));

        assertThat(before).isEmpty();
        assertThat(audit.breaks(List.of()))
                .hasSize(4)
                .allSatisfy(it -> assertThat(it).startsWith("job 1 is booked otherwise than told"));
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

    /// From 2 to 4, with a CPU, a MiB and a GPU, at a rate of 0.
    private static EndedRun run(String gpu) {
        return run(gpu, new Charge(2, 2, 2, 2, 0));
    }

    private static EndedRun run(String gpu, Charge charge) {
        return new EndedRun(
                1,
                List.of(allocation(gpu, 0)),
                2,
                3,
                4,
                JobState.COMPLETED,
                ExitStatus.SUCCESS,
                charge);
    }

    static List<Charge> wrongCharges() {
        return List.of(
                Charge.ZERO,
                new Charge(1, 2, 2, 2, 0),
                new Charge(2, 1, 2, 2, 0),
                new Charge(2, 2, 1, 2, 0),
                new Charge(2, 2, 2, 1, 0),
                new Charge(2, 2, 2, 2, 1),
                new Charge(2, 2, 2, 2, 0, Map.of("a100", 3L)));
    }

    @ParameterizedTest
    @MethodSource("wrongCharges")
    void a_charge_that_is_not_what_was_held_times_how_long_is_noticed(Charge wrong) {
        queued(1);
        placed(1, 1, "GPU-a", 0);
        ended(1, run("GPU-a", wrong));
        queued(2);
        placed(2, 1, "GPU-a", 0);
        audit.read(new JobEvent.Requeued(new JobId(2), 4, run("GPU-a", wrong), Reason.NODE_DOWN));

        assertThat(audit.breaks(List.of()))
                .satisfiesExactly(
                        it -> assertThat(it).startsWith("job 1 is charged otherwise"),
                        it -> assertThat(it).startsWith("job 2 is charged otherwise"));
    }

    @Test
    void the_time_that_a_run_stood_still_is_not_charged() {
        queued(1);
        placed(1, 1, "GPU-a", 0);
        suspended(1);
        audit.read(new JobEvent.Resumed(new JobId(1), 4, 1));
        EndedRun all = run("GPU-a");
        audit.read(new JobEvent.Requeued(new JobId(1), 4, all, Reason.NODE_DOWN));

        assertThat(audit.breaks(List.of())).singleElement().asString().contains("job 1 is charged");
    }

    @Test
    void memory_that_is_held_beyond_what_a_node_has_is_noticed() {
        audit.has(new NodeName("n1"), "memory", 2);
        for (long id = 1; id <= 4; id++) {
            queued(id);
        }
        placed(1, 1, "GPU-1", 1);
        placed(2, 1, "GPU-2", 0);
        audit.read(new JobEvent.Requeued(new JobId(2), 4, run("GPU-2"), Reason.NODE_DOWN));
        placed(3, 1, "GPU-3", 3);
        List<String> before = audit.breaks(List.of());
        placed(4, 1, "GPU-4", 4);

        assertThat(before).isEmpty();
        assertThat(audit.breaks(List.of()))
                .singleElement()
                .asString()
                .contains("job 4", "memory", "3 are held");
    }

    private void ended(long id, EndedRun... runs) {
        audit.read(
                new JobEvent.Ended(
                        new JobId(id),
                        4,
                        DESCRIPTION,
                        JobState.COMPLETED,
                        Reason.NONE,
                        ExitStatus.SUCCESS,
                        1,
                        List.of(runs),
                        null,
                        null));
    }

    /// A job as it stands in the log for those who come late.
    private static JobStatus late(long id, JobState state, @Nullable Run run, EndedRun... ended) {
        return new JobStatus(
                new JobId(id),
                DESCRIPTION,
                "u",
                new SpecReference(0, 0, "00"),
                null,
                0,
                1,
                state,
                Reason.NONE,
                Rank.NONE,
                run,
                List.of(ended),
                state.terminal() ? 4 : 0,
                null,
                null,
                null);
    }

    private static Run holding(String gpu) {
        return new Run(
                1, 2, 3, true, 0, null, List.of(new Part(allocation(gpu, 0), Phase.STARTED, 1, 1)));
    }

    @Test
    void who_comes_late_knows_what_events_told_of_and_need_not_know_what_has_ended() {
        for (long id = 1; id <= 4; id++) {
            queued(id);
        }
        placed(1, 1, "GPU-a", 0);
        ended(1, run("GPU-a"));
        ended(2);
        placed(3, 1, "GPU-b", 0);

        audit.readLate(
                List.of(
                        late(1, JobState.COMPLETED, null, run("GPU-a")),
                        late(3, JobState.RUNNING, holding("GPU-b")),
                        late(4, JobState.PENDING, null)));

        assertThat(audit.breaks(List.of())).isEmpty();
    }

    @Test
    void what_who_comes_late_knows_otherwise_is_noticed() {
        for (long id = 1; id <= 4; id++) {
            queued(id);
        }
        placed(1, 1, "GPU-a", 0);
        ended(1, run("GPU-a"));
        ended(2);
        placed(3, 1, "GPU-b", 0);

        audit.readLate(
                List.of(
                        late(1, JobState.COMPLETED, null, run("GPU-c")),
                        late(2, JobState.PENDING, null),
                        late(3, JobState.RUNNING, holding("GPU-d")),
                        late(5, JobState.PENDING, null)));

        assertThat(audit.breaks(List.of()))
                .satisfiesExactly(
                        it -> assertThat(it).startsWith("job 1 ").contains("its runs"),
                        it -> assertThat(it).startsWith("job 2 ").contains("its end"),
                        it -> assertThat(it).startsWith("job 3 ").contains("what it holds"),
                        it -> assertThat(it).startsWith("job 5 ").contains("never queued"),
                        it -> assertThat(it).startsWith("job 4 ").contains("no such job"));
    }
}
