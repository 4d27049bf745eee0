package io.berth.core.placement;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.contracts.GpuRequest;
import io.berth.contracts.HeldRun;
import io.berth.contracts.IndexSet;
import io.berth.contracts.JobId;
import io.berth.contracts.JobState;
import io.berth.contracts.LaunchMode;
import io.berth.contracts.Limit;
import io.berth.contracts.Limits;
import io.berth.contracts.MemoryRequest;
import io.berth.contracts.MigGpu;
import io.berth.contracts.MigGpus;
import io.berth.contracts.MigPlacement;
import io.berth.contracts.NodeConstraints;
import io.berth.contracts.NodeName;
import io.berth.contracts.PreemptMode;
import io.berth.contracts.Reason;
import io.berth.contracts.ResourceRequest;
import io.berth.contracts.RunId;
import io.berth.contracts.Sharing;
import io.berth.contracts.config.Configuration;
import io.berth.contracts.event.Division;
import io.berth.contracts.event.JobStatus;
import io.berth.contracts.event.NodeRequest;
import io.berth.contracts.event.NodeSeen;
import io.berth.contracts.event.NodeStatus;
import io.berth.contracts.event.Order;
import io.berth.contracts.event.PreemptRules;
import io.berth.contracts.event.RunReport.Cause;
import io.berth.core.engine.Scheduling.Settings;
import io.berth.core.forecast.Forecast;
import io.berth.core.placement.Verdict.Dividing;
import io.berth.core.state.Fact;
import io.berth.core.state.Input;
import io.berth.core.testing.MigNode;
import io.berth.core.testing.TestCell;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// GPUs in MIG mode are divided anew as jobs need it. `n1` has a whole GPU and two H100 in MIG
/// mode, `A` and `B`, which are its GPUs 1 and 2.
final class PlacementMigTest {

    private static final long COST = 15_000;
    private static final long HOLD = 300_000;

    private final TestCell cell = new TestCell();
    private int nonces;

    @BeforeEach
    void give() {
        give(new MigGpus(List.of("ALL"), null, null, 15, 300));
        cell.node("n0", 16, 2, "a100");
    }

    private void give(MigGpus... rules) {
        give(TestCell.configuration(), rules);
    }

    private void give(Configuration it, MigGpus... rules) {
        long revision = cell.state.configuration().orElseThrow().revision() + 1;
        cell.take(
                new Input.Configured(
                        new Configuration(
                                revision,
                                it.cluster().with(to -> to.migGpus = List.of(rules)),
                                it.partitions(),
                                it.accounts(),
                                it.associations(),
                                it.qos(),
                                it.reservations(),
                                it.switches(),
                                it.licenses())));
    }

    private void register(String a, String b) {
        register(a, b, null);
    }

    private void register(String a, String b, @Nullable String failure) {
        var splits = new TreeMap<String, List<MigPlacement>>();
        splits.put("A", MigNode.geometry(a));
        splits.put("B", MigNode.geometry(b));
        var held = new ArrayList<HeldRun>();
        for (JobId job : cell.state.jobsOn(new NodeName("n1"))) {
            JobStatus.Run run = Objects.requireNonNull(cell.state.knownJob(job).run());
            held.add(new HeldRun(new RunId(job, run.lease()), HeldRun.Phase.RUNNING));
        }
        String nonce = "n1-" + nonces++;
        NodeSeen plain = TestCell.seen("n1", 16, 1, "a100", nonce, "boot", held);
        cell.take(new Input.Registered(MigNode.seen(plain, splits, nonce, failure)));
    }

    private static ResourceRequest instances(int count, String type) {
        return new ResourceRequest(
                1, 1, 1, MemoryRequest.perCpu(1024), new GpuRequest(count, type));
    }

    /// What a round orders of GPUs: `A=7x1g.10gb`.
    private List<String> divided() {
        return divisions(cell.round());
    }

    private static List<String> divisions(List<Fact> facts) {
        return TestCell.orders(facts).stream()
                .filter(Order.Partition.class::isInstance)
                .map(Order.Partition.class::cast)
                .map(it -> it.gpu() + "=" + MigPlacement.words(it.instances()))
                .toList();
    }

