package io.berth.standalone;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Real processes whose wall clock jumps by an hour, there and back, while jobs run. Takes a C
/// compiler.
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Tag("mesh")
class ClocksMeshTest {

    private static final int GPUS = 8;
    private static final Duration PATIENCE = Duration.ofSeconds(120);
    private static final Duration HOUR = Duration.ofHours(1);

    /// How far the broker's time and this process's may seem apart.
    private static final long NEAR_MILLIS = 10_000;

    private final Path folder;
    private TestMesh mesh;
    private Workload jobs;
    private WrongClocks clocks;

    ClocksMeshTest(@TempDir Path folder) {
        this.folder = folder;
    }

    @BeforeAll
    void start() throws Exception {
        boolean compiler = new ProcessBuilder("sh", "-c", "command -v cc").start().waitFor() == 0;
        assumeThat(compiler).as("there is a C compiler").isTrue();
        clocks = WrongClocks.in(folder.resolve("clocks"));
        mesh = new TestMesh(folder, clocks.variables());
        jobs = new Workload(mesh, PATIENCE);
        mesh.up("--gpu-profile", "none", "--virtual", "1xdgx-a100");
    }

    @AfterAll
    void stop() throws IOException {
        if (mesh != null) {
            mesh.berth("down").succeeded();
            mesh.assertGone();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"agent", "accounting", "submit", "priority"})
    void a_clock_that_jumps_by_an_hour_loses_no_job_and_ends_none(String part) throws IOException {
        long begun = System.currentTimeMillis();
        int port = mesh.port(part);
        long pid = mesh.process(part).pid();
        var ids = new ArrayList<Long>();

        for (Duration jump : List.of(HOUR, HOUR.negated(), Duration.ZERO)) {
            List<Long> running = jobs.submit(GPUS / 2);
            jobs.awaitBeginOfScripts(running);
            clocks.move(port, jump);
            ids.addAll(running);
            ids.addAll(jobs.submit(GPUS / 2));
            jobs.awaitCompleted(ids);
        }

        jobs.assertNothingLostOrDoubled(ids);
        assertTimesOfTheBooks(ids, begun);
        assertThat(mesh.process(part).pid()).as("it goes on").isEqualTo(pid);
    }

    /// Without another instance nothing starts until the clock is right.
    @ParameterizedTest
    @ValueSource(longs = {1, -1})
    void a_leader_whose_clock_jumps_by_an_hour_leads_no_more_and_jobs_go_on(long hours)
            throws IOException {
        long begun = System.currentTimeMillis();
        int port = mesh.port("placement");
        List<Long> ids = jobs.submit(GPUS);
        jobs.awaitBeginOfScripts(ids);

        long before = refusals();
        clocks.move(port, HOUR.multipliedBy(hours));
        ids.addAll(jobs.submit(GPUS));
        await().atMost(PATIENCE).until(() -> refusals() >= before + 2);
        List<Long> late = jobs.submit(1);
        jobs.awaitEndOfScripts(ids.subList(0, GPUS));
        assertThat(jobs.count(late, "PENDING")).isOne();
        clocks.move(port, Duration.ZERO);

        ids.addAll(late);
        jobs.assertNothingLostOrDoubled(ids);
        assertTimesOfTheBooks(ids, begun);
    }

    /// How often placement has said that it does not lead with its clock.
    private long refusals() throws IOException {
        return Files.readAllLines(mesh.home().log("placement")).stream()
                .filter(line -> line.contains("ms off the broker's"))
                .count();
    }

    /// Each job was submitted, placed, started and freed in this order, and in the time of the
    /// test.
    private void assertTimesOfTheBooks(List<Long> ids, long begun) throws IOException {
        for (long id : ids) {
            JsonNode job =
                    mesh.operator()
                            .accounting("/v1/accounting/jobs?job=" + id)
                            .path("jobs")
                            .path(0);
            JsonNode run = job.path("runs").path(0);
            assertThat(
                            List.of(
                                    begun - NEAR_MILLIS,
                                    job.path("submittedAt").asLong(),
                                    run.path("placedAt").asLong(),
                                    run.path("startedAt").asLong(),
                                    run.path("freedAt").asLong(),
                                    System.currentTimeMillis() + NEAR_MILLIS))
                    .as(job.toString())
                    .isSorted();
            assertThat(job.path("state").asText()).isEqualTo("COMPLETED");
        }
    }
}
