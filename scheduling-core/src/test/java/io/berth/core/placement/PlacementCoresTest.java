package io.berth.core.placement;

import static io.berth.core.testing.TestCell.cpus;
import static io.berth.core.testing.TestCell.gpus;
import static org.assertj.core.api.Assertions.assertThat;

import io.berth.contracts.Gpu;
import io.berth.contracts.GpuHardware;
import io.berth.contracts.Hardware;
import io.berth.contracts.IndexSet;
import io.berth.contracts.Inventory;
import io.berth.contracts.JobId;
import io.berth.contracts.Limit;
import io.berth.contracts.Limits;
import io.berth.contracts.NodeConstraints;
import io.berth.contracts.NodeName;
import io.berth.contracts.NodeShape;
import io.berth.contracts.Reason;
import io.berth.contracts.Sharing;
import io.berth.contracts.Tres;
import io.berth.contracts.config.Configuration;
import io.berth.contracts.event.ConfigEntry.Partition;
import io.berth.contracts.event.NodeSeen;
import io.berth.contracts.event.PartitionRules;
import io.berth.contracts.event.PartitionRules.State;
import io.berth.contracts.event.RunReport.Cause;
import io.berth.core.engine.Scheduling.Settings;
import io.berth.core.lifecycle.Engine;
import io.berth.core.placement.Placement.Pass;
import io.berth.core.placement.Verdict.Question;
import io.berth.core.placement.Verdict.Stage;
import io.berth.core.state.Fact;
import io.berth.core.state.Input;
import io.berth.core.testing.TestCell;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/// Jobs that get whole cores, on `n1`: four cores, the threads of core 0 are CPUs 0 and 4 and so
/// on, and a GPU near cores 2 and 3.
final class PlacementCoresTest {

    private static final List<Integer> SPLIT = List.of(0, 1, 2, 3, 0, 1, 2, 3);

    private final TestCell cell = new TestCell();

    private void wholeCores() {
        cell.configure(cluster -> cluster.wholeCores = true);
    }

    private void node(List<Integer> cores) {
        var near =
                new GpuHardware(
                        GpuHardware.Vendor.NVIDIA,
                        "0000:07:00.0",
                        null,
                        null,
                        IndexSet.parse("2-3,6-7"),
                        null,
                        null,
                        Map.of(),
                        null,
                        null,
                        null);
        var inventory =
                new Inventory(
                        1,
                        4,
                        2,
                        8,
                        65_536,
                        List.of(new Gpu(0, "GPU-n1-0", "a100", "A100", 0, 40_960, 0, near)),
                        List.of(),
                        false,
                        null,
                        "linux",
                        "x86_64",
                        null,
                        new Hardware(List.of(), List.of(), 0, List.of(), List.of(), null, cores));
        cell.take(
                new Input.Registered(
                        new NodeSeen(
                                new NodeName("n1"),
                                "nonce",
                                "machine",
                                "boot",
                                "test",
                                inventory,
                                List.of(),
                                0)));
    }

    @Test
    void cpus_are_rounded_up_to_cores_and_all_threads_of_these_are_given() {
        wholeCores();
        node(SPLIT);
        cell.submit(1, cpus(1));
        cell.submit(2, cpus(3));
        cell.round();

        assertThat(cell.where(1)).containsExactly("n1:0,4:");
        assertThat(cell.where(2)).containsExactly("n1:1-2,5-6:");
    }

    @Test
    void tasks_that_run_on_one_thread_of_a_core_have_the_whole_of_it() {
        wholeCores();
        node(SPLIT);
        var oneThread = NodeConstraints.built(new NodeShape(0, 0, 0, null, null, 1));
        cell.submit(1, cpus(3).on(oneThread));
        cell.submit(2, cpus(2));
        cell.round();

        assertThat(cell.where(1)).containsExactly("n1:0-2,4-6:");
        assertThat(cell.where(2)).containsExactly("n1:3,7:");
    }

