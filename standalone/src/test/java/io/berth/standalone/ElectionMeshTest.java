package io.berth.standalone;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.berth.contracts.json.Json;
import io.berth.contracts.topic.Topics;
import io.berth.embedded.FreePorts;
import io.berth.log.KafkaConnection;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
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

    /// How long what is submitted may wait for the next leader: until the session of the last one
    /// is over, and ten times as long as a standby takes on a busy machine. Only a standby that
    /// waits for another thing is later: Kafka's own session is 45 s.
    private static final Duration WITHOUT_LEADER =
            KafkaConnection.CANDIDATE_SESSION.plus(Duration.ofSeconds(20));

    private final TestMesh mesh;
    private final Workload jobs;

    /// Of the second gateway. Nodes come to that one, and users to the first.
    private final int gatewayOfNodes = FreePorts.next();

    ElectionMeshTest(@TempDir Path folder) throws IOException {
        mesh =
                new TestMesh(
                        folder,
                        Map.of(
                                "BERTH_SUBMIT_PEERS",
                                "http://localhost:" + gatewayOfNodes,
                                "BERTH_SUBMIT_SESSION_URL",
                                "ws://127.0.0.1:" + gatewayOfNodes));
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
            throws Exception {
        int first = mesh.port("placement");
        try (var second = mesh.second("placement")) {
            awaitRole(second.port(), "STANDBY");
            List<Long> ids = jobs.submit(JOBS);
            jobs.awaitRunning(ids, GPUS);

            ProcessHandle leader = mesh.process("placement");
            leader.destroyForcibly();
            leader.onExit().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            List<Long> leaderless = new ArrayList<>(jobs.submit(GPUS));
            int next = awaitLeader(first, second.port());
            int other = next == first ? second.port() : first;
            awaitRole(other, "STANDBY");
            var leads = next == first ? mesh.process("placement") : second.process().toHandle();
            TestMesh.signal("STOP", leads.pid());
            leaderless.addAll(jobs.submit(GPUS));
            awaitRole(other, "LEADER");
            ids.addAll(leaderless);
            TestMesh.signal("CONT", leads.pid());
            awaitRole(next, "STANDBY");

            assertThat(TestMesh.role(other)).isEqualTo("LEADER");
            jobs.assertNothingLostOrDoubled(ids);
            assertThat(Waits.longest(jobs.kafka(), leaderless)).isLessThan(WITHOUT_LEADER);
        }
        assertThat(Files.readAllLines(mesh.secondLog("placement")))
                .filteredOn(line -> line.contains("Standing by"))
                .isNotEmpty()
                .allSatisfy(line ->
                        assertThat(Json.mapper().readTree(line).at("/mdc/cell").asText())
                                .isEqualTo("0"));
    }

    /// The first gateway dies. Priority and accounting stand still, so that nobody starts them anew
    /// and what happens then is done by the second ones. Accounting does so at rest: in the middle
    /// of a transaction it would keep its locks in the database.
    @Test
    void second_instances_share_the_work_and_take_it_over() throws Exception {
        String peer = "http://localhost:" + mesh.port("submit");
        try (var gateway =
                        mesh.second("submit", gatewayOfNodes, Map.of("BERTH_SUBMIT_PEERS", peer));
                var priority = mesh.second("priority");
                var accounting = mesh.second("accounting")) {
            for (var second : List.of(gateway, priority, accounting)) {
                awaitReady(second);
            }
            List<Long> ids = jobs.submit(GPUS);
            ids.addAll(jobs.submit(mesh.operator(gateway), GPUS));
            Path typed = mesh.work().resolve("typed.out");
            var terminal = CompletableFuture.supplyAsync(this::isTyped, Thread::startVirtualThread);
            await("a run whose ends are at two gateways")
                    .atMost(PATIENCE)
                    .until(() -> Files.exists(typed) && Files.size(typed) > 0);

            jobs.awaitBooked(mesh.operator(), ids);
            long filling = jobs.submitUntilTold(Map.of("gpusPerNode", GPUS));
            awaitStartBooked(filling);
            List<Long> first =
                    List.of(mesh.process("priority").pid(), mesh.process("accounting").pid());
            for (long pid : first) {
                TestMesh.signal("STOP", pid);
            }
            mesh.process("submit").destroyForcibly();
            List<Long> waiting = jobs.submit(mesh.operator(gateway), GPUS);
            Files.createFile(mesh.work().resolve("gone"));

            TestMesh.Outcome ended = terminal.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            assertThat(ended.status()).as(ended.err()).isEqualTo(5);
            assertThat(typed).hasContent("a\nb\n");
            jobs.eventually(() -> assertThat(jobs.told(Topics.RANKINGS)).containsAll(waiting));
            jobs.tellToEnd(filling);
            ids.add(filling);
            ids.addAll(waiting);
            jobs.awaitBooked(mesh.bookkeeper(accounting), ids);
            for (long pid : first) {
                TestMesh.signal("CONT", pid);
            }
            jobs.assertNothingLostOrDoubled(ids);
        }
        assertThat(Files.readAllLines(mesh.secondLog("priority")))
                .filteredOn(line -> line.startsWith("{"))
                .anySatisfy(line ->
                        assertThat(Json.mapper().readTree(line).path("message").asText())
                                .contains("Standing by"));
    }

    private void awaitStartBooked(long job) {
        jobs.eventually(() ->
                assertThat(
                                mesh.operator()
                                        .accounting("/v1/accounting/jobs?job=" + job)
                                        .at("/jobs/0/runs/0/startedAt")
                                        .asLong())
                        .isPositive());
    }

    private TestMesh.Outcome isTyped() {
        String script =
                "(echo a; until [ -e gone ]; do sleep 0.1; done; echo b) | \"$0\" srun sh -c 'cat; exit 5' >typed.out";
        try {
            return mesh.run(List.of("sh", "-c", script, TestMesh.ROOT.resolve("berth").toString()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void awaitReady(TestMesh.Instance instance) {
        await().atMost(PATIENCE)
                .ignoreExceptionsInstanceOf(IOException.class)
                .until(() -> TestMesh.ready(instance.port()));
    }

    /// The one of two that leads next: the one that the supervisor starts again may be as quick as
    /// the one that stands by.
    private static int awaitLeader(int one, int other) {
        return await().atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(50))
                .until(() -> leads(one) ? one : leads(other) ? other : 0, port -> port != 0);
    }

    private static boolean leads(int port) {
        try {
            return TestMesh.role(port).equals("LEADER");
        } catch (IOException e) {
            return false;
        }
    }

    private static void awaitRole(int port, String role) {
        await().atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(50))
                .ignoreExceptionsInstanceOf(IOException.class)
                .until(() -> TestMesh.role(port).equals(role));
    }
}