    private void end(long job) {
        cell.started(job, 1, "n1");
        cell.ended(job, 1, "n1", Cause.EXITED, 0);
    }

    @Test
    void an_empty_gpu_is_divided_for_a_job_that_no_geometry_holds() {
        register("7g.80gb@0", "3g.40gb@0 3g.40gb@4");
        cell.submit(1, instances(1, "1g.10gb"));

        assertThat(divided()).containsExactly("A=7x1g.10gb");

        assertThat(cell.job(1).reason()).isEqualTo(Reason.RESOURCES);
    }

    @Test
    void the_job_starts_when_the_node_says_that_it_is_so() {
        register("7g.80gb@0", "3g.40gb@0 3g.40gb@4");
        cell.submit(1, instances(1, "h100_1g.10gb"));
        cell.round();

        register(
                "1g.10gb@0 1g.10gb@1 1g.10gb@2 1g.10gb@3 1g.10gb@4 1g.10gb@5 1g.10gb@6",
                "3g.40gb@0 3g.40gb@4");

        assertThat(divided()).isEmpty();
        JobStatus.Run run = Objects.requireNonNull(cell.job(1).run());
        assertThat(run.allocations().getFirst().gpus()).containsExactly("MIG-A-n1-1-0");
    }

    @Test
    void nothing_is_placed_on_a_gpu_while_it_is_being_divided() {
        register("7g.80gb@0", "3g.40gb@0 3g.40gb@4");
        cell.submit(1, instances(1, "1g.10gb"));
        cell.round();
        cell.submit(2, instances(1, "7g.80gb"));

        assertThat(divided()).containsExactly("B=1x7g.80gb");

        assertThat(cell.job(2).state()).isEqualTo(JobState.PENDING);
    }

    @Test
    void the_geometry_has_what_jobs_wait_for_in_the_order_of_their_priority() {
        register("", "7g.80gb@0");
        cell.submit(9, instances(1, "7g.80gb"));
        cell.round();
        cell.submit(1, instances(4, "1g.10gb"));
        cell.submit(2, instances(1, "4g.40gb"));
        cell.submit(3, instances(1, "3g.40gb"));
        cell.rank(1, 10);
        cell.rank(3, 20);
        cell.rank(2, 5);

        assertThat(divided()).containsExactly("A=1x3g.40gb+4x1g.10gb");
    }

    @Test
    void a_gpu_with_a_run_on_it_is_not_divided() {
        register("3g.40gb@0 3g.40gb@4", "7g.80gb@0");
        cell.submit(1, instances(1, "3g.40gb"));
        cell.submit(2, instances(1, "7g.80gb"));
        cell.round();
        cell.submit(3, instances(1, "1g.10gb"));

        assertThat(divided()).isEmpty();

        assertThat(cell.job(3).reason()).isEqualTo(Reason.RESOURCES);
        end(1);
        assertThat(divided()).containsExactly("A=7x1g.10gb");
    }

    @Test
    void a_gpu_is_not_divided_for_a_job_that_starts_by_then_anyway() {
        register("1g.10gb@0", "7g.80gb@0");
        cell.submit(1, instances(1, "1g.10gb"));
        cell.round();
        cell.started(1, 1, "n1");
        cell.now += 600_000 - COST / 2;
        cell.submit(2, instances(1, "1g.10gb"));

        assertThat(divided()).isEmpty();

        cell.submit(3, instances(1, "1g.10gb"));
        assertThat(divided()).containsExactly("B=7x1g.10gb");
    }

    @Test
    void a_gpu_stays_as_it_was_divided_for_a_while() {
        register("7g.80gb@0", "7g.80gb@0");
        give(new MigGpus(List.of("n1"), IndexSet.parse("1"), null, 15, 300));
        cell.submit(1, instances(1, "3g.40gb"));
        cell.round();
        register("3g.40gb@0 3g.40gb@4", "7g.80gb@0");
        cell.round();
        end(1);
        cell.submit(2, instances(1, "1g.10gb"));

        assertThat(divided()).isEmpty();

        var placement = new Placement(cell.state, Settings.DEFAULT);
        placement.decide(cell.now, Placement.Pass.PLAN, (_, _) -> {});
        assertThat(placement.next(cell.now)).isEqualTo(1_000_000 + COST + HOLD);
        cell.now = 1_000_000 + COST + HOLD;
        assertThat(divided()).containsExactly("A=7x1g.10gb");
    }