    @Test
    void they_are_given_out_one_by_one_where_nothing_is_said() {
        node(SPLIT);
        cell.submit(1, cpus(1));
        cell.submit(2, cpus(3));
        cell.round();

        assertThat(cell.where(1)).containsExactly("n1:0:");
        assertThat(cell.where(2)).containsExactly("n1:1-3:");
    }

    @Test
    void the_cores_are_those_nearest_to_the_gpu() {
        wholeCores();
        node(SPLIT);
        cell.submit(1, gpus(1, 1, null));
        cell.round();

        assertThat(cell.where(1)).containsExactly("n1:2,6:0");
    }

    @Test
    void who_needs_more_cores_than_are_free_waits_and_is_told_that_there_is_no_room() {
        wholeCores();
        node(SPLIT);
        for (long id = 1; id <= 3; id++) {
            cell.submit(id, cpus(1));
        }
        cell.submit(4, cpus(3));
        cell.round();

        assertThat(cell.job(4).reason()).isEqualTo(Reason.RESOURCES);
        assertThat(Objects.requireNonNull(cell.job(4).planned()).start()).isGreaterThan(cell.now);
        assertThat(
                        new Placement(cell.state, Settings.DEFAULT)
                                .explain(new JobId(4), cell.now)
                                .orElseThrow()
                                .stages())
                .contains(new Stage(Question.SIZE, 1, 1), new Stage(Question.FREE, 0, 0));
    }

    @Test
    void a_core_of_which_a_thread_is_set_aside_is_given_to_none_but_who_has_the_node_alone() {
        wholeCores();
        node(List.of(0, 1, 2, 3, 4, 1, 2, 3));
        cell.submit(1, cpus(6));
        cell.submit(2, cpus(7));
        cell.round();

        assertThat(cell.where(1)).containsExactly("n1:1-3,5-7:");
        assertThat(cell.job(2).reason()).isEqualTo(Reason.BAD_CONSTRAINTS);
    }

    @Test
    void nobody_has_a_node_alone_while_somebody_is_there_on_a_core_that_is_given_to_none() {
        node(List.of(0, 1, 2, 3, 4, 1, 2, 3));
        cell.submit(1, cpus(1));
        cell.round();
        wholeCores();
        cell.submit(
                2,
                cpus(1).on(
                                new NodeConstraints(
                                        null,
                                        List.of(),
                                        List.of(),
                                        Sharing.NODE,
                                        null,
                                        null,
                                        null,
                                        null)));
        cell.round();

        assertThat(cell.where(1)).containsExactly("n1:0:");
        assertThat(cell.job(2).reason()).isEqualTo(Reason.RESOURCES);
    }

    /// CPUs 0 and 4 are of core 0: eight jobs of before the switch hold four cores.
    @Test
    void a_core_that_two_have_from_before_counts_once_and_until_the_last_of_them_has_ended() {
        node(SPLIT);
        cell.submit(1, TestCell.job(cpus(1), 600));
        for (long id = 2; id <= 4; id++) {
            cell.submit(id, TestCell.job(cpus(1), 60));
        }
        cell.submit(5, TestCell.job(cpus(1), 300));
        cell.round();
        wholeCores();
        var placement = new Placement(cell.state, Settings.DEFAULT);
        for (long id = 2; id <= 4; id++) {
            cell.started(id, 1, "n1").forEach(placement::note);
            cell.ended(id, 1, "n1", Cause.EXITED, 0).forEach(placement::note);
        }
        cell.submit(6, cpus(6)).forEach(placement::note);
        cell.submit(7, TestCell.job(cpus(8), 600)).forEach(placement::note);
        decide(placement);
        assertThat(cell.where(1)).containsExactly("n1:0:");
        assertThat(cell.where(5)).containsExactly("n1:4:");
        assertThat(cell.where(6)).containsExactly("n1:1-3,5-7:");

        cell.started(1, 1, "n1").forEach(placement::note);
        cell.ended(1, 1, "n1", Cause.EXITED, 0).forEach(placement::note);
        cell.submit(8, cpus(1)).forEach(placement::note);
        decide(placement);
        assertThat(cell.where(8)).as("a job beside 5 on its core").isEmpty();

        cell.started(5, 1, "n1").forEach(placement::note);
        cell.ended(5, 1, "n1", Cause.EXITED, 0).forEach(placement::note);
        decide(placement);
        assertThat(cell.where(8)).containsExactly("n1:0,4:");
    }

