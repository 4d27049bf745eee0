package io.berth.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.berth.contracts.json.Json;
import io.berth.embedded.GuardedBroker;
import io.berth.log.KafkaConnection;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.common.QuarkusTestResourceLifecycleManager;
import io.quarkus.test.junit.QuarkusTest;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.eclipse.microprofile.config.ConfigProvider;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/// The whole process, as it is packaged.
@QuarkusTest
@QuarkusTestResource(AgentServiceTest.Surroundings.class)
class AgentServiceTest {

    /// Where placement comes to the broker.
    private static final String OUTSIDE = "test.kafka";

    public static final class Surroundings implements QuarkusTestResourceLifecycleManager {

        private @Nullable Path folder;
        private @Nullable GuardedBroker broker;

        @Override
        public Map<String, String> start() {
            try {
                Path created = Files.createTempDirectory("agent-service");
                GuardedBroker started = GuardedBroker.start(created.resolve("broker"));
                folder = created;
                broker = started;
                TestTopics.create(new KafkaConnection(started.bootstrapServers()));
                var settings = new HashMap<>(TestBroker.admit(started));
                settings.put("quarkus.http.port", Integer.toString(freePort()));
                settings.put(OUTSIDE, started.bootstrapServers());
                settings.put("berth.agent.home", created.resolve("home").toString());
                settings.put("berth.agent.host", "false");
                settings.put("berth.agent.virtual", "1xdgx-a100");
                settings.put("berth.agent.on-shutdown", "stop");
                settings.put("berth.agent.systemd-scope", "false");
                settings.put(
                        "berth.agent.cgroup-parent",
                        "berth-service-" + ProcessHandle.current().pid());
                return settings;
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        private static int freePort() throws IOException {
            try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
                return socket.getLocalPort();
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
    void it_is_ready_once_its_node_is_registered_and_shows_where_it_stands() throws Exception {
        assertThat(get("/q/health/ready").status()).isEqualTo(503);
        String brokers = ConfigProvider.getConfig().getValue(OUTSIDE, String.class);
        try (var placement = new HandPlacement(new KafkaConnection(brokers))) {
            placement.register("dgx-a100-01");

            await().atMost(Duration.ofSeconds(60))
                    .until(() -> get("/q/health/ready").status() == 200);
        }
        assertThat(Json.mapper().readTree(get("/v1/agent").body()).at("/nodes/0/node").asText())
                .isEqualTo("dgx-a100-01");
    }

    private static HttpAnswer get(String path) throws IOException {
        int port = ConfigProvider.getConfig().getValue("quarkus.http.port", Integer.class);
        return HttpAnswer.of(port, "GET", path);
    }
}
