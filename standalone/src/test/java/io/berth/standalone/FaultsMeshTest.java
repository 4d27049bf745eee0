package io.berth.standalone;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.berth.contracts.event.JobEvent;
import io.berth.contracts.event.NodeStatus.Presence;
import io.berth.contracts.json.Json;
import io.berth.contracts.topic.Topic;
import io.berth.contracts.topic.Topics;
import io.berth.log.EventWriter;
import io.berth.log.KafkaConnection;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.kafka.clients.producer.ProducerRecord;
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

    private static final int JOBS = 50;
    private static final int GPUS = 32;

    /// Far less than run at once.
    private static final int FEW = 8;

    /// So many that what is told of them is more than goes to the log at once.
    private static final int TASKS = 1000;

    /// Longer than the broker needs for a commit that it was asked for already.
    private static final Duration COMMIT_ON_ITS_WAY = Duration.ofMillis(300);

    private static final Duration PATIENCE = Duration.ofSeconds(120);
    private static final String[] UP = {"--gpu-profile", "none", "--virtual", "4xdgx-a100"};

    /// Earlier than by default, as heartbeats come more often.
    private static final Duration NODE_TIMEOUT = Duration.ofSeconds(6);

    /// Nodes are missed quickly, and lines of the log have fields.
    private static final Map<String, String> SETTINGS =
            Map.of(
                    "BERTH_AGENT_HEARTBEAT", "1s",
                    "BERTH_PLACEMENT_SILENT_AFTER", "4s",
                    "BERTH_PLACEMENT_NODE_TIMEOUT", NODE_TIMEOUT.toSeconds() + "s",
                    "QUARKUS_LOG_CONSOLE_JSON_ENABLED", "true");

    /// Longer than a candidate may be silent.
    private static final Duration STANDSTILL =
            KafkaConnection.CANDIDATE_SESSION.plus(Duration.ofSeconds(1));

    /// How long the database is away: docs/faults.md tells of minutes.
    private static final Duration OUTAGE =
            Duration.ofSeconds(Long.getLong("berth.test.outage-seconds", 12));

    /// Ends at once when an earlier run was ended before it.
    private static final String ENDS_WHEN_RUN_AGAIN =
            """
            #!/bin/sh
            [ -n "$SLURM_RESTART_COUNT" ] || sleep 100
            """;

    private final TestMesh mesh;
    private final Workload jobs;

    FaultsMeshTest(@TempDir Path folder) throws IOException {
        mesh = new TestMesh(folder, SETTINGS);
        jobs = new Workload(mesh, PATIENCE);
    }

    @BeforeAll
    void start() throws IOException {
        mesh.up(UP);
    }

    @AfterAll
    void stop() throws IOException {
        mesh.berth("down").succeeded();
        mesh.assertGone();
    }

    /// It is killed with requests in flight, which are then repeated.
    @Test
    void a_killed_gateway_loses_no_job_and_runs_none_twice() throws Exception {
        try (KeyedRequests requests = jobs.ask(JOBS)) {
            await().atMost(PATIENCE)
                    .pollInterval(Duration.ofMillis(1))
                    .until(() -> requests.answered() >= FEW);

            mesh.killAndAwait("submit");

            List<Long> ids = requests.ids();
            assertThat(requests.unanswered()).isPositive();
            assertThat(requests.idsOnceMore()).isEqualTo(ids);
            jobs.assertNothingLostOrDoubled(ids);
        }
    }

    /// It stands still while jobs are accepted, have been sent to a node, run, and end, and dies
    /// before it could do its part in any of that.
    @ParameterizedTest
    @ValueSource(strings = {"placement", "accounting", "agent"})
    void a_service_that_dies_before_it_has_done_its_part_loses_no_job_and_runs_none_twice(
            String part) throws Exception {
        List<Long> ending = jobs.submit(GPUS / 2);
        jobs.awaitBeginOfScripts(ending);
        TestMesh.signal("STOP", mesh.process(part).pid());
        List<Long> ids = jobs.submitWithGangs(JOBS);
        jobs.awaitEndOfScripts(ending);

        mesh.killAndAwait(part);

        ids.addAll(ending);
        jobs.assertNothingLostOrDoubled(ids);
    }

    /// It stands still while jobs wait that it has ranked, and others are accepted.
    @Test
    void without_priority_jobs_start_that_nobody_has_ranked_after_those_that_are_ranked()
            throws IOException {
        long filling = jobs.submitUntilTold(Map.of("nodes", 4, "gpusPerNode", 8));
        jobs.awaitBeginOfScripts(List.of(filling));
        List<Long> ranked = jobs.submit(FEW);
        jobs.eventually(() -> assertThat(jobs.told(Topics.RANKINGS)).containsAll(ranked));
        TestMesh.signal("STOP", mesh.process("priority").pid());
        List<Long> unranked = jobs.submit(FEW);
        jobs.tellToEnd(filling);
        jobs.awaitEndOfScripts(unranked);

        assertThat(jobs.told(Topics.RANKINGS)).doesNotContainAnyElementsOf(unranked);
        assertThat(placed().filter(it -> ranked.contains(it) || unranked.contains(it)))
                .hasSize(2 * FEW)
                .startsWith(ranked.toArray(Long[]::new));
        mesh.killAndAwait("priority");
        var ids = new ArrayList<>(ranked);
        ids.addAll(unranked);
        ids.add(filling);
        jobs.assertNothingLostOrDoubled(ids);
    }

    /// The jobs that were placed, in their order.
    private Stream<Long> placed() throws IOException {
        var placed = Stream.<Long>builder();
        try (var topics = new WholeTopics(jobs.kafka())) {
            topics.read(
                    Topics.JOBS,
                    (_, event) -> {
                        if (event instanceof JobEvent.Placed it) {
                            placed.add(it.job().value());
                        }
                    });
        }
        return placed.build();
    }

    /// One after the other, for so long that others take it for gone.
    @Test
    void services_that_stand_still_and_go_on_lose_no_job_and_run_none_twice() throws Exception {
        var ids = new ArrayList<Long>();
        for (String part : List.of("submit", "priority", "accounting", "agent")) {
            List<Long> ending = jobs.submit(FEW);
            jobs.awaitBeginOfScripts(ending);
            long pid = mesh.process(part).pid();
            TestMesh.signal("STOP", pid);
            try (KeyedRequests requests = jobs.ask(FEW)) {
                TimeUnit.MILLISECONDS.sleep(STANDSTILL.toMillis());
                TestMesh.signal("CONT", pid);
                ids.addAll(requests.ids());
            }
            ids.addAll(ending);
            assertThat(mesh.process(part).pid()).as(part).isEqualTo(pid);
        }

        jobs.assertNothingLostOrDoubled(ids);
    }

    /// The agent of one node stands still, and then also that of all others, each for longer than
    /// it takes until a node is DOWN.
    @Test
    void a_lost_node_keeps_its_job_until_it_is_back_and_of_many_at_once_none_is_lost()
            throws Exception {
        try (var agent = mesh.secondAgent("1xdgx-h100")) {
            awaitPresence("dgx-h100-01", Presence.UP);
            Map<String, ?> there = Map.of("gpuType", "h100", "gpusPerNode", 8);
            long lost = jobs.submitUntilTold(there);
            jobs.awaitBeginOfScripts(List.of(lost));
            TestMesh.signal("STOP", agent.process().pid());
            awaitPresence("dgx-h100-01", Presence.DOWN);
            jobs.eventually(
                    () -> assertThat(mesh.job(lost).path("reason").asText()).isEqualTo("NodeDown"));
            assertThat(mesh.job(lost).path("state").asText()).isEqualTo("RUNNING");
            jobs.tellToEnd(lost);
            List<Long> ids = jobs.submit(FEW);
            jobs.awaitBeginOfScripts(ids);

            long others = mesh.process("agent").pid();
            TestMesh.signal("STOP", others);
            awaitPresence("dgx-a100-01", Presence.SILENT);
            TimeUnit.MILLISECONDS.sleep(NODE_TIMEOUT.toMillis());
            Map<String, Presence> presences = presences();
            TestMesh.signal("CONT", others);
            TestMesh.signal("CONT", agent.process().pid());

            assertThat(presences.remove("dgx-h100-01")).isEqualTo(Presence.DOWN);
            assertThat(presences.values()).hasSize(5).containsOnly(Presence.SILENT);
            ids.add(lost);
            long next = jobs.submitUntilTold(there);
            jobs.tellToEnd(next);
            ids.add(next);
            jobs.assertNothingLostOrDoubled(ids);
        } finally {
            mesh.killAndAwait("agent");
        }
        // Or the next job is sent to it, and waits for it.
        awaitPresence("dgx-h100-01", Presence.DOWN);
    }

    private void awaitPresence(String node, Presence presence) {
        jobs.eventually(() -> assertThat(presences()).containsEntry(node, presence));
    }

    private Map<String, Presence> presences() throws IOException {
        var presences = new TreeMap<String, Presence>();
        try (var topics = new WholeTopics(jobs.kafka())) {
            topics.read(
                    Topics.NODE_STATES,
                    (record, node) ->
                            presences.put(
                                    WholeTopics.key(record),
                                    Objects.requireNonNull(node).presence()));
        }
        return presences;
    }

    /// It is stopped as soon as the first of what it writes stands in the log. A commit may be
    /// quicker than that, and then it is tried again.
    @Test
    void what_a_leader_wrote_and_did_not_commit_counts_for_nothing() throws Exception {
        var arrays = new ArrayList<Long>();
        long pid = mesh.process("placement").pid();
        try (var states = new Uncommitted(jobs.kafka())) {
            long first;
            while (true) {
                states.pass();
                arrays.add(jobs.submitArray(TASKS));
                first = states.next();
                TestMesh.signal("STOP", pid);
                TimeUnit.MILLISECONDS.sleep(COMMIT_ON_ITS_WAY.toMillis());
                if (states.isOpen(first)) {
                    break;
                }
                TestMesh.signal("CONT", pid);
                assertThat(arrays).as("tries").hasSizeLessThan(20);
            }

            mesh.killAndAwait("placement");

            assertThat(states.committedFrom(first)).doesNotContain(first);
        }
        var ids = new ArrayList<Long>();
        for (long array : arrays) {
            jobs.tasks(array, TASKS).forEach(it -> ids.add(it.path("id").asLong()));
        }
        jobs.awaitBeginOfScripts(ids.subList(0, FEW));
        for (long array : arrays) {
            mesh.berth("scancel", Long.toString(array)).succeeded();
        }
        jobs.awaitEnded(arrays, ids.size());
        assertThat(JobsAudit.of(jobs.kafka()).breaks(ids)).isEmpty();
        for (long id : ids) {
            jobs.assertStartedOnceAtMost(id);
        }
    }

    /// The broker is in the process of the supervisor, which the services and the database follow
    /// to its end.
    @Test
    void a_killed_database_and_a_killed_broker_lose_no_job_and_run_none_twice() throws Exception {
        List<Long> ids = jobs.submitWithGangs(JOBS);
        jobs.awaitRunningAndWaiting(ids, FEW);

        mesh.killAndAwait("postgres");
        ids.addAll(jobs.submitWithGangs(JOBS));
        jobs.awaitRunningAndWaiting(ids, FEW);
        ProcessHandle broker = mesh.process("kafka");
        broker.destroyForcibly();
        broker.onExit().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        mesh.up(UP);

        jobs.assertNothingLostOrDoubled(ids);
    }

    /// It stands still, or dies as often as it is started again.
    @ParameterizedTest
    @ValueSource(strings = {"STOP", "KILL"})
    void without_its_database_jobs_go_on_and_are_booked_when_it_is_back(String signal)
            throws Exception {
        List<Long> ids = jobs.submit(FEW);
        jobs.awaitBeginOfScripts(ids);

        long back = System.nanoTime() + OUTAGE.toNanos();
        TestMesh.signal(signal, mesh.process("postgres").pid());
        while (System.nanoTime() < back) {
            ids.addAll(jobs.submit(1));
            jobs.awaitCompleted(ids);
            if (signal.equals("KILL")) {
                mesh.killIfThere("postgres");
            }
        }
        if (signal.equals("STOP")) {
            TestMesh.signal("CONT", mesh.process("postgres").pid());
        }

        jobs.assertNothingLostOrDoubled(ids);
    }

    @Test
    void records_that_nobody_can_read_are_put_aside() throws IOException {
        var written = new ArrayList<String>();
        try (var writer = new EventWriter(jobs.kafka()::producer)) {
            for (Topic<?> topic :
                    List.of(
                            Topics.SUBMISSIONS,
                            Topics.RANKINGS,
                            Topics.FAIR_SHARES,
                            Topics.RUNS,
                            Topics.NODES,
                            Topics.NODE_REQUESTS,
                            Topics.TRIGGERS,
                            Topics.HEARTBEATS,
                            Topics.CONFIG,
                            Topics.SHARES)) {
                long offset = writer.write(unreadable(topic)).join().offset();
                written.add(topic.name() + "/0/" + offset);
            }
        }

        for (String part : List.of("placement", "priority", "accounting")) {
            mesh.killAndAwait(part);
        }
        jobs.assertNothingLostOrDoubled(jobs.submit(FEW));
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(deadLetters()).containsAll(written));
        for (String service : List.of("submit", "priority", "placement", "accounting")) {
            assertThat(logged(service, "record")).as(service).containsAnyElementsOf(written);
        }
    }

    @Test
    void lines_of_all_that_a_node_did_for_a_job_have_its_number() throws IOException {
        long id = jobs.submit(1).getFirst();
        jobs.awaitCompleted(List.of(id));

        assertThat(logged("agent", "job")).contains(Long.toString(id));
        assertThat(logged("agent", "run")).contains(id + ".1");
    }

    /// The values of that field in the lines of a service.
    private Set<String> logged(String service, String field) throws IOException {
        var values = new TreeSet<String>();
        for (String line : Files.readAllLines(mesh.home().log(service))) {
            if (line.startsWith("{")) {
                values.add(Json.mapper().readTree(line).at("/mdc/" + field).asText());
            }
        }
        return values;
    }

    @Test
    void jobs_and_history_outlive_down_and_up() throws IOException {
        List<Long> ended = jobs.submit(1);
        jobs.awaitCompleted(ended);
        long running =
                jobs.submit(Map.of("script", ENDS_WHEN_RUN_AGAIN, "nodes", 4, "gpusPerNode", 8));
        jobs.awaitRunning(List.of(running), 1);
        List<Long> waiting = jobs.submit(1);
        List<Long> ids = List.of(ended.getFirst(), waiting.getFirst(), running);

        mesh.berth("down").succeeded();
        mesh.assertGone();
        long down = System.currentTimeMillis();
        mesh.up(UP);

        jobs.awaitCompleted(ids);
        jobs.assertRanOnceUndisturbed(waiting.getFirst());
        jobs.audited(ids);
        assertNoRunAcross(down, running);
    }

    private static ProducerRecord<byte[], byte[]> unreadable(Topic<?> topic) {
        Class<?>[] events = topic.events().getPermittedSubclasses();
        Class<?> event = events == null ? topic.events() : events[0];
        var record =
                new ProducerRecord<>(
                        topic.name(), 0, "nobody".getBytes(UTF_8), "{".getBytes(UTF_8));
        record.headers()
                .add("ce_type", (topic.name() + "/" + event.getSimpleName()).getBytes(UTF_8));
        return record;
    }

    /// The positions of all dead letters.
    private List<String> deadLetters() throws IOException {
        var positions = new ArrayList<String>();
        try (var topics = new WholeTopics(jobs.kafka())) {
            for (String service :
                    List.of("placement-service", "priority-service", "submit-service")) {
                topics.read(
                        Topics.deadLetters(service),
                        (_, letter) -> positions.add(Objects.requireNonNull(letter).position()));
            }
        }
        return positions;
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
}
