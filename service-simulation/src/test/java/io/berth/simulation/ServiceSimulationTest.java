package io.berth.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// As [MeshSimulationTest], of the services themselves; `-Dberth.service-simulation.seeds=N` runs
/// so many.
final class ServiceSimulationTest {

    private static final long SEEDS = Long.getLong("berth.service-simulation.seeds", 40);

    @Test
    @Timeout(value = 15, unit = TimeUnit.MINUTES)
    void the_invariants_hold_in_every_step_of_every_troubled_mesh() {
        MeshSimulationTest.seeds(SEEDS)
                .forEach(seed ->
                        MeshSimulationTest.live(seed, SimulatedLog::new, ServiceUsers::new));
    }

    @Test
    void a_log_that_does_not_fence_breaks_them() {
        assertThat(LongStream.range(0, 20).boxed())
                .anyMatch(seed ->
                        MeshSimulationTest.failure(
                                        Story.of(seed, MeshSimulationTest.STEPS),
                                        () -> new SimulatedLog(false),
                                        ServiceUsers::new)
                                != null);
    }
}
