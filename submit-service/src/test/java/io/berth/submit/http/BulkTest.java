package io.berth.submit.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.matchesPattern;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import io.berth.contracts.event.Submission.Submitted;
import io.berth.contracts.json.Json;
import io.berth.contracts.topic.Topics;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.junit.QuarkusTest;
import io.restassured.response.Response;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@QuarkusTest
@QuarkusTestResource(MeshResource.class)
class BulkTest {
    private static final String JOB = "{\"script\":\"" + Api.SCRIPT + "\"%s}\n";

    @BeforeEach
    void ready() {
        Api.awaitReady();
    }

    @Test
    void every_line_of_a_long_request_is_a_job() throws Exception {
        String body =
                IntStream.rangeClosed(1, 1500)
                        .mapToObj(line -> JOB.formatted(",\"name\":\"line-" + line + "\""))
                        .collect(Collectors.joining());

        Response response = certain("bernd", UUID.randomUUID().toString(), body);

        List<JsonNode> lines = lines(response);
        assertThat(lines).extracting(it -> it.get("line").asInt()).isSorted();
        assertThat(lines).hasSize(1500).allMatch(it -> it.get("status").asInt() == 201);
        assertThat(response.header("Berth-Position")).matches("submissions:0:\\d+");
        List<Map<String, Object>> jobs =
                Api.as("bernd")
                        .header("Berth-Position", response.header("Berth-Position"))
                        .get("/v1/jobs?user=bernd&fields=id,name")
                        .then()
                        .extract()
                        .jsonPath()
                        .getList("jobs");
        assertThat(jobs)
                .extracting(it -> it.get("id") + " " + it.get("name"))
                .containsExactlyInAnyOrderElementsOf(
                        lines.stream()
                                .map(it -> it.get("id") + " line-" + it.get("line"))
                                .toList());
    }

    @Test
    void jobs_come_into_the_log_in_the_order_of_their_lines() throws Exception {
        String body =
                Stream.of("one", "two", "three")
                        .map(it -> JOB.formatted(",\"name\":\"" + it + "\""))
                        .collect(Collectors.joining());

        List<JsonNode> lines = lines(bulk("bruno", null, body));

        assertThat(submitted("bruno"))
                .extracting(it -> it.job().value(), it -> it.description().name())
                .containsExactly(
                        tuple(lines.get(0).get("id").asLong(), "one"),
                        tuple(lines.get(1).get("id").asLong(), "two"),
                        tuple(lines.get(2).get("id").asLong(), "three"));
        assertThat(lines).extracting(it -> it.get("id").asLong()).isSorted();
    }

    @Test
    void a_line_that_is_refused_says_why_and_leaves_the_others_alone() throws Exception {
        String body =
                JOB.formatted("")
                        + "\n"
                        + "no JSON\n"
                        + JOB.formatted(",\"partition\":\"gone\"")
                        + JOB.formatted(",\"user\":\"alice\"")
                        + JOB.formatted(",\"terms\":{\"array\":\"0-2\"}").strip();

        List<JsonNode> lines = lines(bulk("carla", null, body));

        assertThat(lines)
                .extracting(it -> it.get("line") + " " + it.get("status") + " " + code(it))
                .containsExactly(
                        "1 201 ",
                        "3 400 invalid_json",
                        "4 422 invalid_partition",
                        "5 403 not_allowed",
                        "6 201 ");
        assertThat(lines.get(2).get("detail").asText()).contains("'gone'").contains("batch, cpu");
        Api.eventually(
                () -> Api.as("carla").get("/v1/jobs?user=carla").then().body("jobs.size()", is(4)));
    }

