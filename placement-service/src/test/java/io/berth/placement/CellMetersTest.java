package io.berth.placement;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.contracts.Gpu;
import io.berth.contracts.GpuRequest;
import io.berth.contracts.Inventory;
import io.berth.contracts.JobDescription;
import io.berth.contracts.JobId;
import io.berth.contracts.JobState;
import io.berth.contracts.LaunchMode;
import io.berth.contracts.MemoryRequest;
import io.berth.contracts.NodeName;
import io.berth.contracts.PreemptMode;
import io.berth.contracts.PreemptReason;
import io.berth.contracts.Rank;
import io.berth.contracts.Reason;
import io.berth.contracts.ResourceRequest;
import io.berth.contracts.SpecReference;
import io.berth.contracts.event.JobEvent;
import io.berth.contracts.event.JobStatus;
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

    @Test
    void a_run_that_gives_way_counts_for_the_queues_of_both_jobs() {
        var state = new CellState();
        state.replay(new Fact.JobChanged(job(1, "low")));
        state.replay(new Fact.JobChanged(job(2, "urgent")));
        var event =
                new JobEvent.Preempted(
                        new JobId(1),
                        5,
                        1,
                        new JobId(2),
                        PreemptMode.REQUEUE,
                        PreemptReason.PARTITION_PRIO,
                        0,
                        0);

        meters.facts(List.of(new Fact.Announced(event)), state);

        assertThat(
                        registry.get("training.job.preemptions")
                                .tag("preemptor_queue", "urgent")
                                .tag("victim_queue", "low")
                                .tag("reason", "partition_prio")
                                .counter()
                                .count())
                .isEqualTo(1);
    }

    private static JobStatus job(long id, String partition) {
        var description =
                new JobDescription(
                        "alice",
                        "team",
                        partition,
                        "normal",
                        "job",
                        new ResourceRequest(1, 1, 1, MemoryRequest.perNode(1), GpuRequest.NONE),
                        LaunchMode.BATCH,
                        60,
                        0,
                        true);
        return new JobStatus(
                new JobId(id),
                description,
                "alice",
                new SpecReference(0, id, ""),
                null,
                id,
                1,
                JobState.PENDING,
                Reason.NONE,
                Rank.NONE,
                null,
                List.of(),
                0,
                null,
                null,
                null);
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
