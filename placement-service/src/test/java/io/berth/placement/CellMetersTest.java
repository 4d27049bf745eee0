package io.berth.placement;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.contracts.Gpu;
import io.berth.contracts.GpuRequest;
import io.berth.contracts.Inventory;
import io.berth.contracts.MemoryRequest;
import io.berth.contracts.NodeName;
import io.berth.contracts.ResourceRequest;
import io.berth.contracts.event.NodeSeen;
import io.berth.contracts.event.NodeStatus;
import io.berth.contracts.event.NodeStatus.Presence;
import io.berth.core.state.CellState;
import io.berth.core.state.Fact;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class CellMetersTest {

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final CellMeters meters = new CellMeters(registry);

    @ParameterizedTest
    @CsvSource({"1, 0, cpu", "1, 1, single_gpu", "1, 8, multi_gpu", "2, 8, multi_node"})
    void a_job_type_follows_from_the_request(int nodes, int gpus, String type) {
        var request =
                new ResourceRequest(
                        nodes, nodes, 1, MemoryRequest.perNode(1), new GpuRequest(gpus, null));

        assertThat(CellMeters.type(request)).isEqualTo(type);
    }

    @Test
    void only_a_leader_tells_of_the_cell() {
        var state = new CellState();
        state.replay(new Fact.NodeChanged(node("n1")));
        meters.leading(true);
        meters.picture(state, () -> Map.of("berth.runs.v1", 3L));
        assertThat(registry.get("berth.nodes").tag("presence", "UP").gauge().value()).isEqualTo(1);
        assertThat(registry.get("berth.placement.unread.records").gauge().value()).isEqualTo(3);

        meters.leading(false);

        assertThat(registry.find("berth.nodes").gauge()).isNull();
        assertThat(registry.get("berth.placement.leading").gauge().value()).isZero();
    }

    @Test
    void the_utilization_of_a_cell_without_jobs_is_nothing() {
        var state = new CellState();
        state.replay(new Fact.NodeChanged(node("n1")));

        assertThat(Utilization.of(state)).isEmpty();
    }

    private static NodeStatus node(String name) {
        var gpu = new Gpu(0, "GPU-" + name, "a100", "A100", 0, 40_960, 0);
        var inventory =
                new Inventory(
                        1, 4, 1, 4, 65_536, List.of(gpu), List.of(), true, null, "linux", "x86_64");
        return new NodeStatus(
                new NodeName(name),
                1,
                0,
                Presence.UP,
                new NodeSeen(
                        new NodeName(name),
                        "a",
                        "machine",
                        "boot",
                        "test",
                        inventory,
                        List.of(),
                        0));
    }
}
