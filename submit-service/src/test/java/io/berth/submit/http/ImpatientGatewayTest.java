package io.berth.submit.http;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.hasItem;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.not;
import static org.hamcrest.Matchers.notNullValue;

import io.berth.slurm.session.FrameSocket;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.QuarkusTestProfile;
import io.quarkus.test.junit.TestProfile;
import io.restassured.RestAssured;
import io.restassured.builder.RequestSpecBuilder;
import io.restassured.http.ContentType;
import io.restassured.path.json.JsonPath;
import io.restassured.response.Response;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Map;
import java.util.UUID;
import java.util.function.Supplier;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// A gateway with low limits, whose broker goes away and whose clients fall silent or are many.
@QuarkusTest
@TestProfile(ImpatientGatewayTest.ShortLimits.class)
@QuarkusTestResource(value = MeshResource.class, restrictToAnnotatedClass = true)
class ImpatientGatewayTest {
    private static final int MOST_CONNECTIONS = 100;

    @Nullable MeshResource mesh;

    /// Answers are due within 2 s, and three requests are many.
    public static class ShortLimits implements QuarkusTestProfile {
        @Override
        public Map<String, String> getConfigOverrides() {
            return Map.ofEntries(
                    Map.entry("berth.submit.answer-timeout", "2s"),
                    Map.entry("berth.submit.write-timeout", "1s"),
                    Map.entry("berth.submit.view-timeout", "500ms"),
                    Map.entry("berth.submit.body-timeout", "600ms"),
                    Map.entry("berth.submit.requests-in-flight", "3"),
                    Map.entry("berth.submit.bulks", "1"),
                    Map.entry("berth.submit.max-jobs", "1000"),
                    Map.entry("berth.submit.user-requests-per-second", "40"),
                    Map.entry("berth.submit.user-sessions", "2"),
                    Map.entry(
                            "quarkus.http.limits.max-connections",
                            Integer.toString(MOST_CONNECTIONS)),
                    Map.entry("quarkus.http.read-timeout", "500ms"));
        }
    }

    /// REST Assured opens a connection for each request and leaves it open, which the gateway
    /// counts.
    @BeforeEach
    void ready() {
        RestAssured.requestSpecification =
                new RequestSpecBuilder().addHeader("Connection", "close").build();
        Api.awaitReady();
    }

    @AfterEach
    void connectionsStayAgain() {
        RestAssured.requestSpecification = null;
    }

    @Test
    void no_more_jobs_wait_and_run_than_there_is_room_for() {
        String tasks =
                "{\"script\":\"#!/bin/sh\\n\",\"terms\":{\"array\":\"0-%d\",\"hold\":true}}\n";

        Api.refused(
                Api.as("alice")
                        .contentType(ContentType.JSON)
                        .body(tasks.formatted(1000))
                        .post("/v1/jobs"),
                422,
                "limit_reached");
        Api.as("alice")
                .contentType(BulkResource.NDJSON)
                .body(tasks.formatted(599).repeat(3).getBytes(StandardCharsets.UTF_8))
                .post("/v1/jobs/bulk")
                .then()
                .body(
                        containsString("\"status\":201"),
                        containsString("MaxJobCount: 1000 jobs may wait or run at once, and 6"));
    }

    @Test
    void without_its_broker_the_gateway_admits_that_it_does_not_know_and_recovers_by_itself()
            throws Exception {
        long known = Api.submitted("alice", "");
        String key = UUID.randomUUID().toString();
        mesh().stopBroker();
        try {
            long start = System.nanoTime();
            Response unknown = keyed(key);
            assertThat(Duration.ofNanos(System.nanoTime() - start))
                    .isLessThan(Duration.ofSeconds(5));
            Api.refused(unknown, 503, "unavailable").header("Retry-After", notNullValue());
            Api.refused(Api.as("alice").get("/v1/jobs/" + (known + 1)), 503, "unavailable");
            Api.refused(Api.as("alice").delete("/v1/jobs/" + known), 503, "unavailable");
            given().get("/q/health/ready").then().statusCode(503);
            given().get("/q/health/live").then().statusCode(200);
        } finally {
            mesh().startBroker();
        }
        Api.awaitReady();

        Api.eventually(() -> keyed(key).then().statusCode(201));

        int id = keyed(key).then().statusCode(201).extract().jsonPath().getInt("id");
        Api.eventually(() -> {
            Api.as("alice").get("/v1/jobs/" + id).then().body("state", is("PENDING"));
            Api.as("alice").get("/v1/jobs/" + known).then().statusCode(200);
            Api.as("alice").get("/v1/jobs?user=alice").then().body("jobs.size()", is(2));
        });
        Api.refused(
                        Api.as("alice").header("If-Match", "*").delete("/v1/jobs/" + known),
                        503,
                        "unavailable")
                .body("detail", containsString("placement has not decided on an earlier request"));
    }