    @Test
    void a_division_that_failed_is_not_ordered_again_at_once_and_each_time_later() {
        give(new MigGpus(List.of("n1"), IndexSet.parse("1"), null, 0, 0));
        register("7g.80gb@0", "7g.80gb@0");
        cell.submit(1, instances(1, "1g.10gb"));
        assertThat(divided()).hasSize(1);

        register("7g.80gb@0", "7g.80gb@0", "GPU A is in use");

        assertThat(divided()).isEmpty();
        cell.now += 59_999;
        assertThat(divided()).isEmpty();
        cell.now += 1;
        assertThat(divided()).hasSize(1);
        register("7g.80gb@0", "7g.80gb@0", "GPU A is in use");
        cell.now += 60_000;
        assertThat(divided()).isEmpty();
        cell.now += 60_000;
        assertThat(divided()).hasSize(1);
    }

    /// It says nothing of a failure: it knows of none.
    private void leaveEmpty() {
        give(new MigGpus(List.of("n1"), IndexSet.parse("1"), null, 0, 0));
        register("7g.80gb@0", "7g.80gb@0");
        cell.submit(1, instances(1, "1g.10gb"));
        assertThat(divided()).containsExactly("A=7x1g.10gb");
        register("", "7g.80gb@0");
    }

    @Test
    void a_gpu_that_a_killed_agent_left_empty_is_divided_anew_for_the_job_that_waits() {
        leaveEmpty();
        long epoch = cell.state.node(new NodeName("n1")).orElseThrow().epoch();

        assertThat(divided()).isEmpty();

        var placement = new Placement(cell.state, Settings.DEFAULT);
        placement.decide(cell.now, Placement.Pass.PLAN, (_, _) -> {});
        assertThat(placement.next(cell.now)).isEqualTo(cell.now + 60_000);
        cell.now += 60_000;
        assertThat(TestCell.orders(cell.round()))
                .singleElement()
                .isEqualTo(
                        new Order.Partition(
                                new NodeName("n1"),
                                epoch,
                                1,
                                "A",
                                MigNode.geometry(
                                        "1g.10gb@0 1g.10gb@1 1g.10gb@2 1g.10gb@3 1g.10gb@4 1g.10gb@5 1g.10gb@6")));
    }

    @Test
    void a_gpu_that_a_killed_agent_left_empty_is_whole_again_for_another_job() {
        leaveEmpty();
        cell.cancel(1);
        cell.submit(2, instances(1, "7g.80gb"));
        cell.submit(3, instances(1, "7g.80gb"));
        assertThat(divided()).isEmpty();

        cell.now += 60_000;

        assertThat(divided()).containsExactly("A=1x7g.80gb");
        register("7g.80gb@0", "7g.80gb@0");
        cell.round();
        JobStatus.Run run = Objects.requireNonNull(cell.job(3).run());
        assertThat(run.allocations().getFirst().gpus()).containsExactly("MIG-A-n1-2-0");
    }

    @Test
    void a_registration_while_a_gpu_is_still_divided_is_no_failure() {
        give(new MigGpus(List.of("n1"), IndexSet.parse("1"), null, 0, 0));
        register("7g.80gb@0", "7g.80gb@0");
        cell.submit(1, instances(1, "1g.10gb"));
        assertThat(divided()).hasSize(1);

        NodeSeen plain = TestCell.seen("n1", 16, 1, "a100", "meanwhile", "boot", List.of());
        NodeSeen seen = MigNode.seen(plain, Map.of("A", List.of()), "meanwhile", null);
        cell.take(
                new Input.Registered(
                        new NodeSeen(
                                seen.node(),
                                seen.nonce(),
                                seen.machineId(),
                                seen.bootId(),
                                seen.agentVersion(),
                                seen.inventory().emptied("A", MigGpu::underway),
                                seen.runs(),
                                seen.reportsEnd())));

        assertThat(divided()).isEmpty();
        assertThat(cell.state.node(new NodeName("n1")).orElseThrow().divisions())
                .singleElement()
                .matches(Division::inProgress)
                .matches(it -> it.failures() == 0);
    }

