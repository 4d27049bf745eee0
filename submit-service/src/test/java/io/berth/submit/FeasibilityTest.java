package io.berth.submit;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.contracts.DeclaredGres;
import io.berth.contracts.Gpu;
import io.berth.contracts.GpuRequest;
import io.berth.contracts.GpuSharing;
import io.berth.contracts.Gres;
import io.berth.contracts.IndexSet;
import io.berth.contracts.Inventory;
import io.berth.contracts.MemoryRequest;
import io.berth.contracts.MigGpu;
import io.berth.contracts.MigGpus;
import io.berth.contracts.MigProfile;
import io.berth.contracts.NodeConstraints;
import io.berth.contracts.NodeShape;
import io.berth.contracts.ResourceRequest;
import io.berth.contracts.ShareRequest;
import io.berth.contracts.SharedGpus;
import io.berth.contracts.Sharing;
import io.berth.contracts.event.ConfigEntry;
import io.berth.contracts.event.NodeSeen;
import io.berth.contracts.event.PartitionRules;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// GPUs that are given out in parts do not count as whole ones, nor the other way round.
final class FeasibilityTest {

    private static final NodeSeen NODE =
            Samples.NODES.stream()
                    .filter(it -> it.inventory().gpus().size() == 8)
                    .findFirst()
                    .orElseThrow();

    private static Optional<String> obstacle(GpuRequest gpus) {
        var shared =
                new SharedGpus(
                        List.of(NODE.node().value()),
                        IndexSet.parse("6-7"),
                        GpuSharing.MPS,
                        GpuSharing.THOUSANDTHS);
        var cluster = Samples.configuration().cluster().with(to -> to.sharedGpus = List.of(shared));
        var request = new ResourceRequest(1, 1, 1, MemoryRequest.perNode(1), gpus);
        return new Feasibility(request, List.of(NODE), cluster).obstacle();
    }

    @Test
    void whole_gpus_are_those_that_are_not_shared() {
        assertThat(obstacle(new GpuRequest(6, null))).isEmpty();
        assertThat(obstacle(new GpuRequest(7, null)).orElse(""))
                .contains("7 GPUs on one node, and the largest has 6");
    }

    /// Four GPUs on each of the two sockets.
    ///
    /// @param types those of socket 0 are `a100`, those of socket 1 of this; or of each socket, in
    ///   turn: `a100+v100`
    static NodeSeen onTwoSockets(String types) {
        String[] inTurn = types.split("[+]");
        List<Gpu> gpus =
                IntStream.range(0, 8)
                        .mapToObj(it ->
                                new Gpu(
                                        it,
                                        "GPU-" + it,
                                        inTurn.length > 1
                                                ? inTurn[it % inTurn.length]
                                                : it < 4 ? "a100" : types,
                                        "A100",
                                        it,
                                        40_960,
                                        it / 4))
                        .toList();
        return new NodeSeen(
                NODE.node(),
                NODE.nonce(),
                NODE.machineId(),
                NODE.bootId(),
                NODE.agentVersion(),
                NODE.inventory().withGpus(gpus, List.of()),
                List.of(),
                0);
    }

