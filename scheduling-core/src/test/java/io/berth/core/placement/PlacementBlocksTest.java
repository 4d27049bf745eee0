package io.berth.core.placement;

import static io.berth.core.testing.TestCell.gpus;
import static org.assertj.core.api.Assertions.assertThat;

import io.berth.contracts.Blocks;
import io.berth.contracts.Blocks.Block;
import io.berth.contracts.GpuLinks;
import io.berth.contracts.Inventory;
import io.berth.contracts.JobId;
import io.berth.contracts.NodeConstraints;
import io.berth.contracts.NodeName;
import io.berth.contracts.Reason;
import io.berth.contracts.ResourceRequest;
import io.berth.contracts.config.Configuration;
import io.berth.contracts.event.NodeSeen;
import io.berth.core.engine.Scheduling.Settings;
import io.berth.core.placement.Verdict.Axis;
import io.berth.core.placement.Verdict.Change;
import io.berth.core.state.Input;
import io.berth.core.testing.TestCell;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Blocks `a` of n1 to n3 and `b` of n4 to n7, of nodes with 8 GPUs.
final class PlacementBlocksTest {

    private final TestCell cell = new TestCell();

    PlacementBlocksTest() {
        Configuration it = TestCell.configuration();
        var blocks = new Blocks(List.of(block("a", 1, 3), block("b", 4, 7)), List.of(4, 8));
        cell.take(
                new Input.Configured(
                        new Configuration(
                                it.revision() + 1,
                                it.cluster().with(to -> to.blocks = blocks),
                                it.partitions(),
                                it.accounts(),
                                it.associations(),
                                it.qos(),
                                it.reservations(),
                                it.switches(),
                                it.licenses())));
        for (int node = 1; node <= 7; node++) {
            cell.node("n" + node, 8, 8, "a100");
        }
    }

    private static Block block(String name, int first, int last) {
        return new Block(
                name,
                IntStream.rangeClosed(first, last).mapToObj(it -> new NodeName("n" + it)).toList());
    }

    private static ResourceRequest segments(int nodes, int of) {
        return gpus(nodes, 8, null).on(NodeConstraints.NONE.inBlocks(of, false));
    }

    private List<String> on(long job) {
        return cell.where(job).stream().map(it -> it.substring(0, it.indexOf(':'))).toList();
    }

    private Verdict why(long job) {
        return new Placement(cell.state, Settings.DEFAULT)
                .explain(new JobId(job), cell.now)
                .orElseThrow();
    }

    @Test
    void each_segment_lies_in_one_block() {
        cell.submit(1, segments(6, 3));
        cell.round();

        assertThat(on(1).subList(0, 3)).containsExactlyInAnyOrder("n1", "n2", "n3");
        assertThat(on(1).subList(3, 6)).isSubsetOf("n4", "n5", "n6", "n7");
    }

    @Test
    void a_gang_in_one_block_waits_while_free_nodes_lie_in_two_and_is_expected_there() {
        cell.submit(1, segments(4, 4));
        cell.round();
        cell.submit(2, segments(4, 4));
        cell.round();

        assertThat(on(1)).containsExactlyInAnyOrder("n4", "n5", "n6", "n7");
        assertThat(cell.job(2).reason()).isEqualTo(Reason.RESOURCES);
        assertThat(cell.job(2).planned()).isNotNull();
    }

    /// Two of block a and two of b are held: three are free, one of them in a.
    @Test
    void a_job_learns_that_it_would_start_in_any_blocks() {
        cell.submit(1, gpus(2, 8, null));
        cell.round();
        cell.submit(2, gpus(2, 8, null));
        cell.round();
        cell.submit(3, segments(3, 3));
        cell.round();

        assertThat(on(1)).isSubsetOf("n1", "n2", "n3");
        assertThat(on(2)).isSubsetOf("n4", "n5", "n6", "n7");
        assertThat(cell.job(3).run()).isNull();
        assertThat(why(3).changes()).contains(new Change(Axis.SEGMENT, "3", "any"));
    }

    @Test
    void what_no_block_holds_is_never_to_be_had() {
        cell.submit(1, segments(5, 5));
        cell.round();

        assertThat(cell.job(1).reason()).isEqualTo(Reason.BAD_CONSTRAINTS);
    }

    @Test
    void a_gang_without_segments_takes_nodes_of_one_block_where_it_can() {
        cell.submit(1, gpus(3, 8, null));
        cell.submit(2, gpus(4, 8, null));
        cell.round();

        assertThat(on(1)).containsExactlyInAnyOrder("n1", "n2", "n3");
        assertThat(on(2)).containsExactlyInAnyOrder("n4", "n5", "n6", "n7");
    }

    @ParameterizedTest
    @ValueSource(strings = {"NV4", "XGMI"})
    void gpus_that_must_be_linked_are_on_a_node_where_all_are(String link) {
        node("linked", new GpuLinks(List.of("X " + link, link + " X")));
        node("apart", new GpuLinks(List.of("X PIX", "PIX X")));
        ResourceRequest island = gpus(1, 2, "h100").on(NodeConstraints.NONE.inBlocks(null, true));
        cell.submit(1, island);
        cell.submit(2, island);
        cell.round();

        assertThat(on(1)).containsExactly("linked");
        assertThat(cell.job(2).run()).isNull();
        assertThat(why(2).changes()).contains(new Change(Axis.LINKED, "yes", "no"));
    }

    private void node(String name, @Nullable GpuLinks links) {
        NodeSeen plain = TestCell.seen(name, 16, 2, "h100", "nonce-" + name, "boot", List.of());
        Inventory has = plain.inventory();
        cell.take(
                new Input.Registered(
                        new NodeSeen(
                                plain.node(),
                                plain.nonce(),
                                plain.machineId(),
                                plain.bootId(),
                                plain.agentVersion(),
                                new Inventory(
                                        has.sockets(),
                                        has.coresPerSocket(),
                                        has.threadsPerCore(),
                                        has.cpus(),
                                        has.memoryMib(),
                                        has.gpus(),
                                        has.isolation(),
                                        true,
                                        null,
                                        has.os(),
                                        has.architecture(),
                                        links,
                                        null),
                                List.of(),
                                0)));
    }
}
