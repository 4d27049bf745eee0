package io.berth.standalone;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.berth.contracts.json.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/// Where a service has two instances, one goes on when the other cannot.
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Tag("mesh")
class ElectionMeshTest {

    private static final int JOBS = 20;
    private static final int GPUS = 8;
    private static final Duration PATIENCE = Duration.ofSeconds(180);

    private final TestMesh mesh;
    private final Workload jobs;

    ElectionMeshTest(@TempDir Path folder) throws IOException {
        mesh = new TestMesh(folder);
        jobs = new Workload(mesh, PATIENCE);
    }

    @BeforeAll
    void start() throws IOException {
        mesh.up("--gpu-profile", "none", "--virtual", "1xdgx-a100");
    }

    @AfterAll
    void stop() throws IOException {
        mesh.berth("down").succeeded();
        mesh.assertGone();
    }

    @Test
    void leaders_that_are_killed_or_stand_still_are_succeeded_and_nothing_is_lost_or_done_twice()
            throws IOException {
        int first = mesh.port("placement");
        try (var second = mesh.second("placement")) {
            awaitRole(second.port(), "STANDBY");
            List<Long> ids = jobs.submit(JOBS);
            jobs.awaitRunning(ids, GPUS);

            mesh.process("placement").destroyForcibly();
            awaitRole(second.port(), "LEADER");
            awaitRole(first, "STANDBY");
            ids.addAll(jobs.submit(GPUS));
            TestMesh.signal("STOP", second.process().pid());
            awaitRole(first, "LEADER");
            ids.addAll(jobs.submit(GPUS));
            TestMesh.signal("CONT", second.process().pid());
            awaitRole(second.port(), "STANDBY");

            assertThat(TestMesh.role(first)).isEqualTo("LEADER");
            jobs.assertNothingLostOrDoubled(ids);
        }
        assertThat(Files.readAllLines(mesh.secondLog("placement")))
                .filteredOn(line -> line.contains("Standing by"))
                .isNotEmpty()
                .allSatisfy(line ->
                        assertThat(Json.mapper().readTree(line).at("/mdc/cell").asText())
                                .isEqualTo("0"));
    }

    @Test
    void second_instances_share_the_work_and_take_it_over() throws IOException {
        try (var gateway = mesh.second("submit");
                var priority = mesh.second("priority");
                var accounting = mesh.second("accounting")) {
            for (var second : List.of(gateway, priority, accounting)) {
                awaitReady(second);
            }
            List<Long> ids = jobs.submit(GPUS);
            ids.addAll(jobs.submit(mesh.operator(gateway), GPUS));

            for (String part : List.of("submit", "priority", "accounting")) {
                mesh.process(part).destroyForcibly();
            }
            ids.addAll(jobs.submit(mesh.operator(gateway), GPUS));

            jobs.assertNothingLostOrDoubled(ids);
        }
        assertThat(Files.readAllLines(mesh.secondLog("priority")))
                .filteredOn(line -> line.startsWith("{"))
                .anySatisfy(line ->
                        assertThat(Json.mapper().readTree(line).path("message").asText())
                                .contains("Standing by"));
    }

    private static void awaitReady(TestMesh.Instance instance) {
        await().atMost(PATIENCE)
                .ignoreExceptionsInstanceOf(IOException.class)
                .until(() -> TestMesh.ready(instance.port()));
    }

    private static void awaitRole(int port, String role) {
        await().atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(50))
                .ignoreExceptionsInstanceOf(IOException.class)
                .until(() -> TestMesh.role(port).equals(role));
    }
}
