import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;

/// Measures how many jobs a second the gateway of a mesh accepts in bulk: each on disk in the log before its line is answered.
///
/// `java -cp benchmarks benchmarks/BulkLoad.java [requests [jobs]]`: so many requests (5), one after the other, of so many jobs each (10,000, the most that one request may have). The jobs are held.
class BulkLoad {

    public static void main(String[] arguments) throws Exception {
        int requests = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 5;
        int jobs = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 10_000;
        var mesh = RunningMesh.find();
        String line =
                "{\"workingDirectory\":\"/tmp\",\"standardOutput\":\"/dev/null\",\"script\":\"#!/bin/sh\\ntrue\\n\",\"name\":\"load\",\"terms\":{\"hold\":true}}\n";
        var request = HttpRequest.newBuilder(URI.create("http://%s:%d/v1/jobs/bulk".formatted(mesh.host(), mesh.port())))
                .header("Authorization", "Bearer " + mesh.token())
                .header("Content-Type", "application/x-ndjson")
                .POST(BodyPublishers.ofString(line.repeat(jobs)))
                .build();
        try (var client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build()) {
            double booked = mesh.booked();
            var time = new ProcessorTime(mesh);
            for (int i = 1; i <= requests; i++) {
                long begin = System.nanoTime();
                var answer = client.send(request, BodyHandlers.ofLines());
                long accepted = answer.body().filter(it -> it.contains("\"status\":201")).count();
                double seconds = (System.nanoTime() - begin) / 1e9;
                System.out.printf("request %d: %d of %d jobs accepted in %.2f s, %.0f a second%n", i, accepted, jobs, seconds, accepted / seconds);
            }
            mesh.awaitBooked(booked + (double) requests * jobs);
            time.print(requests * jobs);
        }
    }
}