    @Test
    void equal_lines_are_jobs_of_their_own_and_each_is_refused_by_itself() throws Exception {
        String one = JOB.formatted(",\"name\":\"one\"");
        String two = JOB.formatted(",\"name\":\"two\"");
        String gone = JOB.formatted(",\"partition\":\"gone\"");

        List<JsonNode> lines = lines(bulk("gerda", null, one + one + gone + gone + two + one));

        assertThat(lines)
                .extracting(it -> it.get("status").asInt())
                .containsExactly(201, 201, 422, 422, 201, 201);
        assertThat(submitted("gerda"))
                .extracting(it -> it.description().name())
                .containsExactly("one", "one", "two", "one");
        assertThat(submitted("gerda")).extracting(it -> it.job()).doesNotHaveDuplicates();
    }

    @Test
    void the_same_request_again_finds_its_jobs_and_makes_those_that_are_missing() throws Exception {
        String key = UUID.randomUUID().toString();
        String two = JOB.formatted("") + JOB.formatted(",\"gpus\":1");
        List<JsonNode> first = lines(bulk("doris", key, two));

        List<JsonNode> again = lines(bulk("doris", key, two + JOB.formatted(",\"gpus\":2")));

        assertThat(again.subList(0, 2)).isEqualTo(first);
        assertThat(again.get(2).get("status").asInt()).isEqualTo(201);
        assertThat(submitted("doris")).hasSize(3);
    }

    @Test
    void a_line_that_is_another_one_under_the_same_key_is_refused() throws Exception {
        String key = UUID.randomUUID().toString();
        bulk("emil", key, JOB.formatted("") + JOB.formatted(""));

        List<JsonNode> lines =
                lines(bulk("emil", key, JOB.formatted("") + JOB.formatted(",\"gpus\":2")));

        assertThat(lines.get(0).get("status").asInt()).isEqualTo(201);
        assertThat(code(lines.get(1))).isEqualTo("idempotency_key_reused");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "\n \r\n\n"})
    void a_body_without_lines_is_refused(String body) {
        Api.refused(post("alice", null, body), 400, "invalid_request");
    }

    @Test
    void more_than_ten_thousand_lines_are_refused_as_a_whole() throws Exception {
        Response response = post("frida", null, "{}\n".repeat(10_001));

        Api.refused(response, 400, "invalid_request")
                .body("detail", is("more than 10000 jobs in one request"));
    }

    @Test
    void a_key_must_leave_room_for_the_line() {
        Api.refused(post("alice", "k".repeat(123), JOB.formatted("")), 400, "invalid_request")
                .body("detail", matchesPattern("Idempotency-Key is not 1 to 122 .*"));
    }

    private static String code(JsonNode line) {
        return line.path("code").asText("");
    }

    /// The answer once no outcome is unknown, as a client has it that asks again with its key.
    private static Response certain(String user, String key, String body) {
        return Awaitility.await()
                .atMost(Duration.ofSeconds(60))
                .until(
                        () -> bulk(user, key, body),
                        it -> !it.asString().contains("\"status\":503"));
    }

    private static Response bulk(String user, @Nullable String key, String body) {
        return post(user, key, body)
                .then()
                .statusCode(200)
                .contentType(BulkResource.NDJSON)
                .extract()
                .response();
    }

    private static Response post(String user, @Nullable String key, String body) {
        var request =
                Api.as(user)
                        .contentType(BulkResource.NDJSON)
                        .body(body.getBytes(StandardCharsets.UTF_8));
        return (key == null ? request : request.header("Idempotency-Key", key))
                .post("/v1/jobs/bulk");
    }

    private static List<JsonNode> lines(Response response) throws JsonProcessingException {
        var lines = new ArrayList<JsonNode>();
        for (String line : response.asString().lines().toList()) {
            lines.add(Json.mapper().readTree(line));
        }
        return lines;
    }

    private static List<Submitted> submitted(String user) throws Exception {
        try (var mesh = Mesh.connect()) {
            return mesh.events(Topics.SUBMISSIONS).stream()
                    .filter(Submitted.class::isInstance)
                    .map(Submitted.class::cast)
                    .filter(it -> it.description().user().equals(user))
                    .toList();
        }
    }
}
