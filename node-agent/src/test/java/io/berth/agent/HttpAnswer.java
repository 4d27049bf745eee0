package io.berth.agent;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;

/// What an agent answers to a request.
record HttpAnswer(int status, String type, String body) {

    static HttpAnswer of(int port, String method, String path) throws IOException {
        var request =
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                        .method(method, BodyPublishers.noBody())
                        .build();
        try (HttpClient client = HttpClient.newHttpClient()) {
            var answer = client.send(request, BodyHandlers.ofString());
            return new HttpAnswer(
                    answer.statusCode(),
                    answer.headers().firstValue("Content-Type").orElse(""),
                    answer.body());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(e);
        }
    }
}
