package io.berth.core.placement;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.contracts.Allocation;
import io.berth.contracts.GpuRequest;
import io.berth.contracts.GpuShare;
import io.berth.contracts.GpuShare.Enforcement;
import io.berth.contracts.GpuSharing;
import io.berth.contracts.IndexSet;
import io.berth.contracts.JobId;
import io.berth.contracts.JobState;
import io.berth.contracts.LaunchMode;
import io.berth.contracts.Limits;
import io.berth.contracts.MemoryRequest;
import io.berth.contracts.NodeConstraints;
import io.berth.contracts.NodeName;
import io.berth.contracts.PreemptMode;
import io.berth.contracts.Reason;
import io.berth.contracts.ResourceRequest;
import io.berth.contracts.RunId;
import io.berth.contracts.ShareRequest;
import io.berth.contracts.SharedGpus;
import io.berth.contracts.Sharing;
import io.berth.contracts.config.Configuration;
import io.berth.contracts.event.JobEvent;
import io.berth.contracts.event.JobStatus;
import io.berth.contracts.event.PreemptRules;
import io.berth.contracts.event.RunReport;
import io.berth.contracts.event.RunReport.Cause;
import io.berth.core.engine.Scheduling.Settings;
import io.berth.core.placement.Verdict.Axis;
import io.berth.core.state.Input;
import io.berth.core.testing.TestCell;
import io.berth.core.testing.TestPartition;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Parts of GPUs: who gets which, and what it costs. `n1` has three GPUs of 40 GiB, of which 0 and
/// 1 are given out in thousandths.
final class PlacementSharesTest {

    private final TestCell cell = new TestCell();

    @BeforeEach
    void registerNode() {
        share(new SharedGpus(List.of("n1"), IndexSet.parse("0-1"), GpuSharing.MPS, 1000));
        cell.node("n1", 16, 3, "a100");
    }

    private void share(SharedGpus... rules) {
        share(PreemptRules.NONE, rules);
    }

    private void share(PreemptRules preemption, SharedGpus... rules) {
        Configuration it = TestCell.configuration(Limits.NONE, preemption);
        cell.take(
                new Input.Configured(
                        new Configuration(
                                it.revision() + 1,
                                it.cluster().with(to -> to.sharedGpus = List.of(rules)),
                                it.partitions(),
                                it.accounts(),
                                it.associations(),
                                it.qos(),
                                it.reservations(),
                                it.switches(),
                                it.licenses())));
    }

    private static ResourceRequest part(GpuSharing sharing, int parts, @Nullable Long memoryMib) {
        return new ResourceRequest(
                1,
                1,
                1,
                MemoryRequest.perCpu(1024),
                GpuRequest.of(new ShareRequest(sharing, parts, memoryMib), null));
    }

    private static ResourceRequest mps(int thousandths) {
        return part(GpuSharing.MPS, thousandths, null);
    }

    private Allocation held(long job) {
        JobStatus.Run run = Objects.requireNonNull(cell.job(job).run());
        return run.allocations().getFirst();
    }

    private void end(long job) {
        cell.started(job, 1, "n1");
        cell.ended(job, 1, "n1", Cause.EXITED, 0);
        cell.round();
    }

    @Test
    void a_part_goes_to_the_fullest_gpu_that_has_it() {
        cell.submit(1, mps(600));
        cell.submit(2, mps(500));
        cell.submit(3, mps(400));

        cell.round();

        assertThat(cell.where(1)).isEqualTo(List.of("n1:0:0"));
        assertThat(cell.where(2)).isEqualTo(List.of("n1:1:1"));
        assertThat(cell.where(3)).isEqualTo(List.of("n1:2:0"));
    }

    @Test
    void a_part_waits_for_cpus_of_a_socket_that_its_partition_may_have() {
        TestPartition.change(cell, "batch", TestPartition.used(to -> to.maxCpusPerSocket = 2));
        cell.submit(1, mps(300));
        cell.submit(2, mps(300));
        cell.submit(3, mps(300));

        cell.round();

        assertThat(cell.where(2)).isEqualTo(List.of("n1:1:0"));
        assertThat(cell.job(3).reason()).isEqualTo(Reason.RESOURCES);
        assertThat(cell.job(3).planned()).isNotNull();

        end(1);

        assertThat(cell.where(3)).isEqualTo(List.of("n1:0:0"));
    }