    @Test
    void the_geometry_that_a_failure_left_is_the_one_that_jobs_get() {
        register("7g.80gb@0", "7g.80gb@0");
        cell.submit(1, instances(1, "1g.10gb"));
        cell.round();

        register("1g.10gb@0", "7g.80gb@0", "no memory left");
        cell.round();

        JobStatus.Run run = Objects.requireNonNull(cell.job(1).run());
        assertThat(run.allocations().getFirst().gpus()).containsExactly("MIG-A-n1-1-0");
    }

    @Test
    void a_gpu_is_kept_for_a_job_that_is_expected_to_use_it() {
        register("7g.80gb@0", "7g.80gb@0");
        cell.submit(1, instances(1, "7g.80gb"));
        cell.round();
        cell.submit(2, instances(2, "7g.80gb"));
        cell.round();
        assertThat(cell.job(2).planned()).isNotNull();
        cell.submit(3, instances(1, "1g.10gb"));

        assertThat(divided()).isEmpty();
    }

    @Test
    void a_gpu_is_kept_for_a_job_that_its_node_is_being_cleared_for() {
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
        give(
                TestCell.configuration(Limits.NONE, byPartition),
                new MigGpus(List.of("ALL"), null, null, 15, 300));
        register("7g.80gb@0", "7g.80gb@0");
        cell.submit(1, instances(1, "7g.80gb"));
        cell.round();
        cell.started(1, 1, "n1");
        cell.submit(2, "urgent", instances(2, "7g.80gb"), LaunchMode.BATCH, true);
        cell.submit(3, instances(1, "1g.10gb"));

        assertThat(divided()).isEmpty();

        assertThat(cell.job(2).clearing()).isNotNull();
        assertThat(divided()).isEmpty();
    }

    @Test
    void a_division_that_nothing_is_heard_of_is_not_counted_on_for_ever() {
        register("7g.80gb@0", "7g.80gb@0");
        cell.submit(1, instances(1, "1g.10gb"));
        assertThat(divided()).containsExactly("A=7x1g.10gb");
        cell.now += COST + HOLD - 1;
        assertThat(divided()).isEmpty();
        var placement = new Placement(cell.state, Settings.DEFAULT);
        placement.decide(cell.now, Placement.Pass.PLAN, (_, _) -> {});
        assertThat(placement.next(cell.now)).isEqualTo(cell.now + 1);

        cell.now += 1;

        assertThat(divided()).containsExactly("B=7x1g.10gb");
    }

    @Test
    void a_division_that_is_to_cost_nothing_is_counted_on_for_a_minute() {
        give(new MigGpus(List.of("ALL"), null, null, 0, 0));
        register("7g.80gb@0", "7g.80gb@0");
        cell.submit(1, instances(1, "1g.10gb"));
        cell.round();
        cell.now += 59_999;

        assertThat(divided()).isEmpty();

        cell.now += 1;
        assertThat(divided()).containsExactly("B=7x1g.10gb");
    }

    @Test
    void a_thousand_jobs_that_limits_hold_back_do_not_keep_the_next_from_a_division() {
        give(
                TestCell.configuration(new Limits(Map.of(Limit.MAX_JOBS, 1L), Map.of())),
                new MigGpus(List.of("ALL"), null, null, 15, 300));
        register("7g.80gb@0", "7g.80gb@0");
        cell.submit(1, "alice", TestCell.cpus(1));
        cell.round();
        for (int job = 2; job < 2 + Divisions.MOST_JOBS; job++) {
            cell.submit(job, "alice", instances(1, "3g.40gb"));
        }
        cell.submit(2 + Divisions.MOST_JOBS, "bob", instances(1, "1g.10gb"));

        assertThat(divided()).containsExactly("A=7x1g.10gb");
    }

