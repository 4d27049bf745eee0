package io.berth.standalone.mesh;

import com.fasterxml.jackson.databind.JsonNode;
import io.berth.contracts.json.Json;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Map;

/// One user of a mesh, by its HTTP interface.
public final class MeshClient {

    private static final Duration LIMIT = Duration.ofSeconds(30);

    private final HttpClient http = HttpClient.newBuilder().connectTimeout(LIMIT).build();
    private final Ports ports;
    private final String token;

    public MeshClient(Ports ports, String token) {
        this.ports = ports;
        this.token = token;
    }

    /// Submits a job and returns its view.
    ///
    /// @param job the fields of `JobSubmission` that are given
    public JsonNode submit(Map<String, ?> job) throws IOException {
        return post("/v1/jobs", job);
    }

    /// The same, by a key under which a request may be repeated.
    public JsonNode submit(Map<String, ?> job, String key) throws IOException {
        return answer(change("/v1/jobs", job).header("Idempotency-Key", key));
    }

    /// Asks the gateway for a change.
    JsonNode post(String path, Map<String, ?> change) throws IOException {
        return answer(change(path, change));
    }

    private HttpRequest.Builder change(String path, Map<String, ?> change) throws IOException {
        byte[] body = Json.mapper().writeValueAsBytes(change);
        return request(ports.submit(), path)
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofByteArray(body));
    }

    /// Asks the gateway.
    public JsonNode get(String path) throws IOException {
        return answer(request(ports.submit(), path));
    }

    /// Asks the accounting service.
    public JsonNode accounting(String path) throws IOException {
        return answer(request(ports.accounting(), path));
    }

    private HttpRequest.Builder request(int port, String path) {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                .timeout(LIMIT)
                .header("Authorization", "Bearer " + token);
    }

    private JsonNode answer(HttpRequest.Builder builder) throws IOException {
        HttpRequest request = builder.build();
        try {
            HttpResponse<String> answer = http.send(request, HttpResponse.BodyHandlers.ofString());
            if (answer.statusCode() / 100 != 2) {
                throw new IOException(
                        "%s %s answered %d: %s"
                                .formatted(
                                        request.method(),
                                        request.uri(),
                                        answer.statusCode(),
                                        answer.body()));
            }
            return Json.mapper().readTree(answer.body());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while waiting for " + request.uri(), e);
        }
    }
}
