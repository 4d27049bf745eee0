package io.berth.accounting;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.greaterThanOrEqualTo;
import static org.hamcrest.Matchers.hasItem;
import static org.hamcrest.Matchers.hasKey;
import static org.hamcrest.Matchers.hasSize;
import static org.hamcrest.Matchers.not;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.berth.accounting.kafka.ConfigTopic;
import io.berth.log.KafkaConnection;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.security.TestSecurity;
import io.restassured.http.ContentType;
import jakarta.inject.Inject;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// The configuration over HTTP, on a real database and a real broker. It stands on its own even
/// where the books are stopped.
@QuarkusTest
@QuarkusTestResource(Servers.class)
@TestSecurity(
        user = "root",
        roles = {"admin", "operator"})
class ConfigurationResourceTest {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final KafkaConnection kafka = Servers.outside();
    @Inject ClusterConfiguration configuration;

    @ConfigProperty(name = "quarkus.datasource.jdbc.url")
    String jdbcUrl = "";

    @ConfigProperty(name = "quarkus.datasource.password")
    String password = "";

    @BeforeEach
    void there_is_a_configuration() {
        await().atMost(PATIENCE)
                .untilAsserted(() -> given().get("/v1/configuration").then().statusCode(200));
    }

    @Test
    void what_is_put_is_stored_published_and_read_back() {
        given().contentType(ContentType.JSON)
                .body("{\"priority\": 7, \"limits\": {\"MaxTRESPerUser\": \"gres/gpu=4\"}}")
                .put("/v1/qos/urgent")
                .then()
                .statusCode(200)
                .body("changes", hasSize(2));

        given().get("/v1/qos/urgent").then().statusCode(200).body("priority", equalTo(7));
        given().contentType(ContentType.JSON)
                .queryParam("dryRun", true)
                .body("{\"shares\": 2}")
                .put("/v1/accounts/default")
                .then()
                .statusCode(200);
        await().atMost(PATIENCE)
                .untilAsserted(() ->
                        assertThat(new ConfigTopic(kafka).read().whole().orElseThrow().qos())
                                .containsKey("urgent"));
        given().delete("/v1/qos/urgent").then().statusCode(200);
        given().get("/v1/qos/urgent").then().statusCode(404).body("code", equalTo("not_found"));
    }

    @Test
    void what_an_account_is_guaranteed_is_published_and_its_parent_bounds_it() {
        given().contentType(ContentType.JSON)
                .body(
                        """
                        {"accounts": {"physics": {"guarantee": {"gres/gpu": 16}},
                          "dark": {"parent": "physics", "guarantee": "gres/gpu=8"}}}
                        """)
                .patch("/v1/configuration")
                .then()
                .statusCode(200);

        await().atMost(PATIENCE)
                .untilAsserted(() ->
                        assertThat(new ConfigTopic(kafka).read().whole().orElseThrow().accounts())
                                .hasEntrySatisfying(
                                        "dark",
                                        it ->
                                                assertThat(it.ownTerms().guarantee())
                                                        .isEqualTo(Map.of("gres/gpu", 8L))));
        given().contentType(ContentType.JSON)
                .body("{\"accounts\": {\"dark\": {\"guarantee\": \"gres/gpu=17\"}}}")
                .patch("/v1/configuration")
                .then()
                .statusCode(422)
                .body("detail", containsString("less than the accounts below it"));
        given().contentType(ContentType.JSON)
                .body("{\"accounts\": {\"physics\": null, \"dark\": null}}")
                .patch("/v1/configuration")
                .then()
                .statusCode(200);
    }

    @Test
    void a_license_is_put_as_its_number() {
        given().contentType(ContentType.JSON)
                .body("7")
                .put("/v1/licenses/matlab")
                .then()
                .statusCode(200);

        given().get("/v1/licenses").then().body("matlab", equalTo(7));
        for (String wrong : List.of("", "null", "{")) {
            given().contentType(ContentType.JSON)
                    .body(wrong)
                    .put("/v1/licenses/matlab")
                    .then()
                    .statusCode(400);
        }
        given().contentType(ContentType.JSON)
                .body("[7]")
                .put("/v1/licenses/matlab")
                .then()
                .statusCode(422);
    }

