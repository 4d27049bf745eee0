import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Properties;
import java.util.regex.Pattern;

/// The mesh that is up under BERTH_HOME (`~/.berth`), as the benchmarks see it.
///
/// @param properties what `berth up` tells of where its parts are
record RunningMesh(Path home, String host, int port, String token, Properties properties) {

    private static final Pattern BOOKED = Pattern.compile("berth_books_events_total(?:\\{.*})? ([0-9.E]+)");

    static RunningMesh find() throws IOException {
        Path home = Path.of(System.getenv().getOrDefault("BERTH_HOME", System.getProperty("user.home") + "/.berth"));
        var mesh = new Properties();
        try (var reader = Files.newBufferedReader(home.resolve("mesh.properties"))) {
            mesh.load(reader);
        }
        var url = java.net.URI.create(mesh.getProperty("url"));
        return new RunningMesh(home, url.getHost(), url.getPort(), Files.readString(home.resolve("operator.token")).strip(), mesh);
    }

    String kafka() {
        return properties.getProperty("kafka");
    }

    /// How many events the accounting service has entered in the books since it started.
    double booked() throws IOException {
        var metrics = java.net.URI.create(properties.getProperty("accountingUrl") + "/q/metrics").toURL();
        try (var in = metrics.openStream()) {
            var value = BOOKED.matcher(new String(in.readAllBytes(), StandardCharsets.UTF_8));
            return value.find() ? Double.parseDouble(value.group(1)) : 0;
        }
    }

    /// Waits until that many events have been entered in the books.
    void awaitBooked(double events) throws IOException, InterruptedException {
        while (booked() < events) {
            // Not often: to be asked for its metrics costs the service some milliseconds.
            Thread.sleep(250);
        }
    }

    /// The process ids of its parts, by name.
    Map<String, Long> processes() throws IOException {
        var found = new LinkedHashMap<String, Long>();
        String status = Files.readString(home.resolve("run/status.json"));
        var part = Pattern.compile("\"name\"\\s*:\\s*\"(\\w+)\"[^}]*?\"pid\"\\s*:\\s*(\\d+)").matcher(status);
        while (part.find()) {
            found.put(part.group(1), Long.parseLong(part.group(2)));
        }
        return found;
    }

    /// A whole HTTP request that submits a job: JSON without `workingDirectory`, which is added.
    byte[] submission(Path folder, String fields) {
        String body = "{\"workingDirectory\":\"%s\",\"standardOutput\":\"/dev/null\",\"environment\":{\"PATH\":\"/usr/bin:/bin\"},%s}".formatted(folder, fields);
        return """
                POST /v1/jobs HTTP/1.1\r
                Host: %s:%d\r
                Authorization: Bearer %s\r
                Content-Type: application/json\r
                Content-Length: %d\r
                \r
                %s"""
                .formatted(host, port, token, body.length(), body)
                .getBytes(StandardCharsets.UTF_8);
    }

    /// Prints the distribution of some times in milliseconds.
    static void print(String what, double[] millis) {
        Arrays.sort(millis);
        System.out.printf(
                "%-30s %6d samples   p50 %6.1f ms   p90 %6.1f ms   p99 %6.1f ms   max %6.1f ms%n",
                what, millis.length, at(millis, 0.50), at(millis, 0.90), at(millis, 0.99), millis[millis.length - 1]);
    }

    private static double at(double[] sorted, double quantile) {
        return sorted[(int) Math.min(sorted.length - 1L, Math.round(quantile * sorted.length))];
    }
}
