package io.berth.accounting;

import static io.restassured.RestAssured.given;
import static org.awaitility.Awaitility.await;
import static org.hamcrest.Matchers.equalTo;

import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.junit.QuarkusTest;
import io.restassured.http.ContentType;
import io.restassured.response.ValidatableResponse;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/// What tokens may do here, by their groups, their scopes and the configuration.
@QuarkusTest
@QuarkusTestResource(Servers.class)
class RolesTest {

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final String ACCOUNT = "{\"accounts\":{\"new_team\":{}}}";

    @BeforeEach
    void there_is_a_configuration() {
        await().atMost(PATIENCE)
                .untilAsserted(() ->
                        given().auth()
                                .oauth2(SignedTokens.of("alice", "user", ""))
                                .get("/v1/configuration")
                                .then()
                                .statusCode(200));
    }

    private static ValidatableResponse change(String token, String patch, boolean dryRun) {
        return given().auth()
                .oauth2(token)
                .contentType(ContentType.JSON)
                .queryParam("dryRun", dryRun)
                .body(patch)
                .patch("/v1/configuration")
                .then();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "operator | {\"accounts\":{\"new_team\":{}}}                       | 200",
                "operator | {\"qos\":{\"new\":{\"priority\":3}}}                   | 200",
                "operator | {\"adminLevels\":{\"ops\":\"operator\"}}              | 200",
                "operator | {\"adminLevels\":{\"ops\":\"admin\"}}                 | 403",
                "operator | {\"adminLevels\":{\"ops\":\"Ad_Min\"}}                | 403",
                "operator | {\"licenses\":{\"matlab\":2}}                             | 403",
                "operator | {\"privateData\":[\"jobs\"]}                          | 403",
                "admin    | {\"adminLevels\":{\"ops\":\"admin\"}}                 | 200",
                "admin    | {\"privateData\":[\"jobs\"]}                          | 200",
                "user     | {\"accounts\":{\"new_team\":{}}}                       | 403",
                "user     | {\"adminLevels\":{\"alice\":\"operator\"}}            | 403"
            })
    void what_is_the_clusters_is_for_admins_to_change(String group, String patch, int status)
            throws Exception {
        change(SignedTokens.of("alice", group, ""), patch, true).statusCode(status);
    }

    /// The cells of the row on partitions in the users' table of who may do what.
    static List<Arguments> cells() throws IOException {
        List<List<String>> rows =
                Files.readString(Path.of("../docs/commands.md"))
                        .split("### Who may do what\n", 2)[1]
                        .lines()
                        .skip(1)
                        .takeWhile(line -> line.startsWith("|"))
                        .map(line -> Arrays.stream(line.split("\\|")).map(String::strip).toList())
                        .toList();
        List<String> row =
                rows.stream()
                        .filter(it -> it.get(1).equals("change a partition"))
                        .findFirst()
                        .orElseThrow();
        return IntStream.range(2, row.size())
                .mapToObj(i -> Arguments.of(rows.getFirst().get(i), row.get(i)))
                .toList();
    }

    private static String token(String who) throws Exception {
        return switch (who) {
            case "owner", "coordinator", "another user" -> SignedTokens.of("alice", "user", "");
            case "operator" -> SignedTokens.of("ops", "operator", "");
            case "admin" -> SignedTokens.of("root", "admin", "");
            case "owner with `berth:read`" -> SignedTokens.of("alice", "user", "berth:read");
            case "admin with `berth:submit`" -> SignedTokens.of("root", "admin", "berth:submit");
            default -> throw new IllegalArgumentException("there is no " + who);
        };
    }

    @ParameterizedTest
    @MethodSource("cells")
    void partitions_are_changed_by_whom_the_table_says(String who, String may) throws Exception {
        String admin = SignedTokens.of("root", "admin", "");
        String coordinators = "{\"accounts\":{\"team_a\":{\"coordinators\":%s}}}";
        if (who.equals("coordinator")) {
            change(admin, coordinators.formatted("[\"alice\"]"), false).statusCode(200);
        }

        change(
                        token(who),
                        "{\"partitions\":{\"cpu\":{\"nodes\":\"ALL\",\"state\":\"DRAIN\"}}}",
                        true)
                .statusCode(may.equals("yes") ? 200 : 403);

        if (who.equals("coordinator")) {
            change(admin, coordinators.formatted("null"), false).statusCode(200);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "berth:read, 200, 403",
        "openid berth:submit, 200, 403",
        "berth:operate, 200, 200",
        "berth:unheard-of, 403, 403"
    })
    void a_token_is_good_for_what_its_scopes_allow(String scope, int reads, int changes)
            throws Exception {
        String token = SignedTokens.of("root", "admin", scope);

        given().auth().oauth2(token).get("/v1/accounts").then().statusCode(reads);
        change(token, ACCOUNT, true).statusCode(changes);
    }

    @Test
    void the_configuration_makes_a_user_an_operator() throws Exception {
        String admin = SignedTokens.of("root", "admin", "");
        String ops = SignedTokens.of("ops", "user", "");
        change(ops, ACCOUNT, true).statusCode(403).body("code", equalTo("not_allowed"));

        change(admin, "{\"adminLevels\":{\"ops\":\"operator\"}}", false).statusCode(200);

        await().atMost(PATIENCE).untilAsserted(() -> change(ops, ACCOUNT, true).statusCode(200));
        change(SignedTokens.of("ops", "user", "berth:submit"), ACCOUNT, true).statusCode(403);
        change(admin, "{\"adminLevels\":{\"ops\":null}}", false).statusCode(200);
    }

    @Test
    void who_shows_no_token_or_a_wrong_one_is_nobody() throws Exception {
        given().get("/v1/accounts").then().statusCode(401);
        String token = SignedTokens.of("root", "admin", "");
        given().auth()
                .oauth2(token.substring(0, token.length() - 4) + "AAAA")
                .get("/v1/accounts")
                .then()
                .statusCode(401);
    }
}
