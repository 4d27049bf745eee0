package io.berth.submit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.berth.contracts.Blocks;
import io.berth.contracts.Blocks.Block;
import io.berth.contracts.GpuRequest;
import io.berth.contracts.MemoryRequest;
import io.berth.contracts.NodeRange;
import io.berth.contracts.ResourceRequest;
import io.berth.contracts.event.NodeSeen;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// All sample nodes are one block.
final class RequestedBlocksTest {

    private static final Blocks ONE =
            new Blocks(
                    List.of(new Block("all", Samples.NODES.stream().map(NodeSeen::node).toList())),
                    List.of());

    private static ResourceRequest within(int nodes, Map<String, ?> where, Blocks blocks)
            throws Refused {
        return within(
                new ResourceRequest(
                        nodes, nodes, 1, MemoryRequest.perNode(1), new GpuRequest(2, null)),
                where,
                blocks);
    }

    private static ResourceRequest ranging(int nodes, int most) {
        return new ResourceRequest(
                nodes,
                nodes,
                1,
                MemoryRequest.perNode(1),
                new GpuRequest(2, null),
                null,
                null,
                null,
                new NodeRange(nodes, most, true));
    }

    private static ResourceRequest within(
            ResourceRequest request, Map<String, ?> where, Blocks blocks) throws Refused {
        return RequestedBlocks.within(
                request,
                Asked.with(Map.of("where", where)).nodesWanted(),
                Samples.configuration().cluster().with(to -> to.blocks = blocks),
                Samples.NODES);
    }

    @Test
    void a_model_parallel_job_is_one_segment_and_its_gpus_are_linked() throws Refused {
        ResourceRequest over = within(2, Map.of("parallel", "model"), ONE);
        ResourceRequest alone = within(1, Map.of("parallel", "model"), ONE);

        assertThat(over.segment()).isEqualTo(2);
        assertThat(over.where().linked()).isTrue();
        assertThat(alone.segment()).isZero();
        assertThat(alone.where().linked()).isTrue();
    }

    @Test
    void a_model_parallel_job_has_no_range_of_nodes() {
        assertThatThrownBy(() ->
                        within(ranging(1, 4), Map.of("maxNodes", 4, "parallel", "model"), ONE))
                .isInstanceOfSatisfying(
                        Refused.class,
                        it ->
                                assertThat(it.refusal().detail())
                                        .isEqualTo(
                                                "nodes in segments and a range of nodes exclude each other"));
    }

    @ParameterizedTest
    @CsvSource({"5, 0, true", "4, 6, true", "4, 8, false", "8, 0, false"})
    void tasks_and_gpus_are_the_same_on_each_node(int tasks, int gpus, boolean refused)
            throws Refused {
        var request =
                new ResourceRequest(
                        4,
                        tasks,
                        1,
                        MemoryRequest.perNode(1),
                        gpus == 0
                                ? new GpuRequest(2, null)
                                : new GpuRequest(0, null, null, gpus, null, null));
        Map<String, ?> where = Map.of("segment", 2);

        if (refused) {
            assertThatThrownBy(() -> within(request, where, ONE))
                    .isInstanceOfSatisfying(
                            Refused.class,
                            it ->
                                    assertThat(it.refusal().detail())
                                            .contains("not the same on each node"));
        } else {
            assertThat(within(request, where, ONE).segment()).isEqualTo(2);
        }
    }

    @Test
    void a_data_parallel_job_is_one_like_any_other() throws Refused {
        assertThat(within(2, Map.of("parallel", "data"), ONE).constraints()).isNull();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "3    | 2  | data  | 3 nodes do not divide into segments of 2",
                "4    | 2  | model | segments of 2 for a job that is one NVLink island",
                "2000 | 1000 | data | segments of 1000 nodes, and the largest block has",
                "2    | 1  | tensor | is what it may be"
            })
    void what_no_block_could_hold_is_refused(
            int nodes, int segment, String parallel, String because) {
        assertThatThrownBy(
                        () -> within(nodes, Map.of("segment", segment, "parallel", parallel), ONE))
                .isInstanceOfSatisfying(
                        Refused.class, it -> assertThat(it.refusal().detail()).contains(because));
    }

    @Test
    void without_blocks_there_are_no_segments() {
        assertThatThrownBy(() -> within(2, Map.of("segment", 1), new Blocks(List.of(), List.of())))
                .isInstanceOfSatisfying(
                        Refused.class,
                        it ->
                                assertThat(it.refusal().detail())
                                        .isEqualTo(
                                                "Requested topology configuration is not available: there are no blocks of nodes"));
    }
}