    @Test
    void a_stale_revision_is_refused() {
        int revision = given().get("/v1/configuration").path("revision");
        String patch = "{\"fairShare\": {\"halfLife\": \"%d-0\"}}";
        given().contentType(ContentType.JSON)
                .header("If-Match", "\"" + revision + "\"")
                .body(patch.formatted(3))
                .patch("/v1/configuration")
                .then()
                .statusCode(200)
                .body("revision", equalTo(revision + 1));

        given().contentType(ContentType.JSON)
                .header("If-Match", "\"" + revision + "\"")
                .body(patch.formatted(4))
                .patch("/v1/configuration")
                .then()
                .statusCode(412)
                .contentType("application/problem+json")
                .body("code", equalTo("conflict"));
        given().get("/v1/configuration/revisions")
                .then()
                .body("revisions[0].revision", equalTo(revision + 1))
                .body("revisions[0].author", equalTo("root"));
    }

    @Test
    void revisions_are_told_of_which_one_breaks_a_rule_that_came_later() throws Exception {
        new Tables(jdbcUrl, password)
                .execute("INSERT INTO configuration VALUES (0, '{}', 'then', 1, NULL, true)");

        given().get("/v1/configuration/revisions?limit=1000")
                .then()
                .statusCode(200)
                .body("revisions.author", hasItem("then"));
    }

    @Test
    void a_dry_run_of_a_whole_file_tells_the_changes_and_makes_none() throws Exception {
        String yaml = Files.readString(Path.of("../examples/accounts.yaml"));

        given().contentType("application/yaml")
                .queryParam("dryRun", true)
                .body(
                        yaml.replace("team_c:", "team_d:")
                                .replace("shares: 50", "shares: 51")
                                .getBytes(StandardCharsets.UTF_8))
                .put("/v1/configuration")
                .then()
                .statusCode(200)
                .body("changes.path", hasSize(greaterThanOrEqualTo(5)))
                .body("changes.find { it.path == 'accounts.team_a.shares' }.after", equalTo("51"));

        given().get("/v1/accounts").then().body("$", not(hasKey("team_d")));
    }

    @Test
    void what_breaks_a_rule_is_refused_with_the_place() {
        given().contentType(ContentType.JSON)
                .body("{\"accounts\": {\"x'; drop table job; --\": {}}}")
                .patch("/v1/configuration")
                .then()
                .statusCode(422)
                .contentType("application/problem+json")
                .body("code", equalTo("invalid_configuration"))
                .body("detail", containsString("is not a name"));
        given().contentType(ContentType.JSON)
                .body("{not json")
                .patch("/v1/configuration")
                .then()
                .statusCode(400)
                .body("code", equalTo("invalid_request"));
    }

    @Test
    @TestSecurity(user = "alice", roles = "user")
    void a_user_reads_and_does_not_change() {
        given().get("/v1/accounts").then().statusCode(200).body("$", hasKey("team_a"));
        given().delete("/v1/accounts/team_a")
                .then()
                .statusCode(403)
                .body("code", equalTo("not_allowed"));
    }

    @Test
    @TestSecurity(user = "berta", roles = "user")
    void a_coordinator_changes_what_is_in_his_account() throws Exception {
        configuration.patch(
                "root",
                null,
                false,
                new ObjectMapper()
                        .readTree("{\"accounts\": {\"team_b\": {\"coordinators\": [\"berta\"]}}}"));
        String dora = "{\"accounts\": {\"%s\": {\"users\": {\"dora\": {\"shares\": 3}}}}}";

        given().contentType(ContentType.JSON)
                .body(dora.formatted("team_b"))
                .patch("/v1/configuration")
                .then()
                .statusCode(200)
                .body("changes.path", hasItem("accounts.team_b.users.dora.shares"));
        given().contentType(ContentType.JSON)
                .body(dora.formatted("team_a"))
                .patch("/v1/configuration")
                .then()
                .statusCode(403)
                .contentType("application/problem+json")
                .body("detail", containsString("berta does not coordinate the account"));
    }
}
