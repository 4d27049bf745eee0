package io.berth.priority;

import static io.restassured.RestAssured.given;

import io.berth.embedded.FreePorts;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.QuarkusTestProfile;
import io.quarkus.test.junit.TestProfile;
import java.util.Map;
import org.junit.jupiter.api.Test;

@QuarkusTest
@TestProfile(PriorityTest.NoBroker.class)
class PriorityTest {

    /// Nobody listens where the broker should be.
    public static final class NoBroker implements QuarkusTestProfile {
        @Override
        public Map<String, String> getConfigOverrides() {
            return Map.of("kafka.bootstrap.servers", "127.0.0.1:" + FreePorts.next());
        }
    }

    @Test
    void without_a_broker_the_service_lives_and_is_not_ready() {
        given().get("/q/health/live").then().statusCode(200);
        given().get("/q/health/ready").then().statusCode(503);
    }
}
