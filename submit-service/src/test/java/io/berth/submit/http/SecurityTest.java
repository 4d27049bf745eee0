package io.berth.submit.http;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.hamcrest.Matchers.is;

import io.berth.contracts.AdminLevel;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.junit.QuarkusTest;
import io.restassured.response.Response;
import io.restassured.specification.RequestSpecification;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.eclipse.microprofile.config.ConfigProvider;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

@QuarkusTest
@QuarkusTestResource(MeshResource.class)
class SecurityTest {
    private static final Base64.Encoder URL = Base64.getUrlEncoder().withoutPadding();

    @BeforeEach
    void ready() {
        Api.awaitReady();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/v1/jobs",
                "/v1/jobs/1",
                "/v1/jobs/1/why",
                "/v1/nodes",
                "/v1/partitions",
                "/v1/reservations",
                "/v1/licenses",
                "/v1/queues",
                "/v1/me",
                "/v1/fair-share"
            })
    void without_a_token_nothing_is_answered(String path) {
        Api.refused(given().get(path), 401, "unauthenticated")
                .header("WWW-Authenticate", is("Bearer"));
    }

    @Test
    void without_a_token_nothing_is_submitted() {
        Api.refused(Api.submit(given(), ""), 401, "unauthenticated");
    }

    static Stream<Map<String, Object>> wrongClaims() {
        return Stream.of(
                Map.of("upn", "alice", "groups", List.of("user"), "iss", "somebody"),
                Map.of(
                        "upn",
                        "alice",
                        "groups",
                        List.of("user"),
                        "iat",
                        1000,
                        "exp",
                        Instant.now().minusSeconds(600).getEpochSecond()));
    }

    @ParameterizedTest
    @MethodSource("wrongClaims")
    void a_token_of_another_issuer_or_time_is_not_valid(Map<String, Object> claims) {
        Response response = with(Tokens.token(claims)).get("/v1/jobs");

        Api.refused(response, 401, "unauthenticated");
    }

    @Test
    void a_token_signed_with_another_key_is_not_valid() {
        String foreign =
                Tokens.token(
                        Map.of("upn", "alice", "groups", List.of("operator")),
                        Tokens.create().privateKey());

        Response response = with(foreign).get("/v1/jobs");

        Api.refused(response, 401, "unauthenticated");
    }

    static Stream<String> forged() throws Exception {
        String claims =
                part(
                        "{\"iss\":\"berth\",\"upn\":\"alice\",\"groups\":[\"operator\"],\"iat\":1,\"exp\":4102444800}");
        String none = part("{\"alg\":\"none\",\"typ\":\"JWT\"}") + "." + claims + ".";
        String hmac = part("{\"alg\":\"HS256\",\"typ\":\"JWT\"}") + "." + claims;
        Path publicKey =
                Path.of(
                        URI.create(
                                ConfigProvider.getConfig()
                                        .getValue(
                                                "mp.jwt.verify.publickey.location", String.class)));
        var mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(Files.readAllBytes(publicKey), "HmacSHA256"));
        String signature =
                URL.encodeToString(mac.doFinal(hmac.getBytes(StandardCharsets.US_ASCII)));
        String own = Tokens.user("alice");
        return Stream.of(
                none,
                none + "AAAA",
                hmac + "." + signature,
                own.replaceFirst("\\.[^.]+$", "."),
                own.substring(0, own.indexOf('.') + 1)
                        + claims
                        + own.substring(own.lastIndexOf('.')));
    }

    private static String part(String json) {
        return URL.encodeToString(json.getBytes(StandardCharsets.UTF_8));
    }

    /// Without a signature, signed with the public key as a secret, without its own signature, with
    /// the signature of another token.
    @ParameterizedTest
    @MethodSource("forged")
    void a_token_that_the_mesh_did_not_sign_is_not_valid(String token) {
        Api.refused(with(token).get("/v1/jobs"), 401, "unauthenticated");
    }

    @ParameterizedTest
    @ValueSource(strings = {"x", "e30.e30.", "a.b.c"})
    void what_is_no_token_is_not_valid(String text) {
        Api.refused(with(text).get("/v1/jobs"), 401, "unauthenticated");
    }

    @Test
    void a_token_without_a_known_group_is_not_enough() {
        String guest = Tokens.token(Map.of("upn", "mallory", "groups", List.of("guest")));

        Api.refused(with(guest).get("/v1/jobs"), 403, "not_allowed");
    }

    @Test
    void a_user_whose_name_no_job_can_have_is_refused() {
        String odd = Tokens.token(Map.of("upn", "../etc", "groups", List.of("user")));

        Api.refused(Api.submit(with(odd), ""), 422, "invalid_option");
    }

    @Test
    void a_path_that_is_not_there_is_a_problem_too() {
        Api.refused(Api.as("alice").get("/v1/nothing"), 404, "not_found");
    }

    @Test
    void a_method_that_is_not_there_is_a_problem_too() {
        Api.refused(Api.as("alice").put("/v1/jobs"), 405, "method_not_allowed");
    }

    @Test
    void a_body_of_another_type_is_a_problem_too() {
        Response response =
                Api.as("alice").contentType("application/xml").body("<job/>").post("/v1/jobs");

        Api.refused(response, 415, "unsupported_media_type");
    }

    @Test
    void health_and_metrics_need_no_token() {
        given().get("/q/health/live").then().statusCode(200);
        given().get("/q/health/ready").then().statusCode(200).body("status", is("UP"));
        given().get("/q/metrics").then().statusCode(200);
    }

    private static RequestSpecification with(String token) {
        return given().auth().oauth2(token);
    }

    private static RequestSpecification scoped(Object scope) {
        return given().header(
                        "Authorization",
                        "Bearer "
                                + Tokens.token(
                                        Map.of(
                                                "upn",
                                                "alice",
                                                "groups",
                                                List.of("user"),
                                                "scp",
                                                scope)));
    }

    @Test
    void a_token_to_read_reads_and_tries_and_submits_nothing() {
        RequestSpecification reader = scoped(List.of("openid", "berth:read"));

        reader.get("/v1/jobs").then().statusCode(200);
        Api.refused(Api.submit(scoped("berth:read"), ""), 403, "not_allowed");
        scoped("berth:read")
                .contentType("application/json")
                .body("{")
                .post("/v1/simulate")
                .then()
                .statusCode(400);
        Api.submit(scoped("berth:submit"), "").then().statusCode(201);
    }

    @Test
    void a_scope_of_berth_that_nobody_knows_allows_nothing() {
        Api.refused(scoped("berth:everything").get("/v1/jobs"), 403, "not_allowed");
    }

    private static Map<String, Object> me(Map<String, ?> claims) {
        return with(Tokens.token(claims))
                .get("/v1/me")
                .then()
                .statusCode(200)
                .extract()
                .jsonPath()
                .getMap("");
    }

    private static Map<String, Object> answer(
            String user, List<String> roles, String scope, List<String> coordinates) {
        return Map.of("user", user, "roles", roles, "scope", scope, "coordinates", coordinates);
    }

    @Test
    void who_asks_is_told_what_counts_of_his_token() {
        assertThat(me(Map.of("upn", "carol", "groups", List.of("user", "lab"))))
                .isEqualTo(answer("carol", List.of("user"), "OPERATE", List.of("team_b")));
        assertThat(me(Map.of("upn", "root", "groups", List.of("admin"))))
                .isEqualTo(answer("root", List.of("operator", "admin"), "OPERATE", List.of()));
        assertThat(me(Map.of("upn", "root", "groups", List.of("admin"), "scope", "berth:submit")))
                .isEqualTo(answer("root", List.of("user"), "SUBMIT", List.of()));
    }

    @Test
    void who_asks_is_told_what_the_configuration_makes_of_him() {
        Map<String, Object> dana = Map.of("upn", "dana", "groups", List.of("user"));
        try (Mesh mesh = Mesh.connect()) {
            mesh.publishCluster(to -> to.adminLevels = Map.of("dana", AdminLevel.OPERATOR));
            Api.eventually(
                    () -> assertThat(me(dana)).containsEntry("roles", List.of("user", "operator")));

            mesh.publishCluster(List.of());
            Api.eventually(() -> assertThat(me(dana)).containsEntry("roles", List.of("user")));
        }
    }
}