    /// What is kept from before decides as what is made anew.
    private void decide(Placement placement) {
        List<Fact> facts = Engine.place(cell.state, placement, cell.now, Pass.PLAN);
        assertThat(facts)
                .isEqualTo(
                        Engine.place(
                                cell.state,
                                new Placement(cell.state, Settings.DEFAULT),
                                cell.now,
                                Pass.PLAN));
        facts.forEach(cell.state::replay);
        facts.forEach(placement::note);
    }

    @Test
    void where_no_core_has_a_second_thread_each_cpu_is_one() {
        wholeCores();
        node(List.of(0, 1, 2, 3, 4, 5, 6, 7));
        cell.submit(1, cpus(1));
        cell.round();

        assertThat(cell.where(1)).containsExactly("n1:0:");
    }

    @Test
    void where_an_agent_does_not_tell_cores_each_cpu_is_one() {
        wholeCores();
        node(List.of());
        cell.submit(1, cpus(1));
        cell.round();

        assertThat(cell.where(1)).containsExactly("n1:0:");
    }

    @Test
    void limits_count_the_cpus_that_a_job_gets() {
        cell.configure(
                TestCell.configuration(
                        new Limits(
                                Map.of(), Map.of(Limit.MAX_TRES_PER_USER, Map.of(Tres.CPU, 5L)))),
                cluster -> cluster.wholeCores = true);
        node(SPLIT);
        cell.submit(1, cpus(3));
        cell.submit(2, cpus(1));
        cell.round();

        assertThat(cell.where(1)).isNotEmpty();
        assertThat(cell.job(2).reason()).isEqualTo(Reason.QOS_MAX_CPU_PER_USER_LIMIT);
    }

    @Test
    void so_do_the_cpus_that_a_partition_has_of_a_node() {
        Configuration plain = TestCell.configuration();
        var rules =
                new PartitionRules(
                        State.UP, 1, 3, 0, List.of(), List.of(), List.of(), List.of(), null, null,
                        0, false, null);
        var partitions = new LinkedHashMap<>(plain.partitions());
        partitions.computeIfPresent(
                "batch",
                (name, it) ->
                        new Partition(
                                it.part(),
                                name,
                                true,
                                it.nodes(),
                                3600,
                                600,
                                0,
                                1,
                                1,
                                1024,
                                rules));
        cell.configure(
                new Configuration(
                        plain.revision(),
                        plain.cluster(),
                        partitions,
                        plain.accounts(),
                        plain.associations(),
                        plain.qos(),
                        plain.reservations(),
                        plain.switches(),
                        plain.licenses()),
                cluster -> cluster.wholeCores = true);
        node(SPLIT);
        cell.submit(1, cpus(1));
        cell.submit(2, cpus(1));
        cell.submit(3, cpus(3));
        cell.round();

        assertThat(cell.where(1)).containsExactly("n1:0,4:");
        assertThat(cell.job(2).reason()).isEqualTo(Reason.RESOURCES);
        assertThat(cell.job(3).reason()).isEqualTo(Reason.BAD_CONSTRAINTS);
    }

    @Test
    void a_node_that_is_declared_has_the_threads_of_a_core_side_by_side() {
        wholeCores();
        var declared =
                new Inventory(
                        2, 2, 2, 8, 65_536, List.of(), List.of(), true, "dgx", "linux", "x86_64");
        cell.take(
                new Input.Registered(
                        new NodeSeen(
                                new NodeName("n1"),
                                "nonce",
                                "machine",
                                "boot",
                                "test",
                                declared,
                                List.of(),
                                0)));
        cell.submit(1, cpus(1));
        cell.submit(2, cpus(1));
        cell.round();

        assertThat(cell.where(1)).containsExactly("n1:0-1:");
        assertThat(cell.where(2)).containsExactly("n1:2-3:");
    }
}
