package io.berth.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.berth.simulation.SimulatedMesh.Services;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// A failure tells its seed and its shortest story; `-Dberth.simulation.seed=N` runs that one
/// alone, `-Dberth.mesh-simulation.seeds=N` and `-Dberth.service-simulation.seeds=N` run so many.
@Tag("hot")
final class MeshSimulationTest {

    private static final long SEEDS = Long.getLong("berth.mesh-simulation.seeds", 10_000);
    private static final long SERVICE_SEEDS = Long.getLong("berth.service-simulation.seeds", 40);
    private static final int STEPS = 200;

    /// Of which a story is that need not go well.
    private static final int FEW_STEPS = 50;

    @Test
    @Timeout(value = 15, unit = TimeUnit.MINUTES)
    void the_invariants_hold_in_every_step_of_every_troubled_mesh() {
        seeds(SEEDS).forEach(seed -> live(seed, STEPS, SimulatedLog::new, Services.MODELLED));
    }

    @Test
    @Timeout(value = 15, unit = TimeUnit.MINUTES)
    void they_hold_of_the_services_themselves() {
        seeds(SERVICE_SEEDS).forEach(seed -> live(seed, STEPS, SimulatedLog::new, Services.REAL));
    }

    private static LongStream seeds(long count) {
        Long only = Long.getLong("berth.simulation.seed");
        return only == null ? LongStream.range(0, count).parallel() : LongStream.of(only);
    }

    private interface Logs {
        SimulatedLog log();
    }

    private static void live(long seed, int steps, Logs logs, Services services) {
        List<Long> story = Story.of(seed, steps);
        Throwable failure = failure(story, logs, services);
        if (failure != null) {
            List<Long> shortest = Story.shortest(story, it -> failure(it, logs, services) != null);
            var mesh = new SimulatedMesh(logs.log(), true, services);
            Throwable last = null;
            try {
                mesh.live(shortest);
            } catch (AssertionError | RuntimeException e) {
                last = e;
            }
            throw new AssertionError(
                    "seed %d:%n%s%n%s".formatted(seed, String.join("\n", mesh.told()), last),
                    failure);
        }
    }

    /// Lived in a virtual thread, from which it is not far to those of the services.
    private static @Nullable Throwable failure(List<Long> story, Logs logs, Services services) {
        return services == Services.MODELLED
                ? lived(story, logs, services)
                : CompletableFuture.supplyAsync(
                                () -> lived(story, logs, services), Thread::startVirtualThread)
                        .join();
    }

    private static @Nullable Throwable lived(List<Long> story, Logs logs, Services services) {
        try {
            new SimulatedMesh(logs.log(), false, services).live(story);
            return null;
        } catch (AssertionError | RuntimeException e) {
            return e;
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_log_that_does_not_fence_breaks_them_and_the_shortest_story_shows_it(Services services) {
        assertThatThrownBy(() ->
                        LongStream.range(0, 100)
                                .forEach(seed ->
                                        live(
                                                seed,
                                                FEW_STEPS,
                                                () -> new SimulatedLog(false),
                                                services)))
                .hasMessageContaining("seed ")
                .hasMessageContaining("placement 0 leads")
                .hasMessageContaining("placement 1 leads");
    }

    @Test
    void of_a_story_that_fails_what_does_not_matter_is_left_out() {
        List<Long> story = LongStream.range(0, 100).boxed().toList();

        assertThat(Story.shortest(story, it -> it.contains(3L) && it.contains(97L)))
                .containsExactly(3L, 97L);
    }
}
