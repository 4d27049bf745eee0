package io.berth.contracts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.berth.contracts.MemoryRequest.Per;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ResourceRequestTest {
    @Test
    void tasks_are_spread_so_that_none_is_lost_and_nodes_differ_by_one_at_most() {
        for (long seed = 0; seed < 500; seed++) {
            var random = new Random(seed);
            int nodes = 1 + random.nextInt(40);
            int tasks = nodes + random.nextInt(200);
            var request = request(nodes, tasks, 1 + random.nextInt(8));

            int[] perNode = IntStream.range(0, nodes).map(request::tasksOn).toArray();

            assertThat(IntStream.of(perNode).sum()).as("seed %d", seed).isEqualTo(tasks);
            assertThat(perNode[0] - perNode[nodes - 1]).as("seed %d", seed).isBetween(0, 1);
            assertThat(IntStream.range(0, nodes).map(request::cpusOn).sum())
                    .as("seed %d", seed)
                    .isEqualTo(request.totalCpus());
        }
    }

    @ParameterizedTest
    @CsvSource({"NODE,1000,0,1000", "CPU,1000,0,8000", "CPU,1000,1,4000", "GPU,1000,1,2000"})
    void memory_follows_what_it_is_counted_by(Per per, long mib, int nodeIndex, long expected) {
        var request =
                new ResourceRequest(
                        2, 3, 4, new MemoryRequest(per, mib), new GpuRequest(2, "a100"));

        assertThat(request.memoryMibOn(nodeIndex, 99_999)).isEqualTo(expected);
    }

    @Test
    void all_memory_of_a_node_is_what_the_node_has() {
        var request = new ResourceRequest(1, 1, 1, MemoryRequest.perNode(0), GpuRequest.NONE);

        assertThat(request.memoryMibOn(0, 99_999)).isEqualTo(99_999);
    }

    @Test
    void gpus_are_counted_over_all_nodes() {
        var request =
                new ResourceRequest(3, 3, 1, MemoryRequest.perNode(1), new GpuRequest(4, null));

        assertThat(request.totalGpus()).isEqualTo(12);
    }

    @Test
    void a_socket_gives_as_many_gpus_of_each_type_as_another() {
        var six = new GpuRequest(6, null, null, null, 3, null);

        GpuRequest types = six.of(Map.of("a100", 2, "v100", 4));

        assertThat(types.sockets()).isEqualTo(2);
        assertThat(types.text()).isEqualTo("a100:2,v100:4");
        assertThat(types.textOnSocket()).isEqualTo("a100:1,v100:2");
        assertThat(types.ofEach())
                .containsExactly(
                        new GpuRequest(2, "a100", null, null, 1, null),
                        new GpuRequest(4, "v100", null, null, 2, null));
        assertThat(types.onAnySockets())
                .isEqualTo(GpuRequest.ofTypes(Map.of("a100", 2, "v100", 4), null));
        assertThatThrownBy(() -> six.of(Map.of("a100", 3, "v100", 3)))
                .hasMessage("a100:3,v100:3 GPUs on 2 sockets: as many of each type on each");
        assertThatThrownBy(() -> new GpuRequest(0, null, 2, null, 1, null))
                .hasMessageContaining("1 per socket");
    }

    @ParameterizedTest
    @CsvSource({"0,1,1", "2,1,1", "1,1,0", "-1,-1,1"})
    void a_request_without_a_task_on_every_node_is_refused(int nodes, int tasks, int cpus) {
        assertThatThrownBy(() -> request(nodes, tasks, cpus))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("at least 1");
    }

    @Test
    void a_job_on_more_nodes_brings_more_tasks_or_spreads_those_that_it_has() {
        var growing = spreading(2, 4, new NodeRange(2, 4, true)).onNodes(4);
        var spreading = spreading(2, 5, new NodeRange(2, 4, false)).onNodes(3);

        assertThat(growing.tasks()).isEqualTo(8);
        assertThat(List.of(spreading.tasksOn(0), spreading.tasksOn(1), spreading.tasksOn(2)))
                .containsExactly(2, 2, 1);
        assertThat(growing.onLeastNodes()).isEqualTo(spreading(2, 4, growing.range()));
        assertThatThrownBy(() -> growing.onNodes(5)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void cpus_of_a_node_are_those_of_its_tasks_and_at_least_what_is_asked_for() {
        var request =
                new ResourceRequest(
                        2, 5, 2, MemoryRequest.perNode(1), GpuRequest.NONE, null, null, 5, null);

        assertThat(List.of(request.cpusOn(0), request.cpusOn(1))).containsExactly(6, 5);
        assertThat(request.totalCpus()).isEqualTo(11);
    }

    private static ResourceRequest spreading(int nodes, int tasks, @Nullable NodeRange range) {
        return new ResourceRequest(
                nodes,
                tasks,
                1,
                MemoryRequest.perNode(1),
                GpuRequest.NONE,
                null,
                null,
                null,
                range);
    }

    @ParameterizedTest
    @CsvSource({"CPU,0", "GPU,0", "NODE,-1"})
    void memory_that_is_not_positive_is_refused(Per per, long mib) {
        assertThatThrownBy(() -> new MemoryRequest(per, mib))
                .isInstanceOf(IllegalArgumentException.class);
    }

    private static ResourceRequest request(int nodes, int tasks, int cpusPerTask) {
        return new ResourceRequest(
                nodes, tasks, cpusPerTask, MemoryRequest.perNode(1), GpuRequest.NONE);
    }
}