    @Test
    void who_sends_too_much_is_turned_away_and_others_and_operators_are_not() {
        Response last = Api.as("hasty").get("/v1/partitions");
        for (int i = 0; i < 1000 && last.statusCode() == 200; i++) {
            last = Api.as("hasty").get("/v1/partitions");
        }

        Api.refused(last, 429, "too_many_requests")
                .header("Retry-After", is("1"))
                .body("detail", is("a user may send 40 requests a second; try again"));
        Api.as("bob").get("/v1/partitions").then().statusCode(200);
        Api.eventually(() -> Api.as("hasty").get("/v1/partitions").then().statusCode(200));
    }

    @Test
    void more_connections_than_may_be_are_closed_though_nothing_is_said_on_them() throws Exception {
        var held = new ArrayList<Socket>();
        try {
            for (int i = 0; i < MOST_CONNECTIONS + 20; i++) {
                var socket = new Socket("127.0.0.1", RestAssured.port);
                socket.setSoTimeout(20);
                held.add(socket);
            }

            Awaitility.await()
                    .atMost(Duration.ofSeconds(60))
                    .until(() -> held.stream().filter(ImpatientGatewayTest::closed).count() >= 20);
        } finally {
            for (Socket socket : held) {
                socket.close();
            }
        }
        Api.eventually(() -> given().get("/q/health/live").then().statusCode(200));
    }

    /// Whether the gateway has closed it.
    private static boolean closed(Socket socket) {
        try {
            return socket.getInputStream().read() < 0;
        } catch (SocketTimeoutException e) {
            return false;
        } catch (IOException e) {
            return true;
        }
    }

    @Test
    void a_body_that_falls_silent_is_cut_off() throws Exception {
        try (var socket = new Socket("127.0.0.1", RestAssured.port)) {
            socket.setSoTimeout(10_000);
            head(socket, "Content-Length: 1000");
            write(socket, "#!/bin/sh\n");

            String answer =
                    new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

            assertThat(answer).doesNotContain("201");
        }
    }

    @Test
    void a_body_that_drips_without_end_is_cut_off() throws Exception {
        try (var socket = new Socket("127.0.0.1", RestAssured.port)) {
            socket.setSoTimeout(10_000);
            head(socket, "Transfer-Encoding: chunked");

            Awaitility.await()
                    .atMost(Duration.ofSeconds(60))
                    .pollInterval(Duration.ofMillis(100))
                    .until(() -> cutOff(socket));
        }
    }

    @Test
    void a_submission_of_which_its_sender_was_told_that_it_came_late_is_not_written()
            throws Exception {
        String token = Tokens.user("alice");
        given().auth().oauth2(token).get("/v1/partitions").then().statusCode(200);
        String body = "{\"script\":\"" + Api.SCRIPT + "\",\"name\":\"late\"}" + " ".repeat(4000);
        try (var socket = new Socket("127.0.0.1", RestAssured.port)) {
            socket.setSoTimeout(10_000);
            write(
                    socket,
                    """
                    POST /v1/jobs HTTP/1.1\r
                    Host: localhost\r
                    Authorization: Bearer %s\r
                    Content-Type: application/json\r
                    Content-Length: %d\r
                    \r
                    """
                            .formatted(token, body.length()));
            int sent = 0;
            while (socket.getInputStream().available() == 0 && sent < body.length()) {
                write(socket, body.substring(sent, ++sent));
                Thread.sleep(20);
            }
            write(socket, body.substring(sent));

            String answer =
                    new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

            assertThat(answer).startsWith("HTTP/1.1 408").contains("\"body_timeout\"");
        }
        Api.submitted("alice", "");
        Api.as("alice")
                .get("/v1/jobs?fields=name")
                .then()
                .statusCode(200)
                .body("jobs.name", not(hasItem("late")));
    }