    @Test
    void a_job_that_a_node_has_no_cpus_for_or_that_wants_it_alone_is_not_waited_with() {
        register("7g.80gb@0", "7g.80gb@0");
        var gpus = new GpuRequest(1, "1g.10gb");
        cell.submit(1, new ResourceRequest(1, 17, 1, MemoryRequest.perCpu(1), gpus));
        var alone = new NodeConstraints(null, List.of(), List.of(), Sharing.NODE, null);
        cell.submit(2, new ResourceRequest(1, 1, 1, MemoryRequest.perCpu(1), gpus).on(alone));

        assertThat(divided()).isEmpty();

        assertThat(cell.job(1).reason()).isEqualTo(Reason.BAD_CONSTRAINTS);
        assertThat(cell.job(2).reason()).isEqualTo(Reason.BAD_CONSTRAINTS);
    }

    @Test
    void what_the_operator_does_not_give_is_left_as_it_is() {
        give(new MigGpus(List.of("n1"), null, List.of("3g.40gb", "1g.20gb"), 15, 300));
        register("7g.80gb@0", "7g.80gb@0");
        cell.submit(1, instances(1, "1g.10gb"));
        cell.submit(2, instances(1, "1g.20gb"));

        assertThat(divided()).containsExactly("A=4x1g.20gb");

        assertThat(cell.job(1).reason()).isEqualTo(Reason.BAD_CONSTRAINTS);
    }

    @Test
    void no_gpu_is_divided_on_a_node_that_is_drained() {
        register("7g.80gb@0", "7g.80gb@0");
        cell.take(
                new Input.NodeAsked(
                        new NodeRequest.DrainRequested(new NodeName("n1"), "root", "fan")));
        cell.submit(1, instances(1, "1g.10gb"));

        assertThat(divided()).isEmpty();

        assertThat(cell.job(1).reason()).isEqualTo(Reason.REQ_NODE_NOT_AVAIL);
        cell.take(new Input.NodeAsked(new NodeRequest.ResumeRequested(new NodeName("n1"), "root")));
        assertThat(divided()).containsExactly("A=7x1g.10gb");
    }

    @Test
    void no_gpu_is_divided_where_the_node_has_no_room_for_the_job() {
        register("7g.80gb@0", "7g.80gb@0");
        cell.submit(
                1,
                new ResourceRequest(
                        1, 16, 1, MemoryRequest.perCpu(1024), new GpuRequest(1, "7g.80gb")));
        cell.round();
        cell.submit(2, instances(1, "1g.10gb"));

        assertThat(divided()).isEmpty();
    }

    @Test
    void nobody_is_divided_for_whom_another_division_in_progress_will_do() {
        register("7g.80gb@0", "7g.80gb@0");
        cell.submit(1, instances(1, "1g.10gb"));
        cell.round();
        cell.submit(2, instances(6, "1g.10gb"));

        assertThat(divided()).isEmpty();

        cell.submit(3, instances(1, "1g.10gb"));
        assertThat(divided()).containsExactly("B=7x1g.10gb");
    }

    @Test
    void why_names_the_gpu_that_is_being_divided() {
        register("7g.80gb@0", "7g.80gb@0");
        cell.submit(1, instances(1, "1g.10gb"));
        cell.round();

        Verdict verdict =
                new Placement(cell.state, Settings.DEFAULT)
                        .explain(new JobId(1), cell.now)
                        .orElseThrow();

        assertThat(verdict.dividing())
                .containsExactly(new Dividing(new NodeName("n1"), 1, "7x1g.10gb"));
    }

    @Test
    void a_forecast_counts_on_the_division() {
        register("7g.80gb@0", "7g.80gb@0");
        cell.submit(1, instances(1, "1g.10gb"));

        var start = new Forecast(cell.state, Settings.DEFAULT, cell.now).start(new JobId(1));

        assertThat(start.at()).isEqualTo(cell.now);
    }

    @Test
    void a_division_is_over_when_the_node_registers_without_the_gpu() {
        register("7g.80gb@0", "7g.80gb@0");
        cell.submit(1, instances(1, "1g.10gb"));
        cell.round();

        NodeSeen plain = TestCell.seen("n1", 16, 1, "a100", "other", "boot", List.of());
        var splits = Map.of("B", MigNode.geometry("7g.80gb@0"));
        cell.take(new Input.Registered(MigNode.seen(plain, splits, "other", null)));

        NodeStatus node = cell.state.node(new NodeName("n1")).orElseThrow();
        assertThat(node.divisions()).isEmpty();
    }
}
