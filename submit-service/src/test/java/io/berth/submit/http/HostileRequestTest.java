package io.berth.submit.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.hamcrest.Matchers.containsString;

import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.junit.QuarkusTest;
import io.restassured.RestAssured;
import io.restassured.http.ContentType;
import io.restassured.response.Response;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Requests that are made to cost much, or to be taken for something else.
@QuarkusTest
@QuarkusTestResource(MeshResource.class)
class HostileRequestTest {
    @BeforeEach
    void ready() {
        Api.awaitReady();
    }

    static Stream<Arguments> bombs() {
        String nested = "[".repeat(200_000);
        String digits = "9".repeat(1_000_000);
        return Stream.of(
                Arguments.of("lists in a list", nested),
                Arguments.of("lists in a field", "{\"script\":" + nested),
                Arguments.of("objects in a field", "{\"environment\":" + "{\"a\":".repeat(100_000)),
                Arguments.of(
                        "a number of a million digits",
                        "{\"script\":\"x\",\"gpus\":" + digits + "}"),
                Arguments.of(
                        "a name of a million letters", "{\"" + "a".repeat(1_000_000) + "\":1}"),
                Arguments.of("a field that comes twice", "{\"script\":\"a\",\"script\":\"b\"}"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("bombs")
    void json_that_goes_off_is_refused_in_one_short_line(String what, String body)
            throws Exception {
        HttpResponse<String> response = LargeRequest.json(body).send();

        assertThat(response.statusCode()).as(what).isEqualTo(400);
        assertThat(response.body())
                .contains("\"code\":\"invalid_json\"")
                .hasSizeLessThan(1500)
                .doesNotContain("\n");
    }

    @Test
    void headers_that_are_too_large_are_refused_and_cost_the_others_nothing() throws Exception {
        String answer =
                raw(
                        "GET /v1/jobs HTTP/1.1\r\nHost: x\r\nX-Big: "
                                + "a".repeat(100_000)
                                + "\r\n\r\n");

        assertThat(answer).startsWith("HTTP/1.1 431");
        Api.as("alice").get("/v1/jobs?limit=1").then().statusCode(200);
    }

    @Test
    void a_path_that_is_too_long_is_refused() throws Exception {
        String answer = raw("GET /v1/jobs?" + "a".repeat(100_000) + " HTTP/1.1\r\nHost: x\r\n\r\n");

        assertThat(answer).matches("HTTP/1\\.\\d 414 [\\s\\S]*");
    }

    @Test
    void a_body_with_two_lengths_is_not_taken_for_two_requests() throws Exception {
        String answer =
                raw(
                        "POST /v1/jobs HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nContent-Length: 60\r\n\r\n"
                                + "body");

        assertThat(answer).startsWith("HTTP/1.1 400");
    }

    @ParameterizedTest
    @ValueSource(strings = {"../../etc/passwd", "%2e%2e%2fconsole", "1%00", "1%0d%0aX-Evil:%201"})
    void a_job_id_that_is_none_never_leads_elsewhere(String id) {
        Response response = Api.as("alice").urlEncodingEnabled(false).get("/v1/jobs/" + id);

        assertThat(response.statusCode()).isBetween(400, 404);
        assertThat(response.headers().hasHeaderWithName("X-Evil")).isFalse();
    }

    @Test
    void a_bulk_body_that_is_too_long_is_refused_before_it_is_read() throws Exception {
        String answer =
                raw(
                        """
                        POST /v1/jobs/bulk HTTP/1.1\r
                        Host: x\r
                        Content-Type: application/x-ndjson\r
                        Content-Length: 32000001\r
                        \r
                        """);

        assertThat(answer).startsWith("HTTP/1.1 413").contains("32000000 bytes");
    }

    @Test
    void names_with_markup_escapes_and_direction_marks_are_refused_or_kept_as_text() {
        Api.submit(Api.as("alice"), "\"name\":\"\\u001b[31mred\"")
                .then()
                .statusCode(422)
                .body("detail", containsString("control characters"));
        Api.submit(Api.as("alice"), "\"name\":\"a\\r\\nb\"").then().statusCode(422);
        Api.submit(Api.as("alice"), "\"name\":\"<script>alert(1)</script>\"")
                .then()
                .statusCode(201)
                .contentType(ContentType.JSON)
                .header("X-Content-Type-Options", "nosniff");
    }

    /// See [NoUpgrades].
    @Test
    void who_asks_for_http_2_in_plain_text_is_answered_without() throws Exception {
        var request =
                HttpRequest.newBuilder(URI.create(RestAssured.baseURI + ":" + RestAssured.port));
        try (var client = HttpClient.newHttpClient()) {
            var answer = client.send(request.build(), HttpResponse.BodyHandlers.discarding());

            assertThat(answer.version()).isEqualTo(HttpClient.Version.HTTP_1_1);
        }
    }

    private static String raw(String request) throws IOException {
        try (var socket = new Socket("127.0.0.1", RestAssured.port)) {
            socket.setSoTimeout(10_000);
            var out = socket.getOutputStream();
            out.write(request.getBytes(StandardCharsets.US_ASCII));
            out.flush();
            var first = new byte[2048];
            int read = socket.getInputStream().readNBytes(first, 0, 12);
            int more = socket.getInputStream().read(first, read, first.length - read);
            return new String(first, 0, read + Math.max(0, more), StandardCharsets.UTF_8);
        }
    }
}