    @Test
    void a_request_above_those_that_are_worked_on_is_told_to_come_again() throws Exception {
        Response turnedAway =
                whileBodiesArrive(3, "/v1/jobs", () -> Api.as("alice").get("/v1/jobs"));

        Api.refused(turnedAway, 429, "too_many_requests").header("Retry-After", is("1"));
        Api.eventually(() -> Api.as("alice").get("/v1/jobs").then().statusCode(200));
        given().get("/q/metrics").then().body(containsString("berth_requests_turned_away_total"));
    }

    @Test
    void a_bulk_submission_above_those_that_are_read_is_told_to_come_again() throws Exception {
        Response turnedAway =
                whileBodiesArrive(
                        1,
                        "/v1/jobs/bulk",
                        () ->
                                Api.as("alice")
                                        .contentType(BulkResource.NDJSON)
                                        .body(new byte[] {'{', '}'})
                                        .post("/v1/jobs/bulk"));

        Api.refused(turnedAway, 429, "too_many_requests").header("Retry-After", is("1"));
    }

    @Test
    void a_user_with_as_many_sessions_as_may_be_is_told_to_come_again_and_another_is_not()
            throws Exception {
        var opened = new ArrayList<JsonPath>();
        for (int i = 0; i < 2; i++) {
            opened.add(session("erin").then().statusCode(201).extract().jsonPath());
        }

        Api.refused(session("erin"), 429, "too_many_requests")
                .header("Retry-After", is("1"))
                .body(
                        "detail",
                        is("2 of erin's sessions are connected or attached already; try again"));
        session("frank").then().statusCode(201);

        JsonPath first = opened.getFirst();
        FrameSocket.connect(
                        URI.create("ws://127.0.0.1:" + RestAssured.port + first.get("userPath")),
                        first.getString("userSecret"),
                        _ -> {})
                .close();
        Api.eventually(() -> session("erin").then().statusCode(201));
    }

    private static Response session(String user) {
        return Api.as(user).post("/v1/sessions");
    }

    /// The answer while so many requests wait for their bodies, as far as they do not time out
    /// first.
    private static Response whileBodiesArrive(int count, String path, Supplier<Response> request) {
        return Awaitility.await()
                .atMost(Duration.ofSeconds(60))
                .until(
                        () -> {
                            var sockets = new ArrayList<Socket>();
                            for (int i = 0; i < count; i++) {
                                var socket = new Socket("127.0.0.1", RestAssured.port);
                                head(socket, path, "Content-Length: 1000");
                                sockets.add(socket);
                            }
                            Response answer = request.get();
                            for (Socket socket : sockets) {
                                socket.close();
                            }
                            return answer;
                        },
                        it -> it.statusCode() == 429);
    }

    /// Sends one more piece; whether the other side takes no more of them.
    private static boolean cutOff(Socket socket) {
        try {
            write(socket, "1\r\n#\r\n");
            return socket.getInputStream().available() > 0;
        } catch (IOException e) {
            return true;
        }
    }

    private static void head(Socket socket, String length) throws IOException {
        head(socket, "/v1/jobs", length);
    }

    private static void head(Socket socket, String path, String length) throws IOException {
        write(
                socket,
                """
                POST %s HTTP/1.1\r
                Host: localhost\r
                Authorization: Bearer %s\r
                Content-Type: %s\r
                %s\r
                \r
                """
                        .formatted(
                                path,
                                Tokens.user("alice"),
                                path.endsWith("bulk") ? BulkResource.NDJSON : "text/x-shellscript",
                                length));
    }

    private static void write(Socket socket, String text) throws IOException {
        socket.getOutputStream().write(text.getBytes(StandardCharsets.UTF_8));
        socket.getOutputStream().flush();
    }

    private static Response keyed(String key) {
        return Api.submit(Api.as("alice").header("Idempotency-Key", key), "");
    }

    private MeshResource mesh() {
        if (mesh == null) {
            throw new IllegalStateException("the mesh was not injected");
        }
        return mesh;
    }
}
