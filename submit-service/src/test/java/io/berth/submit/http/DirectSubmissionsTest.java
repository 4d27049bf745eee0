package io.berth.submit.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.contracts.json.Json;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.junit.QuarkusTest;
import io.restassured.RestAssured;
import java.io.ByteArrayInputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

@QuarkusTest
@QuarkusTestResource(MeshResource.class)
class DirectSubmissionsTest {
    private static final String SCRIPT = "\"script\":\"" + Api.SCRIPT + "\"";
    private static final String JOB = "{" + SCRIPT + "}";

    /// What differs between two jobs, and two answers.
    private static final List<String> OWN = List.of("id", "arrayJob", "submittedAt", "priority");

    private static final List<String> OWN_HEADERS =
            List.of(LongWay.HEADER.toLowerCase(Locale.ROOT), "date", "location", "berth-position");

    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    @BeforeEach
    void ready() {
        Api.awaitReady();
    }

    static Stream<String> bodies() {
        return Stream.of(
                JOB,
                "{"
                        + SCRIPT
                        + ",\"name\":\"ü\",\"gpus\":2,\"gpuType\":\"a100\",\"terms\":{\"hold\":true}}",
                "{" + SCRIPT + ",\"terms\":{\"array\":\"1-3\"}}",
                "{" + SCRIPT + ",\"partition\":\"gone\"}",
                "{" + SCRIPT + ",\"user\":\"bob\"}",
                "{" + SCRIPT + ",\"terms\":{\"priority\":7}}",
                "{\"script\":\"true\"}",
                "{\"name\":\"x\"}",
                "{" + SCRIPT + ",\"nome\":\"x\"}",
                "{",
                "[]",
                "null",
                "");
    }

    @ParameterizedTest
    @MethodSource("bodies")
    void the_short_way_answers_as_the_long_one(String body) throws Exception {
        String token = remembered(Tokens.user("alice"));

        var shortly = send(request(token, BodyPublishers.ofString(body)));
        var atLength = send(request(token, chunked(body)));

        assertThat(wentShort(shortly)).isTrue();
        assertThat(wentShort(atLength)).isFalse();
        assertThat(shortly.statusCode()).isEqualTo(atLength.statusCode());
        assertThat(headers(shortly)).isEqualTo(headers(atLength));
        assertThat(withoutOwn(shortly)).isEqualTo(withoutOwn(atLength));
        for (String own : List.of("location", "berth-position")) {
            assertThat(shape(shortly, own)).isEqualTo(shape(atLength, own));
        }
    }

    @Test
    void a_token_goes_the_short_way_once_it_was_verified() throws Exception {
        String token = Tokens.user("alice");

        assertThat(wentShort(send(request(token, BodyPublishers.ofString(JOB))))).isFalse();
        assertThat(wentShort(send(request(token, BodyPublishers.ofString(JOB))))).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Idempotency-Key: a",
                "Accept: application/xml",
                "Content-Type: text/x-shellscript",
                "Content-Type: application/json;charset=ISO-8859-1"
            })
    void what_is_not_plain_goes_the_long_way(String header) throws Exception {
        String token = remembered(Tokens.user("alice"));
        String[] parts = header.split(": ");

        var answer =
                send(
                        HttpRequest.newBuilder(
                                        request(token, BodyPublishers.ofString(JOB)),
                                        (_, _) -> true)
                                .setHeader(parts[0], parts[1])
                                .build());

        assertThat(wentShort(answer)).isFalse();
    }

    /// Whoever may not submit learns it from where all others do.
    @ParameterizedTest
    @ValueSource(strings = {"{\"scope\":\"berth:read\"}", "{\"groups\":[\"guest\"]}"})
    void a_token_that_does_not_let_one_submit_does_not_here_either(String claims) throws Exception {
        var all = new TreeMap<String, Object>(Map.of("upn", "alice", "groups", List.of("user")));
        Json.mapper()
                .readTree(claims)
                .properties()
                .forEach(it -> all.put(it.getKey(), it.getValue()));
        String token = remembered(Tokens.token(all));

        var answer = send(request(token, BodyPublishers.ofString(JOB)));

        assertThat(wentShort(answer)).isFalse();
        assertThat(answer.statusCode()).isEqualTo(403);
    }

    @Test
    void what_comes_at_once_is_answered_each_with_its_own_job() throws Exception {
        String token = remembered(Tokens.user("alice"));

        List<CompletableFuture<HttpResponse<String>>> sent =
                IntStream.range(0, 40)
                        .mapToObj(it -> "{" + SCRIPT + ",\"name\":\"job-" + it + "\"}")
                        .map(it -> request(token, BodyPublishers.ofString(it)))
                        .map(it -> client.sendAsync(it, BodyHandlers.ofString()))
                        .toList();

        var ids = new ArrayList<Long>();
        for (int i = 0; i < sent.size(); i++) {
            var answer = Json.mapper().readTree(sent.get(i).get().body());
            assertThat(answer.path("name").asText()).isEqualTo("job-" + i);
            ids.add(answer.path("id").asLong());
        }
        assertThat(ids).doesNotHaveDuplicates();
        for (long id : ids) {
            Api.as("alice").get("/v1/jobs/" + id).then().statusCode(200);
        }
    }

    /// The token, sent once.
    private String remembered(String token) throws Exception {
        send(
                HttpRequest.newBuilder(uri("/v1/partitions"))
                        .header("Authorization", "Bearer " + token)
                        .build());
        return token;
    }

    private static HttpRequest request(String token, BodyPublisher body) {
        return HttpRequest.newBuilder(uri("/v1/jobs"))
                .header("Authorization", "Bearer " + token)
                .header("Content-Type", "application/json")
                .POST(body)
                .build();
    }

    /// A body whose length is not told before.
    private static BodyPublisher chunked(String body) {
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        return BodyPublishers.ofInputStream(() -> new ByteArrayInputStream(bytes));
    }

    private HttpResponse<String> send(HttpRequest request) throws Exception {
        return client.send(request, BodyHandlers.ofString());
    }

    private static URI uri(String path) {
        return URI.create("http://127.0.0.1:" + RestAssured.port + path);
    }

    private static boolean wentShort(HttpResponse<?> answer) {
        return answer.headers().firstValue(LongWay.HEADER).isEmpty();
    }

    private static Map<String, List<String>> headers(HttpResponse<?> answer) {
        var headers = new TreeMap<>(answer.headers().map());
        headers.keySet().removeAll(OWN_HEADERS);
        headers.computeIfPresent("content-length", (_, _) -> List.of());
        return headers;
    }

    /// A header without its numbers.
    private static String shape(HttpResponse<?> answer, String header) {
        return answer.headers().firstValue(header).orElse("").replaceAll("\\d+$", "1");
    }

    private static Object withoutOwn(HttpResponse<String> answer) throws Exception {
        var json = Json.mapper().readTree(answer.body());
        return json instanceof ObjectNode job ? job.without(OWN) : json;
    }
}
