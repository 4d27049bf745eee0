package io.berth.core.placement;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.contracts.GpuRequest;
import io.berth.contracts.JobId;
import io.berth.contracts.MemoryRequest;
import io.berth.contracts.NodeConstraints;
import io.berth.contracts.NodeName;
import io.berth.contracts.Reason;
import io.berth.contracts.ResourceRequest;
import io.berth.contracts.Sharing;
import io.berth.contracts.event.JobStatus;
import io.berth.contracts.event.RunReport;
import io.berth.core.engine.Scheduling.Settings;
import io.berth.core.placement.Verdict.Axis;
import io.berth.core.placement.Verdict.Change;
import io.berth.core.testing.TestCell;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;

/// Jobs that want GPUs of several types on each of their nodes.
final class GpuTypesTest {

    private static final int SEEDS = Integer.getInteger("berth.laws.seeds", 400);

    private final TestCell cell = new TestCell();

    private static ResourceRequest types(int nodes, Map<String, Integer> byType) {
        return on(nodes, GpuRequest.ofTypes(byType, null));
    }

    private static ResourceRequest on(int nodes, GpuRequest gpus) {
        return new ResourceRequest(nodes, nodes, 1, MemoryRequest.perCpu(100), gpus);
    }

    private static NodeConstraints on(List<String> nodes, Sharing sharing) {
        List<NodeName> names = nodes.stream().map(NodeName::new).toList();
        return new NodeConstraints(null, names, List.of(), sharing, null);
    }

    @Test
    void a_job_has_so_many_gpus_of_each_type_of_one_node() {
        cell.node("n1", 8, 8, "a100");
        cell.node("n2", 8, 8, "v100");
        cell.node("n3", 8, 6, "a100+v100");
        cell.submit(1, types(1, Map.of("a100", 2, "v100", 1)));

        cell.round();

        assertThat(cell.where(1)).containsExactly("n3:0:0,1,2");
        JobStatus.Run run = Objects.requireNonNull(cell.job(1).run());
        assertThat(run.gpusByType()).isEqualTo(Map.of("a100", 2L, "v100", 1L));
    }

    @Test
    void a_gang_has_as_many_of_each_type_on_each_of_its_nodes() {
        cell.node("n1", 8, 2, "a100+v100");
        cell.node("n2", 8, 4, "a100");
        cell.node("n3", 8, 2, "v100+a100");
        cell.submit(1, types(2, Map.of("a100", 1, "v100", 1)));

        cell.round();

        assertThat(cell.where(1)).containsExactlyInAnyOrder("n1:0:0,1", "n3:0:0,1");
    }

    @Test
    void who_has_its_nodes_to_itself_has_all_gpus_of_one_that_has_enough_of_each_type() {
        cell.node("n1", 8, 2, "a100+v100");
        cell.node("n2", 8, 4, "a100+v100");
        ResourceRequest asked = types(1, Map.of("a100", 2, "v100", 2));
        cell.submit(1, asked.on(on(List.of(), Sharing.NODE)));

        cell.round();

        assertThat(cell.where(1)).containsExactly("n2:0-7:0,1,2,3");
    }

    @Test
    void a_job_waits_until_both_types_are_free_on_one_node_and_says_when() {
        cell.node("n1", 8, 4, "a100+v100");
        cell.node("n2", 8, 2, "a100");
        cell.submit(1, on(1, new GpuRequest(1, "v100")));
        cell.submit(2, on(1, new GpuRequest(1, "v100")));
        cell.round();
        cell.now += 60_000;
        cell.submit(3, types(1, Map.of("a100", 1, "v100", 1)));
        cell.submit(4, on(1, new GpuRequest(2, "a100")));

        cell.round();

        assertThat(cell.where(3)).isEmpty();
        assertThat(cell.job(3).reason()).isEqualTo(Reason.RESOURCES);
        JobStatus.Planned planned = Objects.requireNonNull(cell.job(3).planned());
        assertThat(planned.start()).isGreaterThan(cell.now);
        // It ends after that, so it leaves one of each type on the node.
        assertThat(cell.where(4)).containsExactly("n2:0:0,1");

        cell.ready(1, 1, "n1");
        cell.started(1, 1, "n1");
        cell.ended(1, 1, "n1", RunReport.Cause.EXITED, 0);
        cell.round();

        assertThat(cell.where(3)).hasSize(1);
    }

    @Test
    void no_node_that_has_both_types_is_never_a_place() {
        cell.node("n1", 8, 8, "a100");
        cell.node("n2", 8, 8, "v100");
        cell.submit(1, types(1, Map.of("a100", 1, "v100", 1)));

        cell.round();

        assertThat(cell.job(1).reason()).isEqualTo(Reason.BAD_CONSTRAINTS);
    }

    @Test
    void one_gpu_less_of_the_type_that_lacks_would_do() {
        cell.node("n1", 8, 6, "a100+v100");
        cell.submit(1, on(1, new GpuRequest(2, "v100")));
        cell.round();
        cell.submit(2, types(1, Map.of("a100", 2, "v100", 2)));
        cell.round();

        List<Change> changes =
                new Placement(cell.state, Settings.DEFAULT)
                        .explain(new JobId(2), cell.now)
                        .orElseThrow()
                        .changes();
        assertThat(changes).contains(new Change(Axis.GPUS, "a100:2,v100:2", "a100:2,v100:1"));
    }

    /// Up to 4 nodes with up to 3 GPUs of each of two types, some of them held.
    @Test
    void one_of_several_types_starts_exactly_where_a_choice_of_nodes_has_them_and_has_those() {
        for (int seed = 0; seed < SEEDS; seed++) {
            var random = new Random(seed);
            var it = new TestCell();
            int[][] free = new int[1 + random.nextInt(4)][];
            long id = 100;
            for (int node = 0; node < free.length; node++) {
                int pairs = random.nextInt(4);
                free[node] = new int[] {pairs, pairs};
                it.node("n" + node, 8, 2 * pairs, "a100+v100");
                for (int type = 0; type < 2; type++) {
                    int held = random.nextInt(1 + free[node][type]);
                    free[node][type] -= held;
                    if (held > 0) {
                        it.submit(
                                id++,
                                on(1, new GpuRequest(held, type == 0 ? "a100" : "v100"))
                                        .on(on(List.of("n" + node), Sharing.SHARED)));
                    }
                }
            }
            it.round();
            int nodes = 1 + random.nextInt(2);
            int[] wanted = {1 + random.nextInt(2), 1 + random.nextInt(2)};
            it.submit(1, types(nodes, Map.of("a100", wanted[0], "v100", wanted[1])));

            it.round();

            long fitting =
                    Arrays.stream(free)
                            .filter(has -> has[0] >= wanted[0] && has[1] >= wanted[1])
                            .count();
            assertThat(it.where(1)).as("seed %d", seed).hasSize(fitting >= nodes ? nodes : 0);
            if (fitting >= nodes) {
                assertThat(Objects.requireNonNull(it.job(1).run()).gpusByType())
                        .as("seed %d", seed)
                        .isEqualTo(
                                Map.of(
                                        "a100",
                                        (long) nodes * wanted[0],
                                        "v100",
                                        (long) nodes * wanted[1]));
            }
            for (int node = 0; node < free.length; node++) {
                assertThat(it.state.holdingOn(new NodeName("n" + node)).twice())
                        .as("seed %d", seed)
                        .isFalse();
            }
        }
    }
}
