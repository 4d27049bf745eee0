package io.berth.core.placement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.berth.contracts.DeclaredGres;
import io.berth.contracts.GpuRequest;
import io.berth.contracts.Gres;
import io.berth.contracts.HeldRun;
import io.berth.contracts.JobId;
import io.berth.contracts.Limit;
import io.berth.contracts.Limits;
import io.berth.contracts.MemoryRequest;
import io.berth.contracts.NodeConstraints;
import io.berth.contracts.PreemptMode;
import io.berth.contracts.Reason;
import io.berth.contracts.ResourceRequest;
import io.berth.contracts.RunId;
import io.berth.contracts.Sharing;
import io.berth.contracts.Tres;
import io.berth.contracts.config.Configuration;
import io.berth.contracts.event.JobStatus.Planned;
import io.berth.contracts.event.NodeSeen;
import io.berth.contracts.event.NodeStatus;
import io.berth.contracts.event.PreemptRules;
import io.berth.contracts.event.RunReport.Cause;
import io.berth.core.engine.Scheduling.Settings;
import io.berth.core.placement.Verdict.Axis;
import io.berth.core.placement.Verdict.Change;
import io.berth.core.state.Holding;
import io.berth.core.state.Input;
import io.berth.core.testing.TestCell;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;

/// Resources other than GPUs: who gets which. `n1` tells of two FPGAs with device files, `n2` has
/// four nics by the configuration.
final class PlacementGresTest {

    private static final Gres FPGAS =
            new Gres("fpga", "xilinx", 2, List.of("/dev/xfpga0", "/dev/xfpga1"));

    private final TestCell cell = new TestCell();
    private final long zero = cell.now;

    PlacementGresTest() {
        configure(Limits.NONE, PreemptRules.NONE, 4);
        node("n1", FPGAS);
        node("n2");
    }

    private void configure(Limits limits, PreemptRules preemption, long nics) {
        Configuration it = TestCell.configuration(limits, preemption);
        var declared = new DeclaredGres(List.of("n2"), List.of(new Gres("nic", null, nics)));
        cell.take(
                new Input.Configured(
                        new Configuration(
                                it.revision() + 1,
                                it.cluster().with(to -> to.gres = List.of(declared)),
                                it.partitions(),
                                it.accounts(),
                                it.associations(),
                                it.qos(),
                                it.reservations(),
                                it.switches(),
                                it.licenses())));
    }

    private void node(String name, Gres... gres) {
        node(name, "nonce-" + name, List.of(), gres);
    }

    /// The agent of `n1` starts anew, while the run of job 1 goes on, and tells of these.
    private void restarted(Gres... gres) {
        var going = new HeldRun(new RunId(new JobId(1), 1), HeldRun.Phase.RUNNING);
        node("n1", "another nonce", List.of(going), gres);
    }

    private void node(String name, String nonce, List<HeldRun> runs, Gres... gres) {
        NodeSeen plain = TestCell.seen(name, 16, 2, "a100", nonce, "boot", List.of());
        cell.take(
                new Input.Registered(
                        new NodeSeen(
                                plain.node(),
                                plain.nonce(),
                                plain.machineId(),
                                plain.bootId(),
                                plain.agentVersion(),
                                plain.inventory().having(List.of(gres)),
                                runs,
                                0)));
    }

    private static ResourceRequest wants(int gpus, Gres... gres) {
        return new ResourceRequest(1, 1, 1, MemoryRequest.perCpu(1024), new GpuRequest(gpus, null))
                .holding(List.of(gres));
    }

    private static Gres nics(long count) {
        return new Gres("nic", null, count);
    }

    private static Gres fpgas(long count) {
        return new Gres("fpga", null, count);
    }

    private void submit(long id, String partition, ResourceRequest request, long limitSeconds) {
        cell.submit(id, TestCell.job(request, limitSeconds).in(partition));
    }

    private List<Gres> held(long job) {
        return Objects.requireNonNull(cell.job(job).run()).allocations().getFirst().gres();
    }

    private boolean runs(long job) {
        return cell.job(job).run() != null;
    }

    private Verdict why(long job) {
        return new Placement(cell.state, Settings.DEFAULT)
                .explain(new JobId(job), cell.now)
                .orElseThrow();
    }

    @Test
    void jobs_get_device_files_that_nobody_has_and_give_them_back() {
        cell.submit(1, wants(0, fpgas(1)));
        cell.submit(2, wants(1, new Gres("fpga", "xilinx", 1)));
        cell.submit(3, wants(0, fpgas(1)));

        cell.round();

        assertThat(held(1)).containsExactly(new Gres("fpga", "xilinx", 1, List.of("/dev/xfpga0")));
        assertThat(held(2)).containsExactly(new Gres("fpga", "xilinx", 1, List.of("/dev/xfpga1")));
        assertThat(runs(3)).isFalse();
        assertThat(cell.job(3).reason()).isEqualTo(Reason.RESOURCES);

        cell.started(1, 1, "n1");
        cell.ended(1, 1, "n1", Cause.EXITED, 0);
        cell.round();

        assertThat(held(3)).containsExactly(new Gres("fpga", "xilinx", 1, List.of("/dev/xfpga0")));
    }

