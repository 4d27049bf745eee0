import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Measures on the mesh that is up under BERTH_HOME, whose nodes it fills, how long it takes from the submission of an urgent job until its first line runs in the place of another one. One urgent job after the other; each ends before the next one is submitted, and its victim runs again by then.
///
/// `java -cp benchmarks benchmarks/PreemptLatency.java PARTITION URGENT FIELDS JOBS [samples]`: JOBS jobs with FIELDS (`"gpusPerNode":1`) in PARTITION fill it, samples (default 50) jobs with FIELDS in URGENT take the place of one of them each. The first tenth warms up and is not counted.
class PreemptLatency {

    private static final Pattern STATE = Pattern.compile("\"state\":\"(\\w+)\"");
    private static final Pattern ID = Pattern.compile("\"id\":(\\d+)");
    private static final HttpClient HTTP = HttpClient.newHttpClient();

    public static void main(String[] arguments) throws Exception {
        RunningMesh mesh = RunningMesh.find();
        Path folder = Files.createTempDirectory("berth-preempt").toRealPath();
        String fields = arguments[2];
        int jobs = Integer.parseInt(arguments[3]);
        int samples = arguments.length < 5 ? 50 : Integer.parseInt(arguments[4]);
        var filling = new long[jobs];
        for (int i = 0; i < jobs; i++) {
            filling[i] = submit(mesh, folder, arguments[0], fields, "exec sleep 100000");
        }
        awaitAll(mesh, filling, "RUNNING");
        var took = new double[samples];
        for (int i = 0; i < samples; i++) {
            Path mark = folder.resolve("mark");
            Files.deleteIfExists(mark);
            long before = epochNanos();
            long urgent = submit(mesh, folder, arguments[1], fields, "date +%s%N >mark.new; mv mark.new mark");
            awaitAll(mesh, new long[] {urgent}, "COMPLETED");
            took[i] = (Long.parseLong(Files.readString(mark).strip()) - before) / 1e6;
            awaitAll(mesh, filling, "RUNNING");
        }
        for (long id : filling) {
            ask(mesh, "DELETE", "/v1/jobs/" + id, null);
        }
        System.out.println("load " + Files.readString(Path.of("/proc/loadavg")).split(" ")[0]);
        RunningMesh.print("submission to first line", Arrays.copyOfRange(took, samples / 10, samples));
    }

    private static long submit(RunningMesh mesh, Path folder, String partition, String fields, String line) throws Exception {
        String body = "{\"partition\":\"%s\",\"script\":\"#!/bin/sh\\n%s\\n\",\"workingDirectory\":\"%s\",\"standardOutput\":\"/dev/null\",\"environment\":{\"PATH\":\"/usr/bin:/bin\"},\"timeLimitSeconds\":3600,%s}"
                .formatted(partition, line, folder, fields);
        Matcher id = ID.matcher(ask(mesh, "POST", "/v1/jobs", body));
        if (!id.find()) {
            throw new IOException("no id in the answer");
        }
        return Long.parseLong(id.group(1));
    }

    private static void awaitAll(RunningMesh mesh, long[] ids, String state) throws Exception {
        long limit = System.nanoTime() + Duration.ofMinutes(1).toNanos();
        for (long id : ids) {
            while (true) {
                Matcher now = STATE.matcher(ask(mesh, "GET", "/v1/jobs/" + id, null));
                if (now.find() && now.group(1).equals(state)) {
                    break;
                }
                if (System.nanoTime() > limit) {
                    throw new IOException("job " + id + " is " + now.group(1) + ", not " + state);
                }
                Thread.sleep(5);
            }
        }
    }

    private static String ask(RunningMesh mesh, String method, String path, String body) throws Exception {
        var publisher = body == null ? HttpRequest.BodyPublishers.noBody() : HttpRequest.BodyPublishers.ofString(body);
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://" + mesh.host() + ":" + mesh.port() + path))
                .header("Authorization", "Bearer " + mesh.token())
                .header("Content-Type", "application/json")
                .method(method, publisher)
                .build();
        HttpResponse<String> answer = HTTP.send(request, HttpResponse.BodyHandlers.ofString());
        if (answer.statusCode() / 100 != 2) {
            throw new IOException(method + " " + path + ": " + answer.statusCode() + " " + answer.body());
        }
        return answer.body();
    }

    private static long epochNanos() {
        Instant now = Instant.now();
        return now.getEpochSecond() * 1_000_000_000L + now.getNano();
    }
}
