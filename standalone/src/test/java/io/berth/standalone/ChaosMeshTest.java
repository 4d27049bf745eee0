package io.berth.standalone;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/// Faults at random moments, for as many rounds as are asked for: `benchmarks/chaos`. The seed says
/// which parts are hit, how and when; what the mesh does meanwhile differs from run to run.
@Tag("mesh")
@EnabledIfSystemProperty(named = "chaos.rounds", matches = "[1-9][0-9]*")
class ChaosMeshTest {

    private static final int ROUNDS = Integer.getInteger("chaos.rounds", 0);
    private static final long SEED = Long.getLong("chaos.seed", System.nanoTime());
    private static final int JOBS = 50;
    private static final int FAULTS = 3;
    private static final int ACTS = 12;
    private static final Duration PATIENCE = Duration.ofMinutes(3);
    private static final String[] UP = {"--gpu-profile", "none", "--virtual", "4xdgx-a100"};

    /// The broker is in the process of the supervisor, which all others follow to its end.
    private static final List<String> PARTS =
            List.of("submit", "priority", "placement", "accounting", "agent", "postgres", "kafka");

    /// What may be away for more than a minute at a time.
    private static final List<String> OUTAGES = List.of("postgres", "kafka");

    private final TestMesh mesh;
    private final Workload workload;
    private final Random random = new Random(SEED);

    ChaosMeshTest(@TempDir Path folder) throws IOException {
        mesh = new TestMesh(folder);
        workload = new Workload(mesh, PATIENCE);
    }

    @AfterEach
    void stop() throws IOException {
        mesh.berth("down");
        mesh.assertGone();
    }

    /// As long as the rounds take that are asked for.
    @Test
    @Timeout(value = 1, unit = TimeUnit.DAYS)
    void nothing_is_lost_or_doubled_whatever_is_hit() throws Exception {
        mesh.up(UP);
        for (int round = 1; round <= ROUNDS; round++) {
            var hits = new StringBuilder("seed %d, round %d:".formatted(SEED, round));
            var jobs = new ChaosJobs(mesh, workload, new Random(random.nextLong()));
            jobs.submit(JOBS);
            var terminals = new ChaosTerminals(mesh, PATIENCE);
            terminals.begin();
            try (var people = Executors.newSingleThreadExecutor()) {
                Future<?> troubled = people.submit(() -> trouble(jobs));
                for (int fault = 0; fault < FAULTS; fault++) {
                    hits.append(hit(random.nextInt(5_000)));
                }
                troubled.get();
                awaitReady();
                terminals.assertUndisturbed();
                jobs.assertRightEnds();
            } catch (Exception | AssertionError e) {
                throw new AssertionError(hits + " " + jobs.told(), e);
            }
            System.out.println(hits + " " + jobs.told());
        }
        assertThat(mesh.berth("replay").succeeded().out()).contains("all the same");
    }

    /// What people and bad luck do to jobs, while parts are hit.
    private static Void trouble(ChaosJobs jobs) throws Exception {
        jobs.trouble(ACTS);
        return null;
    }

    /// Waits, then kills a part or lets it stand still for a while.
    private String hit(long after) throws Exception {
        TimeUnit.MILLISECONDS.sleep(after);
        String part = PARTS.get(random.nextInt(PARTS.size()));
        ProcessHandle process = mesh.process(part);
        if (random.nextBoolean()) {
            boolean outage = OUTAGES.contains(part) && random.nextBoolean();
            int millis = (outage ? 60_000 : 500) + random.nextInt(12_000);
            TestMesh.signal("STOP", process.pid());
            TimeUnit.MILLISECONDS.sleep(millis);
            TestMesh.signal("CONT", process.pid());
            return " %s stood still for %d ms;".formatted(part, millis);
        }
        process.destroyForcibly();
        process.onExit().get(30, TimeUnit.SECONDS);
        if (part.equals("kafka")) {
            mesh.up(UP);
        } else {
            awaitReady();
        }
        return " %s was killed;".formatted(part);
    }

    private void awaitReady() {
        await().atMost(PATIENCE).ignoreExceptions().until(() -> mesh.berth("status").status() == 0);
    }
}
