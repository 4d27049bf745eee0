package io.berth.standalone;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.berth.standalone.mesh.MeshClient;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Whatever is killed, nothing acknowledged is lost and nothing runs twice.
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Tag("mesh")
class FaultsMeshTest {

    private static final int JOBS = 20;
    private static final int GPUS = 8;
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    /// Ends at once when an earlier run was ended before it.
    private static final String ENDS_WHEN_RUN_AGAIN =
            """
            #!/bin/sh
            [ -n "$SLURM_RESTART_COUNT" ] || sleep 100
            """;

    /// Writes its process id when it starts and when it ends: a run that was disturbed, or a second
    /// run, shows.
    private static final String SCRIPT =
            """
            #!/bin/sh
            echo "start $$" >>"trace-$SLURM_JOB_ID"
            sleep 2
            echo "end $$" >>"trace-$SLURM_JOB_ID"
            """;

    private final TestMesh mesh;

    FaultsMeshTest(@TempDir Path folder) throws IOException {
        mesh = new TestMesh(folder);
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

    @ParameterizedTest
    @ValueSource(strings = {"placement", "submit", "accounting", "agent"})
    void a_killed_service_loses_no_job_and_runs_none_twice(String part) throws IOException {
        List<Long> ids = submit(JOBS);
        await().atMost(PATIENCE).until(() -> count(ids, "RUNNING") == GPUS);
        assertThat(count(ids, "PENDING")).isPositive();

        mesh.killAndAwait(part);

        awaitCompleted(ids);
        for (long id : ids) {
            assertRanOnceUndisturbed(id);
        }
        awaitBalanced(ids);
    }

    @Test
    void leaders_that_are_killed_or_stand_still_are_succeeded_and_nothing_is_lost_or_done_twice()
            throws IOException {
        int first = mesh.port("placement");
        try (var second = mesh.second("placement")) {
            awaitRole(second.port(), "STANDBY");
            List<Long> ids = submit(JOBS);
            await().atMost(PATIENCE).until(() -> count(ids, "RUNNING") == GPUS);

            mesh.process("placement").destroyForcibly();
            awaitRole(second.port(), "LEADER");
            awaitRole(first, "STANDBY");
            ids.addAll(submit(GPUS));
            TestMesh.signal("STOP", second.process().pid());
            awaitRole(first, "LEADER");
            ids.addAll(submit(GPUS));
            TestMesh.signal("CONT", second.process().pid());
            awaitRole(second.port(), "STANDBY");

            assertThat(TestMesh.role(first)).isEqualTo("LEADER");
            awaitCompleted(ids);
            for (long id : ids) {
                assertRanOnceUndisturbed(id);
            }
            awaitBalanced(ids);
        }
    }

    @Test
    void second_instances_share_the_work_and_take_it_over() throws IOException {
        try (var gateway = mesh.second("submit");
                var priority = mesh.second("priority");
                var accounting = mesh.second("accounting")) {
            for (var second : List.of(gateway, priority, accounting)) {
                awaitReady(second);
            }
            List<Long> ids = submit(mesh.operator(), JOBS);
            ids.addAll(submit(mesh.operator(gateway), JOBS));

            for (String part : List.of("submit", "priority", "accounting")) {
                mesh.process(part).destroyForcibly();
            }
            ids.addAll(submit(mesh.operator(gateway), GPUS));

            assertThat(ids).doesNotHaveDuplicates();
            awaitCompleted(ids);
            for (long id : ids) {
                assertRanOnceUndisturbed(id);
            }
            awaitBalanced(ids);
        }
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

    @Test
    void jobs_and_history_outlive_down_and_up() throws IOException {
        List<Long> ended = submit(1);
        awaitCompleted(ended);
        List<Long> running = submit(Map.of("script", ENDS_WHEN_RUN_AGAIN, "gpusPerNode", GPUS));
        await().atMost(PATIENCE).until(() -> count(running, "RUNNING") == 1);
        List<Long> waiting = submit(1);

        mesh.berth("down").succeeded();
        mesh.assertGone();
        long down = System.currentTimeMillis();
        mesh.up("--gpu-profile", "none", "--virtual", "1xdgx-a100");

        awaitCompleted(Stream.of(ended, waiting, running).flatMap(List::stream).toList());
        assertRanOnceUndisturbed(waiting.getFirst());
        awaitBalanced(Stream.of(ended, waiting, running).flatMap(List::stream).toList());
        assertNoRunAcross(down, running.getFirst());
    }

    private List<Long> submit(int count) throws IOException {
        return submit(mesh.operator(), count);
    }

    private List<Long> submit(MeshClient by, int count) throws IOException {
        var ids = new ArrayList<Long>();
        for (int i = 0; i < count; i++) {
            ids.addAll(submit(by, Map.of("script", SCRIPT, "gpusPerNode", 1)));
        }
        return ids;
    }

    private List<Long> submit(Map<String, ?> job) throws IOException {
        return submit(mesh.operator(), job);
    }

    private List<Long> submit(MeshClient by, Map<String, ?> job) throws IOException {
        var complete = new HashMap<String, Object>(job);
        complete.put("workingDirectory", mesh.work().toString());
        complete.put("timeLimitSeconds", 300);
        return List.of(by.submit(complete).path("id").asLong());
    }

    private long count(List<Long> ids, String... states) throws IOException {
        return jobs(ids)
                .filter(job -> List.of(states).contains(job.path("state").asText()))
                .count();
    }

    private void awaitCompleted(List<Long> ids) {
        await().atMost(PATIENCE)
                .ignoreExceptionsInstanceOf(IOException.class)
                .untilAsserted(() ->
                        assertThat(jobs(ids))
                                .extracting(job -> job.path("state").asText())
                                .hasSize(ids.size())
                                .containsOnly("COMPLETED"));
    }

    private Stream<JsonNode> jobs(List<Long> ids) throws IOException {
        String list = ids.stream().map(String::valueOf).collect(Collectors.joining(","));
        JsonNode jobs = mesh.operator().get("/v1/jobs?job=" + list).path("jobs");
        return StreamSupport.stream(jobs.spliterator(), false);
    }

    private void assertRanOnceUndisturbed(long id) throws IOException {
        List<String> lines = Files.readAllLines(mesh.work().resolve("trace-" + id));
        assertThat(lines).as("runs of job " + id).hasSize(2);
        assertThat(lines.get(0)).startsWith("start ");
        assertThat(lines.get(1)).isEqualTo(lines.get(0).replace("start", "end"));
    }

    /// The books know of two runs, and that none of them held anything at that time.
    private void assertNoRunAcross(long time, long id) throws IOException {
        JsonNode booked =
                mesh.operator().accounting("/v1/accounting/jobs?job=" + id).path("jobs").path(0);
        assertThat(booked.path("runs")).hasSize(2);
        assertThat(booked.path("runs"))
                .noneMatch(run ->
                        run.path("placedAt").asLong() < time
                                && run.path("freedAt").asLong() > time);
    }

    private void awaitBalanced(List<Long> ids) {
        String list = ids.stream().map(String::valueOf).collect(Collectors.joining(","));
        await().atMost(PATIENCE)
                .ignoreExceptionsInstanceOf(IOException.class)
                .untilAsserted(() -> {
                    JsonNode booked =
                            mesh.operator()
                                    .accounting("/v1/accounting/jobs?job=" + list)
                                    .path("jobs");
                    assertThat(booked).hasSize(ids.size());
                    assertThat(booked).allMatch(job -> job.path("endedAt").asLong() > 0);
                });
        await().atMost(PATIENCE)
                .ignoreExceptionsInstanceOf(IOException.class)
                .untilAsserted(() -> {
                    JsonNode balance = mesh.operator().accounting("/v1/accounting/balance");
                    assertThat(balance.path("balanced").asBoolean())
                            .as(balance.toString())
                            .isTrue();
                });
    }
}
