import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Arrays;
import java.util.Properties;

/// Measures, on a mesh that is up and idle, how long it takes from sending a submission until the gateway has answered, and until the first line of the job's code runs. Jobs go one after the other, each after a pause in which the mesh brings the one before
/// to its end and is idle.
///
/// `java benchmarks/SubmitLatency.java [jobs [pause]]`, default 200 and 300 ms, with BERTH_HOME as for `berth up`. The first tenth warms up and is not counted.
class SubmitLatency {

    private static final long GIVE_UP_MILLIS = 30_000;

    public static void main(String[] arguments) throws Exception {
        int jobs = arguments.length == 0 ? 200 : Integer.parseInt(arguments[0]);
        long pause = arguments.length < 2 ? 300 : Long.parseLong(arguments[1]);
        Path home = Path.of(System.getenv().getOrDefault("BERTH_HOME", System.getProperty("user.home") + "/.berth"));
        var mesh = new Properties();
        try (var reader = Files.newBufferedReader(home.resolve("mesh.properties"))) {
            mesh.load(reader);
        }
        String token = Files.readString(home.resolve("operator.token")).strip();
        Path folder = Files.createTempDirectory("berth-latency");
        var answered = new double[jobs];
        var started = new double[jobs];
        try (var client = HttpClient.newHttpClient()) {
            for (int i = 0; i < jobs; i++) {
                Path mark = folder.resolve("job-" + i);
                HttpRequest request = submission(mesh.getProperty("url"), token, folder, mark);
                long before = epochNanos();
                var answer = client.send(request, BodyHandlers.ofString());
                answered[i] = (epochNanos() - before) / 1e6;
                if (answer.statusCode() != 201) {
                    throw new IOException(answer.statusCode() + " " + answer.body());
                }
                started[i] = (awaitMark(mark) - before) / 1e6;
                Files.delete(mark);
                Thread.sleep(pause);
            }
        } finally {
            try (var left = Files.list(folder)) {
                for (Path file : left.toList()) {
                    Files.delete(file);
                }
            }
            Files.delete(folder);
        }
        print("submission acknowledged", Arrays.copyOfRange(answered, jobs / 10, jobs));
        print("first line of the job's code", Arrays.copyOfRange(started, jobs / 10, jobs));
    }

    private static HttpRequest submission(String url, String token, Path folder, Path mark) {
        String script = "#!/bin/sh\\ndate +%s%N > '" + mark + ".new' && mv '" + mark + ".new' '" + mark + "'\\n";
        String body =
                "{\"script\":\"%s\",\"name\":\"latency\",\"workingDirectory\":\"%s\",\"standardOutput\":\"/dev/null\",\"environment\":{\"PATH\":\"/usr/bin:/bin\"}}"
                        .formatted(script, folder);
        return HttpRequest.newBuilder(URI.create(url + "/v1/jobs"))
                .header("Authorization", "Bearer " + token)
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(body))
                .build();
    }

    private static long awaitMark(Path mark) throws IOException, InterruptedException {
        long giveUp = System.currentTimeMillis() + GIVE_UP_MILLIS;
        while (!Files.exists(mark)) {
            if (System.currentTimeMillis() > giveUp) {
                throw new IOException("no job code ran within " + GIVE_UP_MILLIS + " ms");
            }
            Thread.sleep(2);
        }
        return Long.parseLong(Files.readString(mark).strip());
    }

    private static long epochNanos() {
        Instant now = Instant.now();
        return now.getEpochSecond() * 1_000_000_000L + now.getNano();
    }

    private static void print(String what, double[] millis) {
        Arrays.sort(millis);
        System.out.printf(
                "%-30s %4d samples   p50 %6.1f ms   p99 %6.1f ms   max %6.1f ms%n",
                what, millis.length, at(millis, 0.50), at(millis, 0.99), millis[millis.length - 1]);
    }

    private static double at(double[] sorted, double quantile) {
        return sorted[(int) Math.min(sorted.length - 1L, Math.round(quantile * sorted.length))];
    }
}
