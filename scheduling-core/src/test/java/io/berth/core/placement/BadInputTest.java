package io.berth.core.placement;

import static io.berth.core.testing.TestCell.gpus;
import static io.berth.core.testing.TestCell.orders;
import static org.assertj.core.api.Assertions.assertThat;

import io.berth.contracts.Gpu;
import io.berth.contracts.HeldRun;
import io.berth.contracts.Inventory;
import io.berth.contracts.JobState;
import io.berth.contracts.NodeName;
import io.berth.contracts.Reason;
import io.berth.contracts.event.ConfigEntry.Part;
import io.berth.contracts.event.ConfigEntry.Switch;
import io.berth.contracts.event.JobStatus;
import io.berth.contracts.event.NodeSeen;
import io.berth.contracts.event.Order;
import io.berth.contracts.event.RunReport.Cause;
import io.berth.core.state.Fact;
import io.berth.core.state.Input;
import io.berth.core.testing.TestCell;
import java.util.List;
import org.junit.jupiter.api.Test;

/// What becomes of registrations and topologies that cannot be so, and of time that goes back.
final class BadInputTest {

    private final TestCell cell = new TestCell();

    private static NodeSeen seen(String name, int gpus, String nonce, List<HeldRun> runs) {
        return TestCell.seen(name, 8, gpus, "a100", nonce, "boot", runs);
    }

    private static Switch leaf(String name, List<String> nodes, List<String> switches) {
        return new Switch(new Part(2, 1, 1), name, nodes, switches);
    }

    @Test
    void a_node_with_one_gpu_twice_is_refused_by_name() {
        NodeSeen good = seen("n1", 2, "nonce", List.of());
        Gpu gpu = good.inventory().gpus().getFirst();
        Inventory has = good.inventory();
        var twice =
                new Inventory(
                        has.sockets(),
                        has.coresPerSocket(),
                        has.threadsPerCore(),
                        has.cpus(),
                        has.memoryMib(),
                        List.of(gpu, gpu),
                        has.isolation(),
                        has.simulated(),
                        has.profile(),
                        has.os(),
                        has.architecture());

        List<Fact> facts =
                cell.take(
                        new Input.Registered(
                                new NodeSeen(
                                        good.node(),
                                        good.nonce(),
                                        good.machineId(),
                                        good.bootId(),
                                        good.agentVersion(),
                                        twice,
                                        List.of(),
                                        0)));

        assertThat(orders(facts))
                .singleElement()
                .isInstanceOfSatisfying(
                        Order.Refused.class,
                        it -> assertThat(it.why()).contains("GPU GPU-n1-0 is there twice"));
        assertThat(cell.state.node(new NodeName("n1"))).isEmpty();
    }

    @Test
    void a_node_that_comes_back_smaller_keeps_its_run_and_takes_no_more() {
        cell.node("n1", 8, 8, "a100");
        cell.submit(1, gpus(1, 6, null));
        cell.round();
        cell.started(1, 1, "n1");
        var held = new HeldRun(TestCell.run(1, 1), HeldRun.Phase.RUNNING);

        cell.take(new Input.Registered(seen("n1", 2, "smaller", List.of(held))));
        cell.submit(2, gpus(1, 1, null));
        cell.submit(3, gpus(1, 4, null));
        cell.round();

        assertThat(cell.job(1).state()).isEqualTo(JobState.RUNNING);
        assertThat(cell.job(2).reason()).isEqualTo(Reason.RESOURCES);
        assertThat(cell.job(3).reason()).isEqualTo(Reason.BAD_CONSTRAINTS);
        cell.ended(1, 1, "n1", Cause.EXITED, 0);
        cell.round();
        assertThat(cell.where(2)).containsExactly("n1:0:0");
    }

    @Test
    void a_switch_over_nodes_that_nobody_knows_is_as_if_they_were_not_in_it() {
        cell.switches(leaf("s1", List.of("n1", "n2", "gone"), List.of()));
        cell.node("n1", 8, 8, "a100");
        cell.node("n2", 8, 8, "a100");
        cell.submit(1, gpus(2, 8, null));

        cell.round();

        assertThat(cell.where(1)).hasSize(2);
    }

    @Test
    void switches_in_a_loop_do_not_keep_jobs_from_starting() {
        cell.switches(
                leaf("s1", List.of("n1"), List.of("s2")), leaf("s2", List.of("n2"), List.of("s1")));
        cell.node("n1", 8, 8, "a100");
        cell.node("n2", 8, 8, "a100");
        cell.submit(1, gpus(2, 8, null));

        cell.round();

        assertThat(cell.where(1)).hasSize(2);
    }

    @Test
    void time_that_goes_back_starts_what_has_room_and_keeps_what_is_planned() {
        cell.node("n1", 8, 8, "a100");
        cell.submit(1, gpus(1, 6, null));
        cell.submit(2, gpus(1, 8, null));
        cell.round();
        JobStatus waits = cell.job(2);

        cell.now -= 500_000;
        cell.submit(3, gpus(1, 1, null));
        cell.round();

        assertThat(cell.job(1).state()).isEqualTo(JobState.RUNNING);
        assertThat(cell.job(2).planned()).isEqualTo(waits.planned());
        assertThat(cell.where(3)).isNotEmpty();
    }
}