    @Test
    void what_the_configuration_says_of_a_node_is_counted() {
        cell.submit(1, wants(0, nics(3)));
        cell.submit(2, wants(0, nics(2)));

        cell.round();

        assertThat(cell.where(1)).isEqualTo(List.of("n2:0:"));
        assertThat(held(1)).containsExactly(nics(3));
        assertThat(runs(2)).isFalse();
        assertThat(why(2).changes()).contains(new Change(Axis.GRES, "nic:2", "nic:1"));
    }

    @Test
    void no_node_has_both_or_so_many() {
        cell.submit(1, wants(0, nics(1), fpgas(1)));
        cell.submit(2, wants(0, nics(5)));
        cell.submit(3, wants(0, new Gres("fpga", "altera", 1)));

        cell.round();

        assertThat(List.of(1L, 2L, 3L))
                .allSatisfy(job ->
                        assertThat(cell.job(job).reason()).isEqualTo(Reason.BAD_CONSTRAINTS));
    }

    /// One job holds three of four nics for ten minutes. The next wants two: it is expected then.
    /// The one behind it wants one until then, and starts; one that would last longer waits.
    @Test
    void a_job_that_waits_for_them_is_expected_when_they_come_free() {
        submit(1, "batch", wants(0, nics(3)), 600);
        cell.round();
        submit(2, "batch", wants(0, nics(4)), 600);
        submit(3, "batch", wants(0, nics(1)), 300);
        submit(4, "batch", wants(0, nics(1)), 3000);
        cell.round();

        Planned planned = Objects.requireNonNull(cell.job(2).planned());
        assertThat(planned.start()).isEqualTo(zero + 600_000 + 2_000);
        assertThat(runs(3)).isTrue();
        assertThat(runs(4)).isFalse();
    }

    @Test
    void a_job_that_has_its_node_to_itself_has_all_of_them() {
        var alone = new NodeConstraints(null, List.of(), List.of(), Sharing.NODE, null);
        cell.submit(1, wants(0, fpgas(1)).on(alone));
        cell.submit(2, wants(0, fpgas(1)));

        cell.round();

        assertThat(held(1)).containsExactly(FPGAS);
        assertThat(runs(2)).isFalse();
    }

    @Test
    void a_limit_counts_them() {
        configure(
                new Limits(Map.of(), Map.of(Limit.MAX_TRES_PER_USER, Tres.parse("gres/nic=3"))),
                PreemptRules.NONE,
                4);
        cell.submit(1, wants(0, nics(2)));
        cell.submit(2, wants(0, nics(2)));

        cell.round();

        assertThat(runs(1)).isTrue();
        assertThat(cell.job(2).reason()).isEqualTo(Reason.QOS_MAX_GRES_PER_USER);
    }

    @Test
    void a_limit_counts_all_that_a_job_holds_that_has_its_node_to_itself() {
        configure(
                new Limits(
                        Map.of(),
                        Map.of(Limit.MAX_TRES_PER_USER, Tres.parse("gres/fpga:xilinx=2"))),
                PreemptRules.NONE,
                4);
        node("n3", new Gres("fpga", "xilinx", 2));
        var alone = new NodeConstraints(null, List.of(), List.of(), Sharing.NODE, null);
        cell.submit(1, wants(0, fpgas(1)).on(alone));
        cell.round();
        cell.submit(2, wants(0, new Gres("fpga", "xilinx", 1)));

        cell.round();

        assertThat(runs(1)).isTrue();
        assertThat(cell.job(2).reason()).isEqualTo(Reason.QOS_MAX_GRES_PER_USER);
    }

    @Test
    void who_holds_what_another_needs_gives_way_for_it_and_nobody_else_does() {
        configure(
                Limits.NONE,
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
                        null),
                4);
        submit(1, "batch", wants(0, nics(1)), 600);
        submit(2, "batch", wants(0, nics(3)), 600);
        cell.round();
        submit(3, "urgent", wants(0, nics(2)), 600);
        cell.round();

