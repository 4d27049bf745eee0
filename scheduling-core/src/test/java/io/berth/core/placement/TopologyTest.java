package io.berth.core.placement;

import static io.berth.core.testing.TestCell.gpus;
import static org.assertj.core.api.Assertions.assertThat;

import io.berth.contracts.NodeConstraints;
import io.berth.contracts.Reason;
import io.berth.contracts.ResourceRequest;
import io.berth.contracts.Sharing;
import io.berth.contracts.SwitchLimit;
import io.berth.contracts.event.ConfigEntry.Part;
import io.berth.contracts.event.ConfigEntry.Switch;
import io.berth.core.testing.TestCell;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/// Four nodes of 8 GPUs: n1 and n3 under one leaf switch, n2 and n4 under another, both under a
/// spine.
final class TopologyTest {

    private final TestCell cell = new TestCell();

    TopologyTest() {
        cell.switches(
                new Switch(new Part(2, 1, 3), "spine", List.of(), List.of("s1", "s2")),
                new Switch(new Part(2, 2, 3), "s1", List.of("n1", "n3"), List.of()),
                new Switch(new Part(2, 3, 3), "s2", List.of("n2", "n4"), List.of()));
        for (String node : List.of("n1", "n2", "n3", "n4")) {
            cell.node(node, 8, 8, "a100");
        }
    }

    private static ResourceRequest under(int switches, @Nullable Long seconds, int nodes) {
        ResourceRequest any = gpus(nodes, 8, null);
        return new ResourceRequest(
                any.nodes(),
                any.tasks(),
                any.cpusPerTask(),
                any.memory(),
                any.gpus(),
                new NodeConstraints(
                        null,
                        List.of(),
                        List.of(),
                        Sharing.SHARED,
                        new SwitchLimit(switches, seconds)));
    }

    private List<String> nodes(long job) {
        return cell.where(job).stream().map(it -> it.substring(0, it.indexOf(':'))).toList();
    }

    @Test
    void a_gang_lies_under_one_switch_where_the_tightest_nodes_do_not() {
        cell.submit(1, gpus(2, 4, null));
        cell.submit(2, gpus(1, 4, null));
        cell.round();
        assertThat(nodes(1)).containsExactly("n1", "n3");
        assertThat(nodes(2)).containsExactly("n1");

        cell.submit(3, gpus(2, 4, null));
        cell.round();

        assertThat(nodes(3)).containsExactly("n2", "n4");
    }

    @Test
    void a_job_waits_for_its_switch_and_takes_any_nodes_when_it_has_waited_enough() {
        cell.submit(1, gpus(1, 8, null));
        cell.round();
        cell.submit(2, gpus(1, 8, null));
        cell.round();
        assertThat(List.of(nodes(1), nodes(2))).containsExactly(List.of("n1"), List.of("n2"));
        cell.submit(3, under(1, 60L, 2));
        cell.round();
        assertThat(nodes(3)).isEmpty();
        assertThat(cell.job(3).reason()).isEqualTo(Reason.RESOURCES);

        cell.now += 60_000;
        cell.round();

        assertThat(nodes(3)).containsExactly("n3", "n4");
    }

    @Test
    void more_nodes_than_a_switch_has_wait_as_long_as_slurm_lets_them() {
        cell.submit(1, under(1, null, 3));
        cell.round();
        assertThat(cell.job(1).reason()).isEqualTo(Reason.RESOURCES);

        cell.now += 300_000;
        cell.round();

        assertThat(nodes(1)).hasSize(3);
    }

    @Test
    void two_switches_are_enough_for_four_nodes() {
        cell.submit(1, under(2, null, 4));

        cell.round();

        assertThat(nodes(1)).hasSize(4);
    }

    @Test
    void nodes_under_no_switch_are_used_when_nothing_else_has_room() {
        cell.node("n5", 8, 8, "a100");
        cell.submit(1, gpus(5, 8, null));

        cell.round();

        assertThat(nodes(1)).hasSize(5);
    }
}
