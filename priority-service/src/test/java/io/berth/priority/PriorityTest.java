package io.berth.priority;

import static io.restassured.RestAssured.given;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.awaitility.Awaitility.await;

import io.berth.embedded.FreePorts;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.QuarkusTestProfile;
import io.quarkus.test.junit.TestProfile;
import io.restassured.RestAssured;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Map;
import org.junit.jupiter.api.Test;

@QuarkusTest
@TestProfile(PriorityTest.NoBroker.class)
class PriorityTest {

    private static final int MOST_CONNECTIONS = 20;

    /// Nobody listens where the broker should be, and few may be connected for long.
    public static final class NoBroker implements QuarkusTestProfile {
        @Override
        public Map<String, String> getConfigOverrides() {
            return Map.of(
                    "kafka.bootstrap.servers",
                    "127.0.0.1:" + FreePorts.next(),
                    "quarkus.http.limits.max-connections",
                    Integer.toString(MOST_CONNECTIONS),
                    "quarkus.http.idle-timeout",
                    "5s");
        }
    }

    @Test
    void without_a_broker_the_service_lives_and_is_not_ready() {
        given().get("/q/health/live").then().statusCode(200);
        given().get("/q/health/ready").then().statusCode(503);
    }

    @Test
    void who_holds_connections_open_has_a_bounded_number_and_loses_them() throws Exception {
        var held = new ArrayList<Socket>();
        try {
            for (int i = 0; i < 3 * MOST_CONNECTIONS; i++) {
                var socket = new Socket("127.0.0.1", RestAssured.port);
                held.add(socket);
                socket.setSoTimeout(100);
                if (i % 2 == 0) {
                    socket.getOutputStream().write("GET /q/hea".getBytes(US_ASCII));
                }
            }

            await().atMost(Duration.ofMinutes(1))
                    .until(() ->
                            held.stream().filter(it -> !closed(it)).count() <= MOST_CONNECTIONS);
            await().atMost(Duration.ofMinutes(1))
                    .until(() -> held.stream().allMatch(PriorityTest::closed));
            given().get("/q/health/live").then().statusCode(200);
        } finally {
            for (Socket socket : held) {
                socket.close();
            }
        }
    }

    /// Whether the server has closed it.
    private static boolean closed(Socket socket) {
        try {
            return socket.getInputStream().read() < 0;
        } catch (SocketTimeoutException e) {
            return false;
        } catch (IOException e) {
            return true;
        }
    }
}
