package io.berth.core.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.berth.contracts.GpuRequest;
import io.berth.contracts.Hold;
import io.berth.contracts.JobId;
import io.berth.contracts.JobState;
import io.berth.contracts.MemoryRequest;
import io.berth.contracts.NodeName;
import io.berth.contracts.Reason;
import io.berth.contracts.ResourceRequest;
import io.berth.contracts.event.JobEvent;
import io.berth.contracts.event.Order;
import io.berth.core.engine.DecisionFailed;
import io.berth.core.engine.Scheduling.Backfill;
import io.berth.core.engine.Scheduling.Settings;
import io.berth.core.packing.Policies;
import io.berth.core.placement.Placement;
import io.berth.core.placement.Placement.Pass;
import io.berth.core.replay.Recordings;
import io.berth.core.state.CellState;
import io.berth.core.state.Fact;
import io.berth.core.state.Input;
import io.berth.core.testing.TestCell;
import java.util.ArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// An error of the engine's own about one job leaves the others alone.
final class FailedDecisionsTest {

    private final TestCell cell = new TestCell();

    private static ResourceRequest cpus(int count) {
        return new ResourceRequest(
                1, 1, count, MemoryRequest.perCpu(1024), new GpuRequest(0, null));
    }

    /// Fails on parts of three CPUs.
    private static final Settings FAILING =
            new Settings(
                    Backfill.CONSERVATIVE,
                    500,
                    (node, shape, gpus) -> {
                        if (shape.cpus() == 3000) {
                            throw new ArithmeticException("three");
                        }
                        return Policies.TIGHTEST.cost(node, shape, gpus);
                    });

    @ParameterizedTest
    @EnumSource(Pass.class)
    void a_pass_that_fails_names_the_job_and_without_it_the_others_start(Pass pass) {
        cell.node("n1", 8, 0, "none");
        cell.node("n2", 8, 0, "none");
        cell.submit(1, cpus(1));
        cell.submit(2, cpus(3));
        cell.submit(3, cpus(2));
        var placement = new Placement(cell.state, FAILING);

        DecisionFailed failed =
                catchThrowableOfType(
                        DecisionFailed.class,
                        () -> Engine.place(cell.state, placement, cell.now, pass));

        assertThat(failed).hasMessageContaining("job 2").hasMessageContaining("three");
        assertThat(failed.job()).isEqualTo(2L);
        for (Fact fact : cell.take(new Input.PlacingFailed(new JobId(2), "three"))) {
            placement.note(fact);
        }
        Engine.place(cell.state, placement, cell.now, Pass.PLAN).forEach(cell.state::replay);
        assertThat(cell.job(1).state()).isEqualTo(JobState.RUNNING);
        assertThat(cell.job(2).reason()).isEqualTo(Reason.JOB_HELD_ADMIN);
        assertThat(cell.job(3).state()).isEqualTo(JobState.RUNNING);
    }

    @Test
    void a_job_that_is_held_for_a_failure_says_why_and_waits_for_an_operator() {
        cell.submit(1, cpus(3));

        var facts = cell.take(new Input.PlacingFailed(new JobId(1), "three"));

        assertThat(facts)
                .contains(
                        new Fact.Announced(
                                new JobEvent.Held(
                                        new JobId(1),
                                        cell.now,
                                        Hold.ADMIN,
                                        "placement-service",
                                        "three")));
        assertThat(cell.take(new Input.PlacingFailed(new JobId(1), "three"))).isEmpty();
        assertThat(cell.take(new Input.PlacingFailed(new JobId(9), "unknown"))).isEmpty();
    }

    @Test
    void a_failure_is_kept_with_its_round() throws Exception {
        var failed = new Input.PlacingFailed(new JobId(17), "three/four {");

        var kept = Recordings.of(failed);

        assertThat(kept).hasSize(1);
        assertThat(new Recordings().input(kept.getFirst())).contains(failed);
    }

    /// The node of the second job is not known any more.
    @Test
    void what_is_due_without_the_job_that_it_fails_on_is_decided() {
        cell.node("n1", 2, 0, "none");
        cell.node("n2", 2, 0, "none");
        cell.submit(1, cpus(2));
        cell.submit(2, cpus(2));
        cell.round();
        var gone = new NodeName(cell.where(2).getFirst().split(":", 2)[0]);
        cell.started(1, 1, cell.where(1).getFirst().split(":", 2)[0]);
        cell.started(2, 1, gone.value());
        var state = new CellState();
        cell.facts.stream()
                .filter(fact ->
                        !(fact instanceof Fact.NodeChanged(var node) && node.node().equals(gone)))
                .forEach(state::replay);
        long late = cell.now + 10 * 3_600_000;
        var told = new ArrayList<DecisionFailed>();

        var facts = Engine.due(state, late, told::add);

        assertThat(told).extracting(DecisionFailed::job).containsExactly(2L);
        assertThat(facts)
                .filteredOn(Fact.Ordered.class::isInstance)
                .singleElement()
                .satisfies(fact ->
                        assertThat(((Fact.Ordered) fact).order())
                                .isInstanceOfSatisfying(
                                        Order.Stop.class,
                                        stop ->
                                                assertThat(stop.run().job())
                                                        .isEqualTo(new JobId(1))));
    }
}
