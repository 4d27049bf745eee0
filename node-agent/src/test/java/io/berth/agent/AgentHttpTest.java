package io.berth.agent;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.berth.agent.NodeOrders.Standing;
import io.berth.agent.nvml.NvmlStub;
import io.berth.agent.nvml.Topologies;
import io.berth.contracts.RunId;
import io.berth.contracts.event.RunReport.Cause;
import io.berth.contracts.event.RunReport.Started;
import io.berth.contracts.json.Json;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// What an agent tells over HTTP.
class AgentHttpTest {

    @TempDir Path folder;
    private AgentRig rig;
    private AgentHttp http;
    private volatile boolean alive = true;

    @BeforeEach
    void listen() throws Exception {
        Path home = Files.createDirectories(folder.resolve("home"));
        NvmlStub library =
                NvmlStub.in(
                        Files.createDirectory(folder.resolve("library")),
                        Topologies.l40s() + "gpu 2 temp=61 mw=312500\n");
        rig = new AgentRig(folder, TestConfig.found(home, AgentRig.newNode(), library.library()));
        http = AgentHttp.listen("127.0.0.1", 0, new Told()).begin();
    }

    @AfterEach
    void close() throws IOException {
        http.close();
        rig.close();
    }

    private final class Told implements AgentHttp.Told {

        private final AgentMetrics metrics = new AgentMetrics();

        Told() {
            for (Cause cause : List.of(Cause.EXITED, Cause.LAUNCH_FAILED, Cause.EXITED)) {
                metrics.count(RunEnd.unstarted(cause, null));
            }
        }

        @Override
        public List<NodeAgent> agents() {
            return rig.process.agents();
        }

        @Override
        public boolean alive() {
            return alive;
        }

        @Override
        public String metrics() {
            return metrics.text(agents());
        }
    }

    private HttpAnswer get(String path) throws IOException {
        return HttpAnswer.of(http.port(), "GET", path);
    }

    private static JsonNode json(HttpAnswer answer) throws IOException {
        return Json.mapper().readTree(answer.body());
    }

    @Test
    void it_is_ready_while_every_agent_is_in_an_epoch_and_tells_where_each_stands()
            throws Exception {
        HttpAnswer before = get("/q/health/ready");
        rig.placement.register(rig.node);
        rig.awaitStanding(Standing.IN_EPOCH);
        HttpAnswer after = get("/q/health/ready");
        alive = false;
        HttpAnswer wedged = get("/q/health/ready");

        assertThat(before.status()).isEqualTo(503);
        assertThat(json(before).path("status").asText()).isEqualTo("DOWN");
        assertThat(after)
                .isEqualTo(
                        new HttpAnswer(
                                200,
                                "application/json",
                                "{\"checks\":[{\"data\":{\"%s\":\"in_epoch\"},\"name\":\"registered\",\"status\":\"UP\"}],\"status\":\"UP\"}"
                                        .formatted(rig.node)));
        assertThat(wedged.status()).isEqualTo(503);
    }

    @Test
    void it_lives_while_the_loop_that_reads_orders_turns() throws Exception {
        assertThat(get("/q/health/live").status()).isEqualTo(200);

        alive = false;

        assertThat(get("/q/health/live").status()).isEqualTo(503);
        assertThat(json(get("/q/health/live")).at("/checks/0/data/wedged after").asText())
                .isEqualTo("PT5M");
    }

    @Test
    void a_node_is_told_with_its_runs() throws Exception {
        rig.placement.register(rig.node);
        RunId run = HandPlacement.newRun();
        rig.placement.launch(rig.node, run, Jobs.script(run.job(), rig.work, "sleep 60"), 64);
        rig.placement.await(Started.class, run);

        JsonNode node = json(get("/v1/agent")).at("/nodes/0");

        assertThat(node.path("node").asText()).isEqualTo(rig.node);
        assertThat(node.path("standing").asText()).isEqualTo("IN_EPOCH");
        assertThat(node.path("epoch").asInt()).isEqualTo(1);
        assertThat(node.path("simulated").asBoolean()).isFalse();
        assertThat(node.at("/runs/0/run/job").asLong()).isEqualTo(run.job().value());
    }

