package io.berth.core.placement;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.contracts.Allocation;
import io.berth.contracts.Gpu;
import io.berth.contracts.GpuRequest;
import io.berth.contracts.Inventory;
import io.berth.contracts.JobId;
import io.berth.contracts.MemoryRequest;
import io.berth.contracts.NodeConstraints;
import io.berth.contracts.NodeName;
import io.berth.contracts.NodeRange;
import io.berth.contracts.Reason;
import io.berth.contracts.ResourceRequest;
import io.berth.contracts.Sharing;
import io.berth.contracts.event.JobStatus;
import io.berth.contracts.event.RunReport;
import io.berth.core.engine.Scheduling.Settings;
import io.berth.core.placement.Verdict.Axis;
import io.berth.core.placement.Verdict.Change;
import io.berth.core.state.Input;
import io.berth.core.testing.BuiltNode;
import io.berth.core.testing.TestCell;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/// Jobs that want GPUs of several types on each of their nodes.
final class GpuTypesTest {

    private static final int SEEDS = Integer.getInteger("berth.laws.seeds", 400);

    private final TestCell cell = new TestCell();

    private static ResourceRequest types(int nodes, Map<String, Integer> byType) {
        return on(nodes, GpuRequest.ofTypes(byType, null));
    }

    private static ResourceRequest on(int nodes, GpuRequest gpus) {
        return of(nodes, nodes, gpus);
    }