    @Test
    void gpus_of_less_memory_than_each_is_to_have_do_not_do() {
        var small = new ResourceRequest(1, 1, 1, MemoryRequest.perNode(1), ofMemory(8, 40_000));
        var large = small.with(ofMemory(1, 80_000));
        var many = small.with(ofMemory(9, 40_000));

        assertThat(obstacle(small)).isEmpty();
        assertThat(obstacle(large).orElse(""))
                .isEqualTo(
                        "no a100 GPU has 80000 MiB of memory; the most that one has is 40960 MiB");
        assertThat(obstacle(many).orElse(""))
                .startsWith("9 a100 GPUs of 40000 MiB at least on one node, and the largest has 8");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    4 | 4 |
                    4 | 5 | 5 v100 GPUs on one node, and the largest has 4 (dgx-01)
                    6 | 1 | no single node has a100:6,v100:1 GPUs, 1 CPUs and 1 MiB of memory together
                    """)
    void one_node_must_have_gpus_of_each_type(int a100, int v100, @Nullable String obstacle) {
        var wanted = GpuRequest.ofTypes(Map.of("a100", a100, "v100", v100), null);
        var request = new ResourceRequest(1, 1, 1, MemoryRequest.perNode(1), wanted);
        var nodes = List.of(NODE, onTwoSockets("v100"));
        var cluster = Samples.configuration().cluster();

        assertThat(new Feasibility(request, nodes, cluster).obstacle().orElse(null))
                .isEqualTo(obstacle);
    }

    private static GpuRequest ofMemory(int gpus, long mib) {
        return new GpuRequest(gpus, "a100", null, null, null, mib);
    }

    private static Optional<String> obstacle(ResourceRequest request) {
        var cluster = Samples.configuration().cluster();
        return new Feasibility(request, List.of(onTwoSockets("a100")), cluster).obstacle();
    }

    /// @param gpusEach of each of two sockets; 0 is none
    /// @param tasksEach at most on a socket; 0 is any number
    private static String bySockets(
            NodeSeen node,
            ConfigEntry.Cluster cluster,
            int gpusEach,
            int tasks,
            int cpus,
            int tasksEach) {
        GpuRequest gpus =
                gpusEach == 0
                        ? GpuRequest.NONE
                        : new GpuRequest(2 * gpusEach, null, null, null, gpusEach, null);
        Integer most = tasksEach == 0 ? null : (Integer) tasksEach;
        var where = NodeConstraints.built(new NodeShape(0, 0, 0, null, most));
        var request = new ResourceRequest(1, tasks, cpus, MemoryRequest.perNode(1), gpus).on(where);
        return new Feasibility(request, List.of(node), cluster).obstacle().orElse("");
    }

    @Test
    void tasks_that_the_sockets_of_no_node_hold_are_told() {
        var cluster = Samples.configuration().cluster();
        int onSocket = NODE.inventory().cpus() / 2;

        assertThat(bySockets(NODE, cluster, 0, 4, 1, 2)).isEmpty();
        assertThat(bySockets(NODE, cluster, 0, 5, 1, 2))
                .isEqualTo(
                        "no node is known to have CPUs for 5 tasks of 1, at most 2 tasks on a socket");
        assertThat(bySockets(NODE, cluster, 0, 2, onSocket, 2)).isEmpty();
        assertThat(bySockets(NODE, cluster, 0, 3, onSocket / 2 + 1, 2))
                .as("a task has its CPUs on one socket")
                .contains("no node is known to have CPUs for 3 tasks");
        assertThat(bySockets(NODE, cluster, 0, 1, 2 * onSocket + 1, 2))
                .contains("CPUs on one node, and the largest has " + 2 * onSocket);
    }

    @Test
    void more_cpus_than_a_partition_may_have_of_the_sockets_are_told() {
        int cpus = 4 * 2;
        PartitionRules rules =
                new PartitionRules(
                        PartitionRules.State.UP,
                        1,
                        0,
                        0,
                        List.of(),
                        List.of(),
                        List.of(),
                        List.of(),
                        null,
                        null,
                        0,
                        false,
                        null,
                        null,
                        PartitionRules.Use.ANY.with(to -> to.maxCpusPerSocket = 4));
        IntFunction<String> obstacle =
                wanted ->
                        new Feasibility(
                                        new ResourceRequest(
                                                1,
                                                wanted,
                                                1,
                                                MemoryRequest.perNode(1),
                                                GpuRequest.NONE),
                                        List.of(NODE),
                                        Samples.configuration().cluster(),
                                        rules,
                                        true)
                                .obstacle()
                                .orElse("");

        assertThat(obstacle.apply(cpus)).isEmpty();
        assertThat(obstacle.apply(cpus + 1))
                .isEqualTo(
                        "no node is known to have 9 CPUs, where its jobs may have 4 CPUs of a socket");
    }

    @Test
    void gpus_of_a_socket_are_whole_and_of_one_type() {
        var cluster = Samples.configuration().cluster();
        var shared =
                cluster.with(to ->
                        to.sharedGpus =
                                List.of(
                                        new SharedGpus(
                                                List.of("ALL"),
                                                IndexSet.parse("6-7"),
                                                GpuSharing.MPS,
                                                GpuSharing.THOUSANDTHS)));
        NodeSeen node = onTwoSockets("a100");

        assertThat(bySockets(node, cluster, 4, 1, 1, 0)).isEmpty();
        assertThat(bySockets(node, cluster, 4, 4, 1, 2)).isEmpty();
        assertThat(bySockets(node, cluster, 4, 5, 1, 2))
                .isEqualTo(
                        "no node is known to have 4 GPUs on each of 2 sockets, and there CPUs for 5"
                                + " tasks of 1, at most 2 tasks on a socket");
        assertThat(bySockets(node, shared, 2, 1, 1, 0)).isEmpty();
        assertThat(bySockets(node, shared, 3, 1, 2, 0))
                .isEqualTo(
                        "no node is known to have 3 GPUs on each of 2 sockets, and there 2 CPUs");
        assertThat(bySockets(onTwoSockets("h100"), cluster, 2, 1, 1, 0))
                .contains("no node is known to have 2 GPUs on each of 2 sockets");
    }

    @Test
    void each_socket_must_have_gpus_of_each_type() {
        var two = new GpuRequest(4, null, null, null, 2, null).of(Map.of("a100", 2, "v100", 2));
        var request = new ResourceRequest(1, 1, 1, MemoryRequest.perNode(1), two);
        var cluster = Samples.configuration().cluster();

        assertThat(new Feasibility(request, List.of(onTwoSockets("a100+v100")), cluster).obstacle())
                .isEmpty();
        assertThat(new Feasibility(request, List.of(onTwoSockets("v100")), cluster).obstacle())
                .contains(
                        "no node is known to have a100:1,v100:1 GPUs on each of 2 sockets, and"
                                + " there 1 CPUs");
    }

    @Test
    void other_resources_are_those_that_the_configuration_says_the_node_has() {
        var has =
                new DeclaredGres(
                        List.of("ALL"), List.of(new Gres("nic", null, 2), new Gres("t", "x", 1)));
        var cluster = Samples.configuration().cluster().with(to -> to.gres = List.of(has));
        var plain = new ResourceRequest(1, 1, 1, MemoryRequest.perNode(1), GpuRequest.NONE);

        assertThat(other(plain, "nic", null, 2, cluster)).isEmpty();
        assertThat(other(plain, "t", null, 1, cluster)).isEmpty();
        assertThat(other(plain, "nic", null, 3, cluster))
                .contains("nic:3 on one node, and the most is 2");
        assertThat(other(plain, "t", "y", 1, cluster))
                .contains("no node has t:y; other resources there are: nic, t:x");
    }

    private static Optional<String> other(
            ResourceRequest plain,
            String name,
            @Nullable String type,
            long count,
            ConfigEntry.Cluster cluster) {
        var request = plain.holding(List.of(new Gres(name, type, count)));
        return new Feasibility(request, List.of(NODE), cluster).obstacle();
    }

    @Test
    void instances_count_that_a_gpu_could_be_divided_into() {
        var table = new MigProfile("1g.10gb", 9856, 1, List.of(0, 1, 2, 3, 4, 5, 6), 7);
        var gpu = new MigGpu(8, "GPU-x", "h100", List.of(table), List.of(), null);
        Inventory inventory = NODE.inventory();
        var node =
                new NodeSeen(
                        NODE.node(),
                        NODE.nonce(),
                        NODE.machineId(),
                        NODE.bootId(),
                        NODE.agentVersion(),
                        inventory.withGpus(inventory.gpus(), List.of(gpu)),
                        List.of(),
                        0);
        var cluster = Samples.configuration().cluster();
        var given =
                cluster.with(to ->
                        to.migGpus = List.of(new MigGpus(List.of("ALL"), null, null, 15, 300)));

        assertThat(obstacle("1g.10gb", 7, node, given)).isEmpty();
        assertThat(obstacle("h100_1g.10gb", 7, node, given)).isEmpty();
        assertThat(obstacle("1g.10gb", 8, node, given).orElse(""))
                .contains("8 1g.10gb GPUs on one node, and the largest has 7");
        assertThat(obstacle("1g.10gb", 1, node, cluster).orElse(""))
                .contains("no node has GPUs of type");
        var one = new GpuRequest(1, "1g.10gb");
        var bySocket =
                new ResourceRequest(1, 1, 1, MemoryRequest.perNode(1), one)
                        .on(NodeConstraints.built(new NodeShape(0, 0, 0, null, 1)));
        assertThat(new Feasibility(bySocket, List.of(node), given).obstacle()).isEmpty();
        var alone =
                new ResourceRequest(1, 1, 1, MemoryRequest.perNode(1), one)
                        .on(new NodeConstraints(null, List.of(), List.of(), Sharing.NODE, null));
        assertThat(new Feasibility(alone, List.of(node), given).obstacle().orElse(""))
                .contains("no node has GPUs of type");
    }

    private static Optional<String> obstacle(
            String type, int count, NodeSeen node, ConfigEntry.Cluster cluster) {
        var gpus = new GpuRequest(count, type);
        var request = new ResourceRequest(1, 1, 1, MemoryRequest.perNode(1), gpus);
        return new Feasibility(request, List.of(node), cluster).obstacle();
    }

    @Test
    void a_part_is_of_a_gpu_that_is_shared_so_and_large_enough() {
        var part = new ShareRequest(GpuSharing.MPS, 500, null);

        assertThat(obstacle(GpuRequest.of(part, null))).isEmpty();
        assertThat(obstacle(GpuRequest.of(part, "h100")).orElse(""))
                .isEqualTo("no GPU is shared so that a job can have mps:h100:50");
        assertThat(
                        obstacle(GpuRequest.of(new ShareRequest(GpuSharing.SHARD, 1, null), null))
                                .orElse(""))
                .isEqualTo("no GPU is shared so that a job can have shard:1");
        assertThat(
                        obstacle(GpuRequest.of(new ShareRequest(GpuSharing.MPS, 0, 1L << 30), null))
                                .orElse(""))
                .isEqualTo("no GPU is shared so that a job can have gpumem:1073741824");
    }
}
