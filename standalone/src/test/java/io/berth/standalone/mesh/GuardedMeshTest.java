package io.berth.standalone.mesh;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.berth.contracts.topic.Access;
import io.berth.embedded.GuardedBroker;
import io.berth.embedded.PostgresServer;
import io.berth.standalone.mesh.MeshStatus.State;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/// All services as they are on a cluster of many hosts: each shows the brokers a certificate, and
/// may do there what [Access] says and nothing else. The broker is a process of its own.
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Tag("mesh")
class GuardedMeshTest {

    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final Duration PATIENCE = Duration.ofMinutes(3);

    /// How long the broker is away: docs/faults.md tells of a minute.
    private static final Duration OUTAGE =
            Duration.ofSeconds(Long.getLong("berth.test.outage-seconds", 12));

    private final Path folder;
    private final Ports ports = Ports.free();
    private GuardedBroker broker;
    private PostgresServer database;
    private List<Child> children = List.of();
    private MeshClient operator;

    GuardedMeshTest(@TempDir Path folder) {
        this.folder = folder;
    }

    @BeforeAll
    void start() throws Exception {
        var home = new MeshHome(folder.resolve("home"));
        home.create();
        home.prepare(ROOT, ports);
        broker = GuardedBroker.startApart(folder);
        database = PostgresServer.start(home.postgres(), ports.postgres());
        Map<String, Map<String, String>> admitted = admitted(broker);
        var signing = new HashMap<>(Objects.requireNonNull(admitted.get("agent")));
        signing.put("berth.agent.node-key", nodeKey().toString());
        admitted.put("agent", signing);
        var offer = new Offer(true, Optional.empty(), Optional.empty());
        var services =
                new Services(
                        ROOT,
                        home,
                        ports,
                        offer,
                        Leash.here(),
                        name -> Objects.requireNonNull(admitted.get(name), name),
                        false);
        children =
                List.of(
                        services.agent(),
                        services.submit(),
                        services.priority(),
                        services.placement(),
                        services.accounting(() -> database));
        children.forEach(it -> it.start(now()));
        await().pollInSameThread().atMost(PATIENCE).until(this::ready);
        operator = new MeshClient(ports, Files.readString(home.operatorToken()).strip());
    }

    @AfterAll
    void stop() throws Exception {
        stop(children);
        database.close();
        broker.close();
        for (Child child : children) {
            // What the stack of a thread is that was slow is no refusal.
            assertThat(child.role().log())
                    .content()
                    .doesNotContainPattern("(?im)^(?!\\tat ).*authoriz");
        }
    }

    @Test
    void a_job_comes_into_the_books_by_services_that_may_do_no_more_than_they_need()
            throws Exception {
        long job = submit("echo done");

        awaitCompleted(job);

        assertThat(output(job)).hasContent("done");
        assertThat(nodeKey()).as("by which the agent signed what it said").isNotEmptyFile();
    }

    private Path nodeKey() {
        return folder.resolve("node.pem");
    }

    /// It is killed while a job runs and another one waits, and comes back when they would be over.
    @Test
    void services_outlive_a_broker_that_is_killed_and_away_and_lose_no_job() throws Exception {
        List<Long> pids = pids();
        long running = submit("echo begins; sleep 3; echo ends");
        await().atMost(PATIENCE).until(() -> Files.exists(output(running)));
        long waiting = submit("echo done", Map.of("dependency", "afterok:" + running));

        broker.close();
        TimeUnit.MILLISECONDS.sleep(OUTAGE.toMillis());
        broker.restart();

        awaitCompleted(running);
        awaitCompleted(waiting);
        assertThat(output(running)).hasContent("begins\nends");
        assertThat(output(waiting)).hasContent("done");
        await().pollInSameThread().atMost(PATIENCE).until(this::ready);
        assertThat(pids()).isEqualTo(pids);
    }

    private List<Long> pids() {
        return children.stream().map(it -> Objects.requireNonNull(it.status().pid())).toList();
    }

    /// The settings of each service, by its name in a mesh.
    private static Map<String, Map<String, String>> admitted(GuardedBroker broker)
            throws IOException {
        var admitted = new HashMap<String, Map<String, String>>();
        for (Access access : Access.all()) {
            admitted.put(
                    access.client().replaceFirst("^berth-", ""),
                    broker.admit(
                            access.client(),
                            access.rules().stream()
                                    .map(it ->
                                            new GuardedBroker.Right(
                                                    it.resource(),
                                                    it.name(),
                                                    it.prefixed(),
                                                    it.operations()))
                                    .toList()));
        }
        return admitted;
    }

    private boolean ready() {
        children.forEach(it -> it.tick(now()));
        return children.stream().allMatch(it -> it.state() == State.READY);
    }

    private long submit(String script) throws IOException {
        return submit(script, Map.of());
    }

    private long submit(String script, Map<String, ?> terms) throws IOException {
        return operator.submit(
                        Map.of(
                                "script",
                                "#!/bin/sh\n" + script + "\n",
                                "workingDirectory",
                                folder.toString(),
                                "standardOutput",
                                folder.resolve("out-%j").toString(),
                                "terms",
                                terms))
                .path("id")
                .asLong();
    }

    private Path output(long job) {
        return folder.resolve("out-" + job);
    }

    /// Waits until the books tell that a job has completed.
    private void awaitCompleted(long job) {
        await().atMost(PATIENCE)
                .ignoreExceptions()
                .untilAsserted(() ->
                        assertThat(
                                        operator.get("/slurmdb/v0.0.40/job/" + job)
                                                .at("/jobs/0/state/current/0")
                                                .asText())
                                .isEqualTo("COMPLETED"));
    }

    /// The agent first, whose last reports the others still take in.
    private static void stop(List<Child> children) throws InterruptedException {
        for (Child child : children) {
            child.stop();
            child.awaitStopped();
        }
    }

    private static Duration now() {
        return Duration.ofNanos(System.nanoTime());
    }
}
