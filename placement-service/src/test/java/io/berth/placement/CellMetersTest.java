package io.berth.placement;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.contracts.Allocation;
import io.berth.contracts.Charge;
import io.berth.contracts.EndedRun;
import io.berth.contracts.ExitStatus;
import io.berth.contracts.Gpu;
import io.berth.contracts.GpuRequest;
import io.berth.contracts.IndexSet;
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
import io.berth.core.engine.PassTally;
import io.berth.core.lifecycle.Engine;
import io.berth.core.placement.Placement.Pass;
import io.berth.core.state.CellState;
import io.berth.core.state.Fact;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
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

    @Test
    void a_gang_that_starts_is_a_result_and_a_job_of_one_node_is_no_gang() {
        var state = new CellState();
        state.replay(new Fact.JobChanged(job(1, description("batch", 2))));
        state.replay(new Fact.JobChanged(job(2, "batch")));

        meters.facts(
                List.of(
                        new Fact.Announced(new JobEvent.Started(new JobId(1), 5, 1)),
                        new Fact.Announced(new JobEvent.Started(new JobId(2), 5, 1))),
                state);

        assertThat(gangs("started", false)).isEqualTo(1);
    }

    @ParameterizedTest
    @CsvSource({"0, , true", "-1, , false", "0, NODE_FAIL, false"})
    void a_gang_that_is_not_ready_waits_again(
            long late, @Nullable JobState ending, boolean timeout) {
        var requeued =
                new JobEvent.Requeued(
                        new JobId(1),
                        Engine.READY_MILLIS + late,
                        run(0, 0, JobState.PENDING, ending),
                        Reason.NONE);

        meters.facts(List.of(new Fact.Announced(requeued)), new CellState());

        assertThat(gangs("not_ready", timeout)).isEqualTo(1);
        assertThat(gangs("not_ready", !timeout)).isZero();
    }

    @ParameterizedTest
    @CsvSource({
        "DEADLINE, -1, , not_placed, true",
        "CANCELLED, -1, , not_placed, false",
        "DEADLINE, 0, PENDING, not_placed, true",
        "FAILED, 0, FAILED, not_ready, false",
        "FAILED, 10, FAILED, not_ready, "
    })
    void a_gang_that_ends_unstarted_is_a_result(
            JobState state,
            long startedAt,
            @Nullable JobState outcome,
            String result,
            @Nullable Boolean timeout) {
        var ended =
                new JobEvent.Ended(
                        new JobId(1),
                        99,
                        description("batch", 2),
                        state,
                        Reason.NONE,
                        ExitStatus.SUCCESS,
                        0,
                        outcome == null ? List.of() : List.of(run(0, startedAt, outcome, null)),
                        null,
                        null);

        meters.facts(List.of(new Fact.Announced(ended)), new CellState());

        assertThat(gangs(result, true)).isEqualTo(timeout != null && timeout ? 1 : 0);
        assertThat(gangs(result, false)).isEqualTo(timeout != null && !timeout ? 1 : 0);
    }

    private double gangs(String result, boolean timeout) {
        Counter counter =
                registry.find("training.gang.results")
                        .tag("result", result)
                        .tag("timeout", Boolean.toString(timeout))
                        .counter();
        return counter == null ? 0 : counter.count();
    }

    @Test
    void the_last_pass_of_each_kind_and_all_of_them_are_told() {
        meters.passed(Pass.PLAN, 2_000_000, new PassTally(10, 1, 7));
        meters.passed(Pass.PLAN, 4_000_000, new PassTally(20, 2, 8));
        meters.passed(Pass.START, 1_000_000, new PassTally(3, 4, 8));

        assertThat(registry.get("berth.placement.backfilled.jobs").counter().count()).isEqualTo(7);
        assertThat(registry.get("berth.placement.pass").tag("pass", "plan").timer().count())
                .isEqualTo(2);
        assertThat(registry.get("berth.placement.pass.depth").tag("pass", "plan").summary().mean())
                .isEqualTo(15);
        assertThat(ofLastPlan("seconds")).isEqualTo(0.004);
        assertThat(ofLastPlan("depth")).isEqualTo(20);
        assertThat(ofLastPlan("planned")).isEqualTo(8);
        assertThat(ofLastPlan("timestamp.seconds")).isGreaterThan(1e9);
    }

    private double ofLastPlan(String figure) {
        return registry.get("berth.placement.pass.last." + figure)
                .tag("pass", "plan")
                .gauge()
                .value();
    }

    private static EndedRun run(
            long placedAt, long startedAt, JobState outcome, @Nullable JobState ending) {
        return new EndedRun(
                1,
                List.of(allocation("n1", 0), allocation("n2", 1)),
                placedAt,
                startedAt,
                placedAt + 50,
                outcome,
                ExitStatus.SUCCESS,
                Charge.ZERO,
                null,
                ending,
                null,
                null);
    }

    private static Allocation allocation(String node, int index) {
        return new Allocation(new NodeName(node), index, 1, IndexSet.EMPTY, 1, List.of());
    }

    private static JobDescription description(String partition, int nodes) {
        return new JobDescription(
                "alice",
                "team",
                partition,
                "normal",
                "job",
                new ResourceRequest(nodes, nodes, 1, MemoryRequest.perNode(1), GpuRequest.NONE),
                LaunchMode.BATCH,
                60,
                0,
                true);
    }

    private static JobStatus job(long id, String partition) {
        return job(id, description(partition, 1));
    }

    private static JobStatus job(long id, JobDescription description) {
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
