package io.berth.agent;

import static io.restassured.RestAssured.given;
import static org.awaitility.Awaitility.await;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.hasSize;

import io.berth.embedded.FreePorts;
import io.berth.embedded.KafkaBroker;
import io.berth.log.KafkaConnection;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.common.QuarkusTestResourceLifecycleManager;
import io.quarkus.test.junit.QuarkusTest;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.eclipse.microprofile.config.ConfigProvider;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/// The whole process, as it is packaged.
@QuarkusTest
@QuarkusTestResource(AgentServiceTest.Surroundings.class)
class AgentServiceTest {

    public static final class Surroundings implements QuarkusTestResourceLifecycleManager {

        private @Nullable Path folder;
        private @Nullable KafkaBroker broker;

        @Override
        public Map<String, String> start() {
            try {
                Path created = Files.createTempDirectory("agent-service");
                KafkaBroker started =
                        KafkaBroker.start(
                                created.resolve("broker"), FreePorts.next(), FreePorts.next());
                folder = created;
                broker = started;
                TestTopics.create(new KafkaConnection(started.bootstrapServers()));
                return Map.of(
                        "kafka.bootstrap.servers",
                        started.bootstrapServers(),
                        "berth.agent.home",
                        created.resolve("home").toString(),
                        "berth.agent.host",
                        "false",
                        "berth.agent.virtual",
                        "1xdgx-a100",
                        "berth.agent.on-shutdown",
                        "stop",
                        "berth.agent.cgroup-parent",
                        "berth-service-" + ProcessHandle.current().pid());
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        public void stop() {
            if (broker != null) {
                broker.close();
            }
            if (folder != null) {
                Folders.delete(folder);
            }
        }
    }

    @Test
    void it_is_ready_once_its_node_is_registered_and_shows_where_it_stands() {
        given().get("/q/health/ready").then().statusCode(503);
        String brokers =
                ConfigProvider.getConfig().getValue("kafka.bootstrap.servers", String.class);
        try (var placement = new HandPlacement(new KafkaConnection(brokers))) {
            placement.register("dgx-a100-01");

            await().atMost(Duration.ofSeconds(60))
                    .untilAsserted(() -> given().get("/q/health/ready").then().statusCode(200));
        }
        given().get("/v1/agent")
                .then()
                .statusCode(200)
                .body("nodes", hasSize(1))
                .body("nodes[0].node", equalTo("dgx-a100-01"))
                .body("nodes[0].standing", equalTo("IN_EPOCH"))
                .body("nodes[0].epoch", equalTo(1))
                .body("nodes[0].simulated", equalTo(true))
                .body("nodes[0].runs", hasSize(0));
    }
}