    /// The part ran for 400 s and lost 20 GPU-seconds, the GPU for 200 s and 200.
    @Test
    void who_loses_less_of_a_gpu_gives_way_first_though_he_began_before() {
        var byPartition =
                new PreemptRules(
                        PreemptRules.Type.PARTITION_PRIO,
                        PreemptMode.REQUEUE,
                        false,
                        PreemptMode.REQUEUE,
                        0,
                        false,
                        0,
                        0,
                        0,
                        30,
                        null);
        share(
                byPartition,
                new SharedGpus(List.of("n1"), IndexSet.parse("0-1"), GpuSharing.MPS, 1000));
        cell.submit(
                1, onEightCpus(GpuRequest.of(new ShareRequest(GpuSharing.MPS, 50, null), null)));
        cell.round();
        cell.started(1, 1, "n1");
        cell.now += 200_000;
        cell.submit(2, onEightCpus(new GpuRequest(1, null)));
        cell.round();
        cell.started(2, 1, "n1");
        cell.now += 200_000;

        cell.submit(3, "urgent", onEightCpus(GpuRequest.NONE), LaunchMode.BATCH, true);
        cell.round();

        assertThat(Objects.requireNonNull(cell.job(3).clearing()).victims())
                .containsExactly(new RunId(new JobId(1), 1));
    }

    private static ResourceRequest onEightCpus(GpuRequest gpus) {
        return new ResourceRequest(1, 1, 8, MemoryRequest.perCpu(1), gpus);
    }

    @Test
    void who_has_the_node_to_himself_has_all_of_it_beside_his_part() {
        ResourceRequest alone =
                mps(100).on(NodeConstraints.NONE.with(to -> to.sharing = Sharing.NODE));
        cell.submit(1, mps(100));
        cell.submit(2, alone);
        cell.submit(3, mps(100));
        cell.round();

        assertThat(cell.job(2).reason()).isEqualTo(Reason.RESOURCES);
        end(1);
        end(3);
        cell.submit(4, mps(100));
        cell.round();

        assertThat(cell.where(2)).containsExactly("n1:0-15:0");
        assertThat(held(2).share()).extracting(GpuShare::parts).isEqualTo(100);
        assertThat(cell.job(4).state()).isEqualTo(JobState.PENDING);
    }

    @Test
    void a_part_names_its_share_of_the_gpus_memory() {
        cell.submit(1, mps(250));

        cell.round();

        assertThat(held(1).share()).isEqualTo(new GpuShare(GpuSharing.MPS, 250, 1000, 10_240));
    }

    @Test
    void memory_alone_takes_as_much_of_the_gpu_as_it_is_of_its_memory() {
        cell.submit(1, part(GpuSharing.MPS, 0, 30_720L));
        cell.submit(2, part(GpuSharing.MPS, 100, 30_720L));
        cell.submit(3, part(GpuSharing.MPS, 0, 10_241L));

        cell.round();

        assertThat(held(1).share()).isEqualTo(new GpuShare(GpuSharing.MPS, 750, 1000, 30_720));
        assertThat(cell.where(2)).isEqualTo(List.of("n1:1:1"));
        assertThat(cell.job(3).state()).isEqualTo(JobState.PENDING);
    }

    @Test
    void whole_gpus_and_shared_ones_never_stand_in_for_each_other() {
        cell.submit(1, TestCell.gpus(1, 1, null));
        cell.submit(2, TestCell.gpus(1, 1, null));
        cell.submit(3, mps(1000));
        cell.submit(4, mps(1000));
        cell.submit(5, mps(10));

        cell.round();

        assertThat(cell.where(1)).isEqualTo(List.of("n1:0:2"));
        assertThat(Stream.of(3, 4).map(it -> held(it).gpus()).toList())
                .isEqualTo(List.of(List.of("GPU-n1-0"), List.of("GPU-n1-1")));
        assertThat(cell.job(2).reason()).isEqualTo(Reason.RESOURCES);
        assertThat(cell.job(5).state()).isEqualTo(JobState.PENDING);
    }

