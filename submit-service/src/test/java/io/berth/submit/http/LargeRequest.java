package io.berth.submit.http;

import io.restassured.RestAssured;
import java.io.ByteArrayInputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/// A submission by alice whose body has megabytes.
record LargeRequest(String contentType, byte[] body, boolean lengthKnown) {
    static LargeRequest script(String script) {
        return new LargeRequest(
                "text/x-shellscript", script.getBytes(StandardCharsets.UTF_8), true);
    }

    static LargeRequest json(String json) {
        return new LargeRequest("application/json", json.getBytes(StandardCharsets.UTF_8), true);
    }

    /// The same in chunks.
    LargeRequest withoutLength() {
        return new LargeRequest(contentType, body, false);
    }

    HttpResponse<String> send() throws Exception {
        BodyPublisher publisher =
                lengthKnown
                        ? BodyPublishers.ofByteArray(body)
                        : BodyPublishers.ofInputStream(() -> new ByteArrayInputStream(body));
        var request =
                HttpRequest.newBuilder(
                                URI.create("http://127.0.0.1:" + RestAssured.port + "/v1/jobs"))
                        .version(HttpClient.Version.HTTP_1_1)
                        .timeout(Duration.ofSeconds(30))
                        .header("Authorization", "Bearer " + Tokens.user("alice"))
                        .header("Content-Type", contentType)
                        .POST(publisher)
                        .build();
        try (var client = HttpClient.newHttpClient()) {
            return client.send(request, HttpResponse.BodyHandlers.ofString());
        }
    }

    @Override
    public String toString() {
        return body.length + " bytes of " + contentType + (lengthKnown ? "" : " in chunks");
    }
}
