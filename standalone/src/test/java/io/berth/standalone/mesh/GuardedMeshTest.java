package io.berth.standalone.mesh;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
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
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// All services as they are on a cluster of many hosts: each shows the brokers a certificate, and
/// may do there what [Access] says and nothing else.
@Tag("mesh")
class GuardedMeshTest {

    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final Duration PATIENCE = Duration.ofMinutes(3);

    @TempDir private Path folder;

    @Test
    void a_job_comes_into_the_books_by_services_that_may_do_no_more_than_they_need()
            throws Exception {
        var home = new MeshHome(folder.resolve("home"));
        Ports ports = Ports.free();
        home.create();
        home.prepare(ROOT, ports);
        GuardedBroker broker = GuardedBroker.start(folder);
        PostgresServer database = PostgresServer.start(home.postgres(), ports.postgres());
        Map<String, Map<String, String>> admitted = admitted(broker);
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
        List<Child> children =
                List.of(
                        services.agent(),
                        services.submit(),
                        services.priority(),
                        services.placement(),
                        services.accounting(() -> database));
        try {
            children.forEach(it -> it.start(now()));
            await().pollInSameThread().atMost(PATIENCE).until(() -> ready(children));
            var operator = new MeshClient(ports, Files.readString(home.operatorToken()).strip());
            long job = submit(operator);

            await().atMost(PATIENCE)
                    .ignoreExceptions()
                    .untilAsserted(() ->
                            assertThat(booked(operator, job).at("/state/current/0").asText())
                                    .isEqualTo("COMPLETED"));
            assertThat(folder.resolve("out")).hasContent("done");
            assertThat(children).extracting(it -> it.status().restarts()).containsOnly(0);
        } finally {
            stop(children);
            database.close();
            broker.close();
        }
        for (Child child : children) {
            assertThat(child.role().log()).content().doesNotContainIgnoringCase("authoriz");
        }
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

    private static boolean ready(List<Child> children) {
        children.forEach(it -> it.tick(now()));
        return children.stream().allMatch(it -> it.state() == State.READY);
    }

    private long submit(MeshClient operator) throws IOException {
        return operator.submit(
                        Map.of(
                                "script",
                                "#!/bin/sh\necho done\n",
                                "workingDirectory",
                                folder.toString(),
                                "standardOutput",
                                folder.resolve("out").toString()))
                .path("id")
                .asLong();
    }

    private static JsonNode booked(MeshClient operator, long job) throws IOException {
        return operator.get("/slurmdb/v0.0.40/job/" + job).at("/jobs/0");
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
