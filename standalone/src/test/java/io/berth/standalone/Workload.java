package io.berth.standalone;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.berth.contracts.JobState;
import io.berth.log.KafkaConnection;
import io.berth.standalone.mesh.MeshClient;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.awaitility.core.ThrowingRunnable;

/// Jobs of a mesh that write down when they run, and what must hold of them whatever was killed.
record Workload(TestMesh mesh, Duration patience) {

    /// Writes its process id when it starts and when it ends: a run that was disturbed, or a second
    /// run, shows.
    private static final String SCRIPT =
            """
            #!/bin/sh
            echo "start $$" >>"trace-$SLURM_JOB_ID"
            sleep 2
            echo "end $$" >>"trace-$SLURM_JOB_ID"
            """;

    /// Submits an array of so many tasks of the same kind, eight at a time; its id.
    long submitArray(int tasks) throws IOException {
        var terms = Map.of("array", "0-%d%%8".formatted(tasks - 1));
        return submit(Map.of("script", SCRIPT, "gpusPerNode", 1, "terms", terms));
    }

    /// The tasks of an array, as soon as there are so many.
    List<JsonNode> tasks(long array, int count) {
        var tasks = new ArrayList<JsonNode>();
        eventually(() -> {
            tasks.clear();
            jobs(List.of(array)).forEach(tasks::add);
            assertThat(tasks).hasSize(count);
        });
        return tasks;
    }

    /// Submits so many jobs of one GPU and two seconds; their ids.
    List<Long> submit(int count) throws IOException {
        return submit(mesh.operator(), count);
    }

    List<Long> submit(MeshClient by, int count) throws IOException {
        var ids = new ArrayList<Long>();
        for (int i = 0; i < count; i++) {
            ids.add(submit(by, Map.of("script", SCRIPT, "gpusPerNode", 1)));
        }
        return ids;
    }

    /// Submits a job of another kind; its id.
    long submit(Map<String, ?> job) throws IOException {
        return submit(mesh.operator(), job);
    }

    private long submit(MeshClient by, Map<String, ?> job) throws IOException {
        var complete = new HashMap<String, Object>(job);
        complete.put("workingDirectory", mesh.work().toString());
        complete.putIfAbsent("timeLimitSeconds", 300);
        return by.submit(complete).path("id").asLong();
    }

    void awaitRunning(List<Long> ids, int count) {
        await().atMost(patience).until(() -> count(ids, "RUNNING") == count);
    }

    long count(List<Long> ids, String state) throws IOException {
        return jobs(ids).filter(job -> job.path("state").asText().equals(state)).count();
    }

    void awaitCompleted(List<Long> ids) {
        eventually(() ->
                assertThat(jobs(ids))
                        .extracting(job -> job.path("state").asText())
                        .hasSize(ids.size())
                        .containsOnly("COMPLETED"));
    }

    /// Waits until all have ended, however they did.
    ///
    /// @param count how many these are, with all tasks of arrays
    void awaitEnded(List<Long> ids, int count) {
        eventually(() ->
                assertThat(jobs(ids))
                        .hasSize(count)
                        .allMatch(it -> JobState.valueOf(it.path("state").asText()).terminal()));
    }

    /// Waits until all have completed, and asserts that each ran once, undisturbed, and what
    /// [#audited] does.
    void assertNothingLostOrDoubled(List<Long> ids) throws IOException {
        assertThat(ids).doesNotHaveDuplicates();
        awaitCompleted(ids);
        for (long id : ids) {
            assertRanOnceUndisturbed(id);
        }
        audited(ids);
    }

    /// Waits until the scripts have written their first line: a job is RUNNING before that, from
    /// when it has its nodes.
    void awaitBeginOfScripts(List<Long> ids) {
        awaitLines(ids, 1);
    }

    /// Waits until the scripts have written their last line, whoever may know of it.
    void awaitEndOfScripts(List<Long> ids) {
        awaitLines(ids, 2);
    }

    private void awaitLines(List<Long> ids, int count) {
        eventually(() -> {
            for (long id : ids) {
                assertThat(trace(id)).hasSizeGreaterThanOrEqualTo(count);
            }
        });
    }

    private List<String> trace(long id) throws IOException {
        return Files.readAllLines(mesh.work().resolve("trace-" + id));
    }

    /// Waits until that holds. That a part of the mesh is away meanwhile, and does not answer, is
    /// told in the end and no reason to give up.
    void eventually(ThrowingRunnable asserted) {
        await().atMost(patience)
                .untilAsserted(() -> {
                    try {
                        asserted.run();
                    } catch (IOException e) {
                        throw new AssertionError(e.toString(), e);
                    }
                });
    }

    void assertStartedOnceAtMost(long id) throws IOException {
        if (Files.exists(mesh.work().resolve("trace-" + id))) {
            assertThat(trace(id)).filteredOn(line -> line.startsWith("start ")).hasSize(1);
        }
    }

    void assertRanOnceUndisturbed(long id) throws IOException {
        List<String> lines = trace(id);
        assertThat(lines).as("runs of job " + id).hasSize(2);
        assertThat(lines.get(0)).startsWith("start ");
        assertThat(lines.get(1)).isEqualTo(lines.get(0).replace("start", "end"));
    }

    /// Waits until the books know the end of each, and balance, and asserts that the public topics
    /// break no invariant and that the books have what they tell.
    JobsAudit audited(List<Long> ids) throws IOException {
        var booked = new ArrayList<JsonNode>();
        eventually(() -> {
            booked.clear();
            mesh.operator()
                    .accounting("/v1/accounting/jobs?job=" + list(ids))
                    .path("jobs")
                    .forEach(booked::add);
            assertThat(booked).hasSize(ids.size());
            assertThat(booked).allMatch(job -> job.path("endedAt").asLong() > 0);
            JsonNode balance = mesh.operator().accounting("/v1/accounting/balance");
            assertThat(balance.path("balanced").asBoolean()).as(balance.toString()).isTrue();
        });
        var audit = JobsAudit.of(kafka());
        audit.readBooks(booked);
        assertThat(audit.breaks(ids)).isEmpty();
        return audit;
    }

    KafkaConnection kafka() throws IOException {
        return new KafkaConnection("127.0.0.1:" + mesh.port("kafka"));
    }

    /// What is known of these, of an array of all its tasks.
    Stream<JsonNode> jobs(List<Long> ids) throws IOException {
        JsonNode jobs = mesh.operator().get("/v1/jobs?job=" + list(ids)).path("jobs");
        return StreamSupport.stream(jobs.spliterator(), false);
    }

    private static String list(List<Long> ids) {
        return ids.stream().map(String::valueOf).collect(Collectors.joining(","));
    }
}
