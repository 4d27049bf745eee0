package io.berth.standalone;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.berth.contracts.JobState;
import io.berth.contracts.topic.Topic;
import io.berth.log.KafkaConnection;
import io.berth.standalone.mesh.MeshClient;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
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

    /// The same, but that it ends when it is told to.
    private static final String ENDS_WHEN_TOLD =
            SCRIPT.replace("sleep 2", "until [ -e \"end-$SLURM_JOB_ID\" ]; do sleep 0.1; done");

    /// Of so many one is a gang.
    private static final int GANGS = 5;

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

    /// Submits so many jobs of two seconds at once, with two GPUs of a node or, some, of each of
    /// two nodes.
    KeyedRequests ask(int count) throws IOException {
        var jobs = new ArrayList<Map<String, ?>>();
        for (int i = 0; i < count; i++) {
            int nodes = i % GANGS == 0 ? 2 : 1;
            jobs.add(complete(Map.of("script", SCRIPT, "gpusPerNode", 2, "nodes", nodes)));
        }
        return new KeyedRequests(mesh.operator(), jobs, patience);
    }

    /// The same, of which all are there when it returns; their ids.
    List<Long> submitWithGangs(int count) throws Exception {
        try (KeyedRequests requests = ask(count)) {
            return requests.ids();
        }
    }

    /// Submits a job that goes on until [#tellToEnd]; its id.
    long submitUntilTold(Map<String, ?> job) throws IOException {
        var until = new HashMap<String, Object>(job);
        until.put("script", ENDS_WHEN_TOLD);
        return submit(until);
    }

    void tellToEnd(long id) throws IOException {
        Files.createFile(mesh.work().resolve("end-" + id));
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
        return by.submit(complete(job)).path("id").asLong();
    }

    private Map<String, Object> complete(Map<String, ?> job) {
        var complete = new HashMap<String, Object>(job);
        complete.put("workingDirectory", mesh.work().toString());
        complete.putIfAbsent("timeLimitSeconds", 300);
        return complete;
    }

    void awaitRunning(List<Long> ids, int count) {
        await().atMost(patience).until(() -> count(ids, "RUNNING") == count);
    }

    /// Waits until so many run at least, and others wait.
    void awaitRunningAndWaiting(List<Long> ids, int running) {
        await().atMost(patience)
                .until(() -> count(ids, "RUNNING") >= running && count(ids, "PENDING") > 0);
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
        List<JsonNode> booked = awaitBooked(mesh.operator(), ids);
        var audit = JobsAudit.of(kafka());
        audit.readBooks(booked);
        assertThat(audit.breaks(ids)).isEmpty();
        return audit;
    }

    /// The jobs in the books, as soon as these know the end of each, and balance.
    ///
    /// @param by who asks
    List<JsonNode> awaitBooked(MeshClient by, List<Long> ids) {
        var booked = new ArrayList<JsonNode>();
        eventually(() -> {
            booked.clear();
            by.accounting("/v1/accounting/jobs?job=" + list(ids)).path("jobs").forEach(booked::add);
            assertThat(booked).hasSize(ids.size());
            assertThat(booked).allMatch(job -> job.path("endedAt").asLong() > 0);
            JsonNode balance = by.accounting("/v1/accounting/balance");
            assertThat(balance.path("balanced").asBoolean()).as(balance.toString()).isTrue();
        });
        return booked;
    }

    /// The jobs that a topic tells of.
    Set<Long> told(Topic<?> topic) throws IOException {
        var told = new HashSet<Long>();
        try (var topics = new WholeTopics(kafka())) {
            topics.read(topic, (record, _) -> told.add(Long.valueOf(WholeTopics.key(record))));
        }
        return told;
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