    private static ResourceRequest of(int nodes, int tasks, GpuRequest gpus) {
        return new ResourceRequest(nodes, tasks, 1, MemoryRequest.perCpu(100), gpus);
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

    @Test
    void each_task_has_so_many_of_each_type_on_nodes_with_more_tasks_and_with_fewer() {
        cell.node("n1", 8, 2, "a100+v100");
        cell.node("n2", 8, 4, "a100+v100");
        GpuRequest both = new GpuRequest(0, null, 2, null, null, null);
        cell.submit(1, of(2, 3, both.of(Map.of("a100", 1, "v100", 1))));

        cell.round();

        assertThat(cell.where(1)).containsExactly("n2:0-1:0,1,2,3", "n1:0:0,1");
    }

    @Test
    void of_those_in_all_the_first_nodes_have_what_is_left_over_of_each_type() {
        cell.node("n1", 8, 2, "a100");
        cell.node("n2", 8, 4, "a100+v100");
        GpuRequest all = new GpuRequest(0, null, null, 4, null, null);
        cell.submit(1, of(2, 2, all.of(Map.of("a100", 3, "v100", 1))));

        cell.round();

        assertThat(cell.where(1)).containsExactly("n2:0:0,1,2", "n1:0:0");
    }

    @Test
    void last_nodes_may_have_none_of_the_type_that_comes_first() {
        cell.node("n1", 8, 4, "a100+v100");
        cell.node("n2", 8, 2, "v100");
        GpuRequest all = new GpuRequest(0, null, null, 4, null, null);
        cell.submit(1, of(2, 2, all.of(Map.of("a100", 1, "v100", 3))));

        cell.round();

        assertThat(cell.where(1)).containsExactly("n1:0:0,1,3", "n2:0:0");
    }

    @Test
    void a_job_on_more_nodes_has_its_types_dealt_out_over_these() {
        cell.node("n1", 8, 2, "a100+v100");
        cell.node("n2", 8, 2, "a100+v100");
        cell.node("n3", 8, 1, "a100");
        GpuRequest all = new GpuRequest(0, null, null, 5, null, null);
        cell.submit(
                1,
                new ResourceRequest(
                        1,
                        1,
                        1,
                        MemoryRequest.perCpu(100),
                        all.of(Map.of("a100", 3, "v100", 2)),
                        null,
                        null,
                        null,
                        new NodeRange(1, 3, true)));

        cell.round();

        assertThat(cell.where(1)).containsExactlyInAnyOrder("n1:0:0,1", "n2:0:0,1", "n3:0:0");
    }

    @Test
    void one_gpu_less_for_each_task_would_do() {
        cell.node("n1", 8, 4, "a100+v100");
        cell.submit(1, on(1, new GpuRequest(1, "v100")));
        cell.round();
        GpuRequest both = new GpuRequest(0, null, 2, null, null, null);
        cell.submit(2, of(1, 2, both.of(Map.of("a100", 1, "v100", 1))));
        cell.round();

        List<Change> changes =
                new Placement(cell.state, Settings.DEFAULT)
                        .explain(new JobId(2), cell.now)
                        .orElseThrow()
                        .changes();
        assertThat(changes).contains(new Change(Axis.GPUS, "a100:2,v100:2", "a100:2"));
    }

    private static ResourceRequest onSockets(
            int nodes, int sockets, int cpus, Map<String, Integer> each) {
        int sum = each.values().stream().mapToInt(Integer::intValue).sum();
        var ofNode = new TreeMap<>(each);
        ofNode.replaceAll((_, count) -> count * sockets);
        return new ResourceRequest(
                nodes,
                nodes,
                cpus,
                MemoryRequest.perCpu(100),
                new GpuRequest(sum * sockets, null, null, null, sum, null).of(ofNode));
    }

    private static void built(TestCell it, String name, List<String> types, int... socketOfGpu) {
        it.take(new Input.Registered(BuiltNode.of(name, 2, null, types, socketOfGpu)));
    }

    private List<Change> changes(long job) {
        return new Placement(cell.state, Settings.DEFAULT)
                .explain(new JobId(job), cell.now)
                .orElseThrow()
                .changes();
    }

    @Test
    void each_socket_gives_gpus_of_each_type_and_the_cpus_beside_them() {
        built(cell, "n1", List.of("a100", "v100", "v100", "a100"), 0, 0, 0, 0);
        built(cell, "n2", List.of("a100", "a100", "v100", "v100", "v100"), 0, 1, 1, 0, 1);
        cell.submit(1, onSockets(1, 2, 4, Map.of("a100", 1, "v100", 1)));
        cell.submit(2, onSockets(1, 1, 3, Map.of("a100", 2, "v100", 1)));

        cell.round();

        assertThat(cell.where(1)).containsExactly("n2:0-1,8-9:0,1,2,3");
        assertThat(cell.where(2)).containsExactly("n1:0-2:0,1,3");
    }

    @Test
    void of_sockets_that_have_each_type_the_one_with_the_fewest_free_is_taken() {
        built(cell, "n1", List.of("a100", "v100", "v100", "a100", "v100"), 0, 0, 0, 1, 1);
        cell.submit(1, onSockets(1, 1, 1, Map.of("a100", 1, "v100", 1)));

        cell.round();

        assertThat(cell.where(1)).containsExactly("n1:8:3,4");
    }

    @Test
    void a_type_that_is_on_one_socket_alone_is_never_given_by_two() {
        built(cell, "n1", List.of("a100", "a100", "v100", "v100"), 0, 1, 1, 1);
        cell.submit(1, onSockets(1, 2, 2, Map.of("a100", 1, "v100", 1)));

        cell.round();

        assertThat(cell.job(1).reason()).isEqualTo(Reason.BAD_CONSTRAINTS);
        assertThat(changes(1)).contains(new Change(Axis.SOCKETS, "a100:1,v100:1", "any"));
    }

    @Test
    void one_gpu_less_on_each_socket_of_the_type_that_lacks_would_do() {
        List<String> types = List.of("a100", "v100", "v100", "a100", "v100", "v100");
        built(cell, "n1", types, 0, 0, 0, 1, 1, 1);
        cell.submit(1, on(1, new GpuRequest(1, "v100")));
        cell.round();
        cell.submit(2, onSockets(1, 2, 2, Map.of("a100", 1, "v100", 2)));
        cell.round();

        assertThat(changes(2)).contains(new Change(Axis.GPUS, "a100:2,v100:4", "a100:2,v100:2"));
    }

    /// Up to 3 nodes with up to 6 GPUs of two types on two sockets in any order, some of them held,
    /// and some of their CPUs.
    @Test
    void sockets_of_several_types_start_exactly_where_a_choice_of_gpus_is_and_have_such() {
        int started = 0;
        for (int seed = 0; seed < SEEDS; seed++) {
            var random = new Random(seed);
            var it = new TestCell();
            int nodes = 1 + random.nextInt(3);
            for (int node = 0; node < nodes; node++) {
                heldOnSockets(random, it, "n" + node, 10L * node);
            }
            it.round();
            int gang = 1 + random.nextInt(4) / 3;
            int sockets = 1 + random.nextInt(2);
            int[] each = {1 + random.nextInt(4) / 3, 1 + random.nextInt(4) / 3};
            int cpus = 1 + random.nextInt(10);
            long fitting =
                    IntStream.range(0, nodes)
                            .filter(node -> gives(it, "n" + node, sockets, each, cpus))
                            .count();
            it.submit(
                    100, onSockets(gang, sockets, cpus, Map.of("a100", each[0], "v100", each[1])));

            it.round();

            JobStatus.Run run = it.job(100).run();
            assertThat(run != null).as("seed %d", seed).isEqualTo(fitting >= gang);
            for (Allocation part : run == null ? List.<Allocation>of() : run.allocations()) {
                List<Gpu> gpus =
                        inventory(it, part.node()).gpus().stream()
                                .filter(gpu -> part.gpus().contains(gpu.uuid()))
                                .toList();
                BitSet its = part.cpus().toBitSet();
                assertThat(good(gpus, sockets, each)).as("seed %d", seed).isTrue();
                assertThat(cpus(gpus, its).sum()).as("seed %d", seed).isEqualTo(cpus);
                assertThat(its.cardinality()).as("seed %d", seed).isEqualTo(cpus);
                assertThat(it.state.holdingOn(part.node()).twice()).isFalse();
            }
            started += run == null ? 0 : 1;
        }
        assertThat(started).isBetween(SEEDS / 10, SEEDS * 9 / 10);
    }

    private static void heldOnSockets(Random random, TestCell it, String name, long before) {
        int gpus = 2 + random.nextInt(5);
        List<String> types =
                IntStream.range(0, gpus)
                        .mapToObj(_ -> random.nextBoolean() ? "a100" : "v100")
                        .toList();
        built(it, name, types, IntStream.range(0, gpus).map(_ -> random.nextInt(2)).toArray());
        NodeConstraints there = on(List.of(name), Sharing.SHARED);
        for (String type : List.of("a100", "v100")) {
            if (random.nextInt(4) == 0) {
                it.submit(++before, on(1, new GpuRequest(1, type)).on(there));
            }
        }
        if (random.nextBoolean()) {
            it.submit(++before, TestCell.cpus(1 + random.nextInt(11)).on(there));
        }
    }

    private static Inventory inventory(TestCell it, NodeName node) {
        return it.state.node(node).orElseThrow().seen().inventory();
    }

    /// By trying all sets of its free GPUs.
    private static boolean gives(TestCell it, String name, int sockets, int[] each, int cpus) {
        var node = new NodeName(name);
        Inventory has = inventory(it, node);
        BitSet free = it.state.holdingOn(node).freeCpus(has.cpus());
        List<Gpu> left =
                has.gpus().stream()
                        .filter(gpu -> !it.state.holdingOn(node).holdsGpu(gpu.uuid()))
                        .toList();
        return IntStream.range(0, 1 << left.size())
                .mapToObj(set ->
                        IntStream.range(0, left.size())
                                .filter(gpu -> (set >> gpu & 1) != 0)
                                .mapToObj(left::get)
                                .toList())
                .anyMatch(gpus ->
                        good(gpus, sockets, each)
                                && cpus(gpus, free).allMatch(some -> some > 0)
                                && cpus(gpus, free).sum() >= cpus);
    }

    /// Whether so many sockets give so many GPUs of each type, others none.
    private static boolean good(List<Gpu> gpus, int sockets, int[] each) {
        List<List<String>> bySocket =
                sockets(gpus)
                        .mapToObj(socket ->
                                gpus.stream()
                                        .filter(it -> it.numaNode() == socket)
                                        .map(Gpu::type)
                                        .toList())
                        .toList();
        return bySocket.size() == sockets
                && bySocket.stream()
                        .allMatch(types ->
                                Collections.frequency(types, "a100") == each[0]
                                        && Collections.frequency(types, "v100") == each[1]);
    }

    /// How many of some CPUs are on each socket of some GPUs.
    private static IntStream cpus(List<Gpu> gpus, BitSet some) {
        return sockets(gpus).map(it -> some.get(8 * it, 8 * it + 8).cardinality());
    }

    private static IntStream sockets(List<Gpu> gpus) {
        return gpus.stream().mapToInt(Gpu::numaNode).distinct();
    }

    /// Up to 4 nodes with up to 3 GPUs of each of two types, some of them held, and a gang of parts
    /// of up to three sizes.
    @Test
    void uneven_parts_of_several_types_start_where_a_choice_of_nodes_has_them_and_have_those() {
        int started = 0;
        int threeSizes = 0;
        for (int seed = 0; seed < SEEDS; seed++) {
            var random = new Random(seed);
            var it = new TestCell();
            int[][] free = held(random, it);
            int nodes = 1 + random.nextInt(4);
            int tasks = nodes + random.nextInt(3);
            int[] of = {1 + random.nextInt(2), 1 + random.nextInt(2)};
            boolean perTask = random.nextBoolean();
            if (!perTask) {
                of[0] += nodes - 1 + random.nextInt(2);
                of[1] += random.nextInt(nodes + 1);
            }
            Integer count = of[0] + of[1];
            var gpus =
                    new GpuRequest(
                            0, null, perTask ? count : null, perTask ? null : count, null, null);
            int[][] parts = new int[nodes][3];
            for (int part = 0; part < nodes; part++) {
                parts[part][2] = dealt(tasks, nodes, part);
                for (int type = 0; type < 2; type++) {
                    parts[part][type] =
                            perTask ? of[type] * parts[part][2] : dealt(of[type], nodes, part);
                }
            }
            it.submit(1, of(nodes, tasks, gpus.of(Map.of("a100", of[0], "v100", of[1]))));

            it.round();

            boolean possible = possible(free, parts, 0, 0);
            boolean found = !it.where(1).isEmpty();
            if (Arrays.stream(parts).map(Arrays::toString).distinct().count() == 3) {
                threeSizes += possible ? 1 : 0;
            }
            assertThat(found).as("seed %d", seed).isEqualTo(possible);
            JobStatus.Run run = it.job(1).run();
            for (Allocation part : run == null ? List.<Allocation>of() : run.allocations()) {
                var has = new int[] {0, 0, part.tasks()};
                for (Gpu gpu : it.state.node(part.node()).orElseThrow().seen().inventory().gpus()) {
                    has[gpu.type().equals("a100") ? 0 : 1] +=
                            part.gpus().contains(gpu.uuid()) ? 1 : 0;
                }
                assertThat(has).as("seed %d", seed).isEqualTo(parts[part.index()]);
                assertThat(it.state.holdingOn(part.node()).twice()).isFalse();
            }
            started += found ? 1 : 0;
        }
        assertThat(started).isGreaterThanOrEqualTo(SEEDS / 19);
        assertThat(threeSizes).isGreaterThanOrEqualTo(SEEDS / 400);
    }

    private static int dealt(int all, int nodes, int node) {
        return all / nodes + (node < all % nodes ? 1 : 0);
    }

    /// Whether the parts from one on find nodes that are not taken.
    private static boolean possible(int[][] free, int[][] parts, int part, int taken) {
        if (part == parts.length) {
            return true;
        }
        for (int node = 0; node < free.length; node++) {
            if ((taken >> node & 1) == 0
                    && free[node][0] >= parts[part][0]
                    && free[node][1] >= parts[part][1]
                    && possible(free, parts, part + 1, taken | 1 << node)) {
                return true;
            }
        }
        return false;
    }

    /// Up to 4 nodes with up to 3 GPUs of each of two types, some of them held.
    ///
    /// @return how many are free, by node and type
    private static int[][] held(Random random, TestCell it) {
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
        return free;
    }

    /// Up to 4 nodes with up to 3 GPUs of each of two types, some of them held.
    @Test
    void one_of_several_types_starts_exactly_where_a_choice_of_nodes_has_them_and_has_those() {
        for (int seed = 0; seed < SEEDS; seed++) {
            var random = new Random(seed);
            var it = new TestCell();
            int[][] free = held(random, it);
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
