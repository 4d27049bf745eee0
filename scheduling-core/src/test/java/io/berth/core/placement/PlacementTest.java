package io.berth.core.placement;

import static io.berth.core.testing.TestCell.cpus;
import static io.berth.core.testing.TestCell.gpus;
import static io.berth.core.testing.TestCell.orders;
import static org.assertj.core.api.Assertions.assertThat;

import io.berth.contracts.Gpu;
import io.berth.contracts.GpuRequest;
import io.berth.contracts.JobId;
import io.berth.contracts.JobState;
import io.berth.contracts.LaunchMode;
import io.berth.contracts.MemoryRequest;
import io.berth.contracts.NodeName;
import io.berth.contracts.Reason;
import io.berth.contracts.ResourceRequest;
import io.berth.contracts.event.FairShares;
import io.berth.contracts.event.JobStatus;
import io.berth.contracts.event.NodeSeen;
import io.berth.contracts.event.NodeStatus.Presence;
import io.berth.contracts.event.Order;
import io.berth.core.engine.Scheduling.Settings;
import io.berth.core.placement.Verdict.Axis;
import io.berth.core.placement.Verdict.Change;
import io.berth.core.state.Input;
import io.berth.core.testing.TestCell;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class PlacementTest {

    private final TestCell cell = new TestCell();

    @Test
    void a_job_takes_the_lowest_free_cpus_and_gpus_of_the_first_node_by_name() {
        cell.node("n2", 8, 8, "a100");
        cell.node("n1", 8, 8, "a100");
        cell.submit(1, gpus(1, 2, null));
        cell.submit(2, gpus(1, 3, "a100"));

        cell.round();

        assertThat(cell.where(1)).containsExactly("n1:0:0,1");
        assertThat(cell.where(2)).containsExactly("n1:1:2,3,4");
    }

    @Test
    void an_instance_of_a_split_gpu_may_be_named_by_its_profile_alone() {
        cell.node("n1", 16, 3, "a100");
        cell.node("n2", 16, 3, "a100_1g.5gb");

        cell.submit(1, TestCell.gpus(1, 2, "1g.5gb"));
        cell.submit(2, TestCell.gpus(1, 1, "2g.10gb"));
        cell.submit(3, TestCell.gpus(1, 3, "a100"));
        cell.round();

        assertThat(cell.where(1)).isEqualTo(List.of("n2:0:0,1"));
        assertThat(cell.job(2).reason()).isEqualTo(Reason.BAD_CONSTRAINTS);
        assertThat(cell.where(3)).isEqualTo(List.of("n1:0:0,1,2"));
    }

    @Test
    void a_gpu_type_is_kept_to() {
        cell.node("n1", 8, 8, "a100");
        cell.node("n2", 8, 8, "h100");
        cell.submit(1, gpus(1, 1, "h100"));

        cell.round();

        assertThat(cell.where(1)).containsExactly("n2:0:0");
    }

    @Test
    void a_gang_starts_on_all_its_nodes_or_on_none() {
        cell.node("n1", 8, 4, "a100");
        cell.node("n2", 8, 4, "a100");
        cell.submit(1, gpus(1, 4, null));
        cell.submit(2, gpus(2, 2, null));

        cell.round();

        assertThat(cell.where(1)).containsExactly("n1:0:0,1,2,3");
        assertThat(cell.where(2)).isEmpty();
        assertThat(cell.job(2).reason()).isEqualTo(Reason.RESOURCES);
    }

    @Test
    void a_gang_waits_for_go_and_a_single_node_does_not() {
        cell.node("n1", 8, 4, "a100");
        cell.node("n2", 8, 4, "a100");
        cell.submit(1, gpus(2, 1, null));
        cell.submit(2, gpus(1, 1, null));

        List<Order> orders = orders(cell.round());

        assertThat(orders).hasOnlyElementsOfType(Order.Launch.class);
        assertThat(orders)
                .extracting(order -> ((Order.Launch) order).awaitGo())
                .containsExactly(true, true, false);
        assertThat(orders).extracting(Order::number).containsExactly(1L, 1L, 2L);
    }

    @Test
    void the_first_nodes_of_an_uneven_job_take_the_remainder() {
        cell.node("n1", 2, 0, "a100");
        cell.node("n2", 3, 0, "a100");
        cell.submit(1, new ResourceRequest(2, 5, 1, MemoryRequest.perNode(100), GpuRequest.NONE));

        cell.round();

        assertThat(cell.where(1)).containsExactly("n2:0-2:", "n1:0-1:");
    }

    @ParameterizedTest
    @CsvSource({"3, 1,", "2,, 3"})
    void nodes_have_as_many_gpus_as_their_tasks_want_or_are_left_for_them(
            int tasks, @Nullable Integer perTask, @Nullable Integer total) {
        cell.node("n1", 4, 1, "a100");
        cell.node("n2", 4, 2, "a100");
        var uneven = new GpuRequest(0, null, perTask, total, null, null);
        cell.submit(1, new ResourceRequest(2, tasks, 1, MemoryRequest.perNode(100), uneven));

        cell.round();

        assertThat(cell.where(1))
                .extracting(it -> it.replaceFirst(":.*:", " "))
                .containsExactly("n2 0,1", "n1 0");
        JobStatus.Run run = Objects.requireNonNull(cell.job(1).run());
        assertThat(run.gpusByType()).containsExactly(Map.entry("a100", 3L));
    }

    @Test
    void a_job_has_gpus_of_as_much_memory_as_it_asks_for() {
        cell.node("n1", 8, 2, "a100");
        NodeSeen seen = TestCell.seen("n2", 8, 2, "a100", "nonce", "boot", List.of());
        List<Gpu> larger =
                seen.inventory().gpus().stream()
                        .map(it ->
                                new Gpu(
                                        it.index(),
                                        it.uuid(),
                                        it.type(),
                                        it.name(),
                                        it.minor(),
                                        81_920,
                                        it.numaNode()))
                        .toList();
        cell.take(
                new Input.Registered(
                        new NodeSeen(
                                seen.node(),
                                seen.nonce(),
                                seen.machineId(),
                                seen.bootId(),
                                seen.agentVersion(),
                                seen.inventory().withGpus(larger, List.of()),
                                List.of(),
                                0)));
        var ofMemory = new GpuRequest(1, "a100", null, null, null, 80_000L);
        for (long id = 1; id <= 3; id++) {
            cell.submit(id, gpus(1, 1, null).with(ofMemory));
        }

        cell.round();

        assertThat(cell.where(1)).containsExactly("n2:0:0");
        assertThat(cell.where(2)).containsExactly("n2:1:1");
        assertThat(cell.where(3)).isEmpty();
        assertThat(cell.job(3).reason()).isEqualTo(Reason.RESOURCES);
        assertThat(
                        new Placement(cell.state, Settings.DEFAULT)
                                .explain(new JobId(3), cell.now)
                                .orElseThrow()
                                .changes())
                .containsExactly(new Change(Axis.GPU_MEMORY, "80000", "40960"));
    }

    @Test
    void memory_of_zero_takes_all_of_a_node() {
        cell.node("n1", 8, 0, "a100");
        cell.submit(1, new ResourceRequest(1, 1, 1, MemoryRequest.perNode(0), GpuRequest.NONE));
        cell.submit(2, cpus(1));

        cell.round();

        assertThat(cell.job(1).state()).isEqualTo(JobState.RUNNING);
        assertThat(cell.job(2).state()).isEqualTo(JobState.PENDING);
    }

    @Test
    void a_job_that_would_delay_the_first_waits_behind_it() {
        cell.node("n1", 8, 8, "a100");
        cell.submit(1, gpus(1, 6, null));
        cell.round();
        cell.now += 60_000;
        cell.submit(2, gpus(1, 8, null));
        cell.submit(3, gpus(1, 1, null));

        cell.round();

        assertThat(cell.job(2).reason()).isEqualTo(Reason.RESOURCES);
        assertThat(cell.job(3).reason()).isEqualTo(Reason.PRIORITY);
    }

    @Test
    void a_job_that_ends_before_the_first_can_start_passes_it() {
        cell.node("n1", 8, 8, "a100");
        cell.submit(1, gpus(1, 6, null));
        cell.round();
        cell.submit(2, gpus(1, 8, null));
        cell.submit(3, gpus(1, 1, null));

        cell.round();

        assertThat(cell.job(2).planned()).isNotNull();
        assertThat(cell.where(3)).containsExactly("n1:1:6");
    }

    @Test
    void a_job_passes_one_that_waits_for_other_nodes() {
        cell.node("n1", 8, 8, "a100");
        cell.node("n2", 8, 8, "h100");
        cell.submit(1, gpus(1, 6, "a100"));
        cell.round();
        cell.submit(2, gpus(1, 8, "a100"));
        cell.submit(3, gpus(1, 1, "h100"));

        cell.round();

        assertThat(cell.job(2).state()).isEqualTo(JobState.PENDING);
        assertThat(cell.where(3)).containsExactly("n2:0:0");
    }

    @Test
    void the_tier_comes_before_priority_and_priority_before_submission() {
        cell.node("n1", 1, 0, "a100");
        cell.submit(1, cpus(1));
        cell.submit(2, cpus(1));
        cell.submit(3, "urgent", cpus(1), LaunchMode.BATCH, true);
        cell.rank(2, 100);

        cell.round();

        assertThat(cell.where(3)).isNotEmpty();
        assertThat(cell.job(2).reason()).isEqualTo(Reason.RESOURCES);
        assertThat(cell.job(1).reason()).isEqualTo(Reason.PRIORITY);
    }

    @Test
    void fair_share_counts_in_the_priority() {
        cell.submit(1, cpus(1));
        cell.take(
                new Input.SharesRead(
                        new FairShares(
                                1,
                                0,
                                10_000_000_000L,
                                List.of(new FairShares.Factor("team", "alice", 250_000, 0, 0)))));

        long priority = Placement.priority(cell.state, cell.job(1), cell.now);

        assertThat(priority).isEqualTo(2_500_000_000L);
    }

    @Test
    void what_no_node_could_ever_hold_does_not_block_the_line() {
        cell.node("n1", 8, 8, "a100");
        cell.submit(1, gpus(1, 9, null));
        cell.submit(2, gpus(1, 8, null));

        cell.round();

        assertThat(cell.job(1).reason()).isEqualTo(Reason.BAD_CONSTRAINTS);
        assertThat(cell.job(2).state()).isEqualTo(JobState.RUNNING);
    }

    @Test
    void a_silent_node_gets_no_work() {
        cell.node("n1", 8, 8, "a100");
        cell.take(new Input.PresenceChanged(new NodeName("n1"), Presence.SILENT));
        cell.submit(1, gpus(1, 1, null));

        cell.round();

        assertThat(cell.job(1).reason()).isEqualTo(Reason.REQ_NODE_NOT_AVAIL);
    }

    @Test
    void the_limits_of_a_partition_make_a_job_wait_by_name() {
        cell.node("n1", 8, 8, "a100");
        cell.node("n2", 8, 8, "a100");
        cell.submit(1, "pair", gpus(2, 1, null), LaunchMode.BATCH, true);
        cell.submit(2, "nowhere", gpus(1, 1, null), LaunchMode.BATCH, true);

        cell.round();

        assertThat(cell.job(1).reason()).isEqualTo(Reason.PARTITION_NODE_LIMIT);
        assertThat(cell.job(2).reason()).isEqualTo(Reason.PARTITION_CONFIG);
    }

    @Test
    void the_billing_rate_is_the_sum_of_prices() {
        cell.node("n1", 8, 8, "a100");
        cell.submit(1, gpus(1, 2, null));

        cell.round();

        assertThat(Objects.requireNonNull(cell.job(1).run()).billingRate())
                .isEqualTo(1000 + 256 + 2 * 16_000);
    }
}