    @Test
    void metrics_are_of_runs_ends_and_gpus() throws Exception {
        String gpu = rig.gpu(2);
        await().until(() ->
                rig.agent().samples().stream()
                        .anyMatch(it -> Integer.valueOf(61).equals(it.celsius())));

        HttpAnswer metrics = get("/q/metrics");

        assertThat(metrics.status()).isEqualTo(200);
        assertThat(metrics.type()).isEqualTo("text/plain; version=0.0.4; charset=utf-8");
        String labels = "node=\"%s\",gpu=\"2\",uuid=\"%s\",type=\"l40s\"".formatted(rig.node, gpu);
        assertThat(metrics.body().lines())
                .contains(
                        "# TYPE berth_agent_runs gauge",
                        "berth_agent_runs{node=\"%s\"} 0.0".formatted(rig.node),
                        "# TYPE berth_agent_ends_total counter",
                        "berth_agent_ends_total{cause=\"exited\"} 2.0",
                        "berth_agent_ends_total{cause=\"launch_failed\"} 1.0",
                        "berth_gpu_temperature_celsius{%s} 61.0".formatted(labels),
                        "berth_gpu_power_milliwatts{%s} 312500.0".formatted(labels))
                .containsOnlyOnce("# TYPE berth_gpu_health gauge");
    }

    @ParameterizedTest
    @CsvSource({
        "GET, /, 404",
        "GET, /v1/agent/x, 404",
        "GET, /q/health/ready/../x, 404",
        "POST, /v1/agent, 405",
        "DELETE, /q/metrics, 405"
    })
    void what_is_not_there_is_a_problem_that_says_what_is(String method, String path, int status)
            throws Exception {
        HttpAnswer answer = HttpAnswer.of(http.port(), method, path);

        assertThat(answer.status()).isEqualTo(status);
        assertThat(answer.type()).isEqualTo("application/problem+json");
        assertThat(json(answer).path("status").asInt()).isEqualTo(status);
        assertThat(json(answer).path("detail").asText())
                .contains(status == 404 ? "/v1/agent" : "GET");
    }

    @Test
    void a_head_has_no_body() throws Exception {
        assertThat(HttpAnswer.of(http.port(), "HEAD", "/q/health/live"))
                .isEqualTo(new HttpAnswer(200, "application/json", ""));
    }

    @Test
    void a_port_that_is_taken_is_named() {
        assertThatThrownBy(() -> AgentHttp.listen("127.0.0.1", http.port(), new Told()))
                .hasMessage("cannot listen on 127.0.0.1:%d: Address already in use", http.port());
    }

    @Test
    void who_holds_connections_open_has_a_bounded_number_and_loses_them() throws Exception {
        var held = new ArrayList<Socket>();
        try {
            for (int i = 0; i < 2 * AgentHttp.MOST_CONNECTIONS; i++) {
                var socket = new Socket("127.0.0.1", http.port());
                held.add(socket);
                socket.setSoTimeout(60_000);
                if (i % 2 == 0) {
                    socket.getOutputStream().write("GET /q/hea".getBytes(US_ASCII));
                }
            }

            for (Socket socket : held) {
                assertThat(closed(socket)).isTrue();
            }
            assertThat(get("/q/health/live").status()).isEqualTo(200);
        } finally {
            for (Socket socket : held) {
                socket.close();
            }
        }
    }

    /// As soon as the server has closed it.
    private static boolean closed(Socket socket) throws IOException {
        try {
            return socket.getInputStream().read() < 0;
        } catch (SocketTimeoutException e) {
            return false;
        } catch (SocketException e) {
            return true;
        }
    }
}