    @Test
    void one_that_finds_no_room_is_expected_on_a_gpu_and_keeps_its_part_of_it() {
        cell.submit(1, mps(1000));
        cell.submit(2, mps(600));
        cell.round();
        cell.now += 60_000;
        cell.submit(3, mps(700));
        cell.round();
        JobStatus.Planned planned = Objects.requireNonNull(cell.job(3).planned());
        cell.submit(4, mps(400));

        cell.round();

        assertThat(planned.gpu()).isEqualTo("GPU-n1-0");
        assertThat(cell.where(4)).isEqualTo(List.of("n1:2:1"));
        end(1);
        assertThat(held(3).gpus()).isEqualTo(List.of("GPU-n1-0"));
    }

    @Test
    void a_part_that_no_gpu_could_ever_give_is_a_bad_constraint() {
        cell.submit(1, part(GpuSharing.SHARD, 1, null));
        cell.submit(2, part(GpuSharing.MPS, 0, 50_000L));

        cell.round();

        assertThat(cell.job(1).reason()).isEqualTo(Reason.BAD_CONSTRAINTS);
        assertThat(cell.job(2).reason()).isEqualTo(Reason.BAD_CONSTRAINTS);
    }

    @Test
    void shards_are_as_many_as_the_cluster_says() {
        share(new SharedGpus(List.of("ALL"), null, GpuSharing.SHARD, 3));
        for (long job = 1; job <= 10; job++) {
            cell.submit(job, part(GpuSharing.SHARD, 1, null));
        }

        cell.round();

        assertThat(Stream.of(1, 2, 3).map(it -> held(it).gpus().getFirst()).distinct().toList())
                .isEqualTo(List.of("GPU-n1-0"));
        assertThat(cell.where(9)).isEqualTo(List.of("n1:8:2"));
        assertThat(cell.job(10).state()).isEqualTo(JobState.PENDING);
    }

    @Test
    void a_part_is_charged_as_the_part_that_it_is() {
        cell.submit(1, mps(250));
        cell.round();
        long rate = Objects.requireNonNull(cell.job(1).run()).billingRate();
        cell.now += 10_001;

        end(1);

        assertThat(rate).isEqualTo(1000 + 256 + 16_000 / 4);
        assertThat(cell.job(1).ended().getFirst().charge().gpuMillis()).isEqualTo(2500);
    }

    @Test
    void a_rule_that_changes_under_runs_takes_nothing_from_them_and_gives_nothing_twice() {
        cell.submit(1, mps(500));
        cell.submit(2, TestCell.gpus(1, 1, null));
        cell.round();

        share(new SharedGpus(List.of("n1"), IndexSet.parse("2"), GpuSharing.MPS, 1000));
        cell.submit(3, mps(10));
        cell.submit(4, TestCell.gpus(1, 2, null));
        cell.round();

        assertThat(cell.job(3).state()).isEqualTo(JobState.PENDING);
        assertThat(cell.job(4).state()).isEqualTo(JobState.PENDING);
        end(2);
        assertThat(cell.where(3)).isEqualTo(List.of("n1:1:2"));
        end(1);
        assertThat(cell.where(4)).hasSize(1);
    }

    @Test
    void the_smallest_change_that_helps_is_told() {
        cell.submit(1, mps(600));
        cell.submit(2, mps(700));
        cell.submit(3, mps(900));
        cell.round();

        Verdict verdict =
                new Placement(cell.state, Settings.DEFAULT)
                        .explain(cell.job(3).job(), cell.now)
                        .orElseThrow();

        assertThat(verdict.changes()).contains(new Verdict.Change(Axis.GPUS, "mps:90", "mps:40"));
    }

    @Test
    void what_limits_a_run_to_its_part_is_told_of_it() {
        cell.submit(1, mps(600));
        cell.round();

        var facts =
                cell.take(
                        new Input.Reported(
                                new RunReport.Started(
                                        TestCell.run(1, 1),
                                        new NodeName("n1"),
                                        1,
                                        1,
                                        List.of(),
                                        Enforcement.NONE)));

        assertThat(TestCell.events(facts))
                .contains(new JobEvent.Started(cell.job(1).job(), cell.now, 1, Enforcement.NONE));
        JobStatus.Run run = Objects.requireNonNull(cell.job(1).run());
        assertThat(run.parts().getFirst().enforced()).isEqualTo(Enforcement.NONE);
    }
}
