package io.berth.submit.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.hamcrest.Matchers.is;

import io.berth.slurm.session.Frame;
import io.berth.slurm.session.Frame.Channel;
import io.berth.slurm.session.FrameSocket;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.junit.QuarkusTest;
import io.restassured.RestAssured;
import io.restassured.http.ContentType;
import io.restassured.path.json.JsonPath;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.ServerWebSocket;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// A gateway that is one of several.
@QuarkusTest
@QuarkusTestResource(MeshResource.class)
class PeersTest {
    private static final String SECRET = "s".repeat(43);

    private final BlockingQueue<Frame> heard = new LinkedBlockingQueue<>();

    @Nullable MeshResource surroundings;

    @BeforeEach
    void ready() {
        Api.awaitReady();
    }

    private FakePeer peer() {
        return Objects.requireNonNull(surroundings).peer();
    }

    private FrameSocket come(String id) throws IOException {
        return FrameSocket.connect(address(id), SECRET, heard::add);
    }

    private static URI address(String id) {
        return URI.create("ws://127.0.0.1:" + RestAssured.port + "/v1/sessions/" + id);
    }

    private ServerWebSocket came() throws InterruptedException {
        return Objects.requireNonNull(peer().came().poll(20, TimeUnit.SECONDS));
    }

    @Test
    void who_comes_to_a_session_of_another_gateway_is_brought_there() throws Exception {
        peer().knows("WS /v1/sessions/of-another-one-0", "");
        var there = new LinkedBlockingQueue<Buffer>();
        try (var end = come("of-another-one-0")) {
            ServerWebSocket far = came();
            far.binaryMessageHandler(there::add);
            assertThat(far.headers().get("Authorization")).isEqualTo("Bearer " + SECRET);

            end.send(new Frame(Channel.INPUT, new byte[Frame.MAX_BYTES]));
            var unused =
                    far.writeBinaryMessage(
                            Buffer.buffer(Frame.control("exit 3").message().array()));

            assertThat(there.poll(20, TimeUnit.SECONDS))
                    .isNotNull()
                    .satisfies(it -> assertThat(it.length()).isEqualTo(1 + Frame.MAX_BYTES));
            assertThat(heard.poll(20, TimeUnit.SECONDS))
                    .isNotNull()
                    .satisfies(it -> assertThat(it.words()).containsExactly("exit", "3"));
            assertThat(end.closed()).isNotDone();
            var unusedEnd = far.close((short) 1008, "he did something");
            assertThat(end.closed().get(20, TimeUnit.SECONDS)).isEqualTo("he did something");
        }
    }

    @Test
    void when_he_goes_the_other_gateway_learns_it_and_signs_of_life_are_its_own() throws Exception {
        peer().knows("WS /v1/sessions/of-another-one-1", "");
        var pings = new LinkedBlockingQueue<Boolean>();
        var listener =
                new WebSocket.Listener() {
                    @Override
                    public @Nullable CompletionStage<?> onPing(WebSocket from, ByteBuffer message) {
                        pings.add(true);
                        from.request(1);
                        return null;
                    }
                };
        try (var client = HttpClient.newHttpClient()) {
            WebSocket end =
                    client.newWebSocketBuilder()
                            .header("Authorization", "Bearer " + SECRET)
                            .buildAsync(address("of-another-one-1"), listener)
                            .get(20, TimeUnit.SECONDS);
            ServerWebSocket far = came();
            var gone = new LinkedBlockingQueue<Boolean>();
            far.closeHandler(_ -> gone.add(true));

            var unused = far.writePing(Buffer.buffer());

            assertThat(pings.poll(20, TimeUnit.SECONDS)).isTrue();
            end.abort();
            assertThat(gone.poll(20, TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    void a_session_that_nobody_knows_is_nowhere() {
        assertThatThrownBy(() -> come("of-nobody-000000"))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("no session");
        assertThatThrownBy(() -> come("x"))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("no session");
    }

    @Test
    void what_is_said_to_a_job_of_another_gateway_goes_there() {
        peer().knows("POST /v1/sessions/of-another-one-2", "{}");
        Map<String, Object> message = Map.of("secret", SECRET, "frame", new byte[] {3});

        Api.as("alice")
                .contentType(ContentType.JSON)
                .body(message)
                .post("/v1/sessions/of-another-one-2")
                .then()
                .statusCode(201);
        Api.refused(
                Api.as("alice")
                        .contentType(ContentType.JSON)
                        .body(message)
                        .post("/v1/sessions/of-nobody-000000"),
                404,
                "not_found");
        Api.refused(
                Api.as("alice")
                        .contentType(ContentType.JSON)
                        .header("Berth-Passed-On", "yes")
                        .body(message)
                        .post("/v1/sessions/of-another-one-2"),
                404,
                "not_found");
        assertThat(peer().asked())
                .filteredOn(it -> it.contains("of-another-one-2"))
                .singleElement()
                .asString()
                .contains(SECRET)
                .contains("Bearer ey");
    }

    @Test
    void a_session_is_opened_again_where_it_is_open_and_else_here() throws Exception {
        peer().knows("PUT /v1/sessions/of-another-one-3", "");
        Map<String, String> secrets = Map.of("userSecret", SECRET, "jobSecret", "j".repeat(43));

        reopen("of-another-one-3", secrets, 204);
        assertThatThrownBy(() -> come("of-another-one-3")).isInstanceOf(IOException.class);
        reopen("of-nobody-000003", secrets, 204);
        try (var here = come("of-nobody-000003")) {
            assertThat(here.closed()).isNotDone();
        }
        Api.refused(
                Api.as("alice")
                        .contentType(ContentType.JSON)
                        .header("Berth-Passed-On", "yes")
                        .body(secrets)
                        .put("/v1/sessions/of-nobody-000004"),
                404,
                "not_found");
    }

    private static void reopen(String id, Map<String, String> secrets, int status) {
        Api.as("alice")
                .contentType(ContentType.JSON)
                .body(secrets)
                .put("/v1/sessions/" + id)
                .then()
                .statusCode(status);
    }

    @Test
    void who_attaches_to_a_step_of_another_gateway_is_told_a_place_there() {
        JsonPath session = Api.as("alice").post("/v1/sessions").then().extract().jsonPath();
        long job =
                Api.submitted(
                        "alice",
                        "\"environment\":{\"BERTH_SESSION_STEP\":\"0\",\"BERTH_SESSION_URL\":\"%s\"}"
                                .formatted(session.getString("jobUrl")));
        String attach = "/v1/jobs/" + job + "/steps/0/attach";
        Api.refused(Api.as("alice").post(attach), 404, "step_not_found");

        peer().knows("POST " + attach, "{\"path\":\"/there\",\"secret\":\"s\",\"terminal\":false}");

        Api.as("alice").post(attach).then().statusCode(201).body("path", is("/there"));
    }
}
