package io.berth.placement;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.hamcrest.Matchers.equalTo;

import io.berth.core.engine.Scheduling.Backfill;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.time.Duration;
import org.awaitility.Awaitility;
import org.eclipse.microprofile.config.ConfigProvider;
import org.junit.jupiter.api.Test;

@QuarkusTest
@QuarkusTestResource(CellResource.class)
final class PlacementServiceTest {

    @Inject PlacementConfig config;
    @Inject LogConfig log;

    @Test
    void it_is_ready_when_it_leads_its_cell() {
        Awaitility.await()
                .atMost(Duration.ofSeconds(30))
                .untilAsserted(() ->
                        given().get("/q/health/ready")
                                .then()
                                .statusCode(200)
                                .body("status", equalTo("UP")));
    }

    @Test
    void its_settings_have_their_documented_defaults() {
        assertThat(config.cell()).isZero();
        assertThat(config.schedMinInterval()).isEqualTo(Duration.ofMillis(5));
        assertThat(config.silentAfter()).isEqualTo(Duration.ofSeconds(10));
        assertThat(config.backfill()).isEqualTo(Backfill.CONSERVATIVE);
        assertThat(config.bfMaxJobTest()).isEqualTo(500);
        assertThat(config.snapshotInterval()).isEqualTo(Duration.ofHours(6));
        assertThat(config.nodeTimeout()).isEqualTo(Duration.ofSeconds(300));
        assertThat(log.cells()).isEqualTo(1);
        assertThat(log.nodePartitions()).isEqualTo(8);
        assertThat(log.replicas()).isEqualTo((short) 1);
    }

    @Test
    void what_may_be_connected_has_the_bounds_of_all_services() {
        var settings = ConfigProvider.getConfig();

        assertThat(settings.getValue("quarkus.http.limits.max-connections", String.class))
                .isEqualTo("1000");
        assertThat(settings.getValue("quarkus.http.idle-timeout", String.class)).isEqualTo("2m");
    }
}
