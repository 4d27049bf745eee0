package io.berth.submit.http;

import io.restassured.RestAssured;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.time.Duration;

/// An answer of megabytes, and how long it took from the question to the last byte.
record LargeAnswer(int status, int bytes, Duration took) {
    static LargeAnswer get(String user, String path) {
        String token = Tokens.user(user);
        long start = System.nanoTime();
        try {
            var url = URI.create("http://127.0.0.1:" + RestAssured.port + path).toURL();
            var connection = (HttpURLConnection) url.openConnection();
            connection.setRequestProperty("Authorization", "Bearer " + token);
            int bytes = connection.getInputStream().readAllBytes().length;
            return new LargeAnswer(
                    connection.getResponseCode(),
                    bytes,
                    Duration.ofNanos(System.nanoTime() - start));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