        assertThat(Objects.requireNonNull(cell.job(3).clearing()).victims())
                .extracting(it -> it.job().value())
                .containsExactly(2L);
    }

    @Test
    void fewer_by_the_configuration_than_runs_hold_leave_none() {
        cell.submit(1, wants(0, nics(3)));
        cell.round();
        configure(Limits.NONE, PreemptRules.NONE, 2);
        cell.submit(2, wants(0, nics(1)));

        cell.round();

        assertThat(runs(1)).isTrue();
        assertThat(runs(2)).isFalse();
    }

    @Test
    void who_wants_a_name_with_its_type_and_without_one_is_refused() {
        assertThatThrownBy(() -> wants(0, fpgas(1), new Gres("fpga", "xilinx", 1)))
                .hasMessageContaining("'fpga' comes twice");
        assertThatThrownBy(() -> wants(0, nics(1), nics(2))).hasMessageContaining("'nic'");
    }

    @Test
    void a_device_file_that_has_got_a_type_under_a_run_is_still_held() {
        node("n1", "untyped", List.of(), new Gres("fpga", null, 2, FPGAS.files()));
        cell.submit(1, wants(0, fpgas(1)));
        cell.round();
        cell.started(1, 1, "n1");
        cell.submit(2, wants(0, fpgas(2)));
        cell.submit(3, wants(0, fpgas(1)));

        restarted(FPGAS);
        cell.round();

        assertThat(held(1)).containsExactly(new Gres("fpga", null, 1, List.of("/dev/xfpga0")));
        assertThat(runs(2)).isFalse();
        assertThat(held(3)).containsExactly(new Gres("fpga", "xilinx", 1, List.of("/dev/xfpga1")));
    }

    @Test
    void device_files_that_have_changed_their_types_under_a_run_are_held_where_they_are_now() {
        Gres first = new Gres("fpga", "altera", 1, List.of("/dev/fpga0"));
        Gres second = new Gres("fpga", "xilinx", 1, List.of("/dev/fpga1"));
        node("n1", "before", List.of(), first, second);
        cell.submit(1, wants(0, new Gres("fpga", "altera", 1)));
        cell.round();
        cell.started(1, 1, "n1");
        cell.submit(2, wants(0, new Gres("fpga", "xilinx", 1)));
        cell.submit(3, wants(0, new Gres("fpga", "altera", 1)));

        restarted(
                new Gres("fpga", "altera", 1, second.files()),
                new Gres("fpga", "xilinx", 1, first.files()));
        cell.round();

        assertThat(runs(2)).isFalse();
        assertThat(held(3)).containsExactly(new Gres("fpga", "altera", 1, second.files()));
    }

    @Test
    void what_is_only_counted_and_got_types_under_a_run_is_still_held() {
        node("n1", "untyped", List.of(), new Gres("lic", null, 2));
        cell.submit(1, wants(0, new Gres("lic", null, 2)));
        cell.round();
        cell.started(1, 1, "n1");
        cell.submit(2, wants(0, new Gres("lic", null, 1)));
        cell.submit(3, wants(0, new Gres("lic", "y", 1)));

        restarted(new Gres("lic", "x", 2), new Gres("lic", "y", 2));
        cell.round();

        assertThat(runs(2)).isFalse();
        assertThat(runs(3)).isFalse();

        cell.ended(1, 1, "n1", Cause.EXITED, 0);
        cell.round();

        assertThat(runs(2)).isTrue();
        assertThat(runs(3)).isTrue();
    }

    @Test
    void a_node_that_tells_of_a_resource_or_a_device_file_twice_is_refused() {
        node("n3", new Gres("lic", null, 1), new Gres("lic", null, 2));
        node(
                "n4",
                new Gres("lic", "x", 1, List.of("/dev/a")),
                new Gres("nic", null, 1, List.of("/dev/a")));

        assertThat(cell.state.nodes())
                .extracting(it -> it.node().value())
                .containsExactly("n1", "n2");
    }

    /// A law over random jobs that end at random: never more is held than there is, no device file
    /// twice, and every job runs once.
    @Test
    void nothing_is_held_twice_and_nobody_is_forgotten() {
        for (int seed = 0; seed < 20; seed++) {
            new PlacementGresTest().play(new Random(seed), "seed " + seed);
        }
    }

    private void play(Random random, String as) {
        for (long id = 1; id <= 12; id++) {
            long count = 1L + random.nextInt(2);
            Gres gres = random.nextBoolean() ? nics(2 * count) : fpgas(count);
            submit(id, "batch", wants(random.nextInt(2), gres), 60L * (1 + random.nextInt(20)));
        }
        for (int step = 0; step < 100 && !cell.state.pending().isEmpty(); step++) {
            cell.round();
            for (NodeStatus node : cell.state.nodes()) {
                Holding holding = cell.state.holdingOn(node.node());
                assertThat(holding.twice()).as(as).isFalse();
                List<Gres> there =
                        node.node().value().equals("n1") ? List.of(FPGAS) : List.of(nics(4));
                assertThat(holding.gres(there))
                        .as(as)
                        .allSatisfy(held ->
                                assertThat(held.count())
                                        .isLessThanOrEqualTo(there.getFirst().count()));
            }
            cell.now += 30_000;
            for (JobId job : List.copyOf(cell.state.holding())) {
                if (random.nextInt(3) == 0) {
                    String node = on(job.value());
                    cell.started(job.value(), 1, node);
                    cell.ended(job.value(), 1, node, Cause.EXITED, 0);
                }
            }
        }
        assertThat(cell.state.pending()).as(as).isEmpty();
    }

    private String on(long job) {
        return Objects.requireNonNull(cell.job(job).run()).allocations().getFirst().node().value();
    }
}
