import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/// Measures, on a mesh that is up and idle, how long a cell is without a leader when its placement service is killed with SIGKILL and a standby takes over: from the kill until the standby says
/// LEADER, and until the first line of a job runs that is submitted right after the kill.
///
/// `java benchmarks/TakeOver.java [times]`, default 10. It starts the second placement service itself, with the command line of the first but for the port.
class TakeOver {

    private static final HttpClient CLIENT = HttpClient.newHttpClient();
    private static final long GIVE_UP_NANOS = 120_000_000_000L;

    public static void main(String[] arguments) throws Exception {
        int times = arguments.length == 0 ? 10 : Integer.parseInt(arguments[0]);
        var mesh = RunningMesh.find();
        Path folder = Files.createTempDirectory("berth-take-over");
        int own = port(commandLine(mesh.processes().get("placement")));
        int second = own + 1000;
        Process standby = start(mesh, second, folder);
        var led = new double[times];
        var ran = new double[times];
        try {
            for (int i = 0; i < times; i++) {
                await(own, "LEADER");
                await(second, "STANDBY");
                long killed = System.nanoTime();
                ProcessHandle.of(mesh.processes().get("placement")).orElseThrow().destroyForcibly();
                Path mark = folder.resolve("job-" + i);
                submit(mesh, folder, mark);
                await(second, "LEADER");
                led[i] = (System.nanoTime() - killed) / 1e6;
                until(() -> Files.exists(mark), "no job ran");
                ran[i] = (System.nanoTime() - killed) / 1e6;
                Files.delete(mark);
                // Back: the supervisor's own has started again, and takes over from ours.
                await(own, "STANDBY");
                standby.destroy();
                standby.waitFor();
                standby = start(mesh, second, folder);
            }
        } finally {
            standby.destroy();
            standby.waitFor();
            Files.deleteIfExists(folder.resolve("second.log"));
            Files.delete(folder);
        }
        RunningMesh.print("killed until a standby leads", led);
        RunningMesh.print("killed until a job runs", ran);
    }

    private static Process start(RunningMesh mesh, int port, Path folder) throws IOException {
        List<String> command = new ArrayList<>(commandLine(mesh.processes().get("placement")));
        command.replaceAll(it -> it.startsWith("-Dquarkus.http.port=") ? "-Dquarkus.http.port=" + port : it);
        return new ProcessBuilder(command).directory(mesh.home().toFile()).redirectErrorStream(true).redirectOutput(folder.resolve("second.log").toFile()).start();
    }

    private static List<String> commandLine(long pid) throws IOException {
        return List.of(Files.readString(Path.of("/proc/" + pid + "/cmdline")).split("\0"));
    }

    private static int port(List<String> command) {
        return command.stream().filter(it -> it.startsWith("-Dquarkus.http.port=")).mapToInt(it -> Integer.parseInt(it.substring(it.indexOf('=') + 1))).findFirst().orElseThrow();
    }

    private static void submit(RunningMesh mesh, Path folder, Path mark) throws Exception {
        String body = "{\"script\":\"#!/bin/sh\\n: > '%s'\\n\",\"name\":\"take-over\",\"workingDirectory\":\"%s\",\"standardOutput\":\"/dev/null\",\"environment\":{\"PATH\":\"/usr/bin:/bin\"}}".formatted(mark, folder);
        var request = HttpRequest.newBuilder(URI.create("http://%s:%d/v1/jobs".formatted(mesh.host(), mesh.port())))
                .header("Authorization", "Bearer " + mesh.token())
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(body, StandardCharsets.UTF_8))
                .build();
        var answer = CLIENT.send(request, BodyHandlers.ofString());
        if (answer.statusCode() != 201) {
            throw new IOException(answer.statusCode() + " " + answer.body());
        }
    }

    private static void await(int port, String role) throws Exception {
        until(() -> role(port).contains("\"" + role + "\""), "port " + port + " did not become " + role);
    }

    private static String role(int port) throws InterruptedException {
        try {
            var request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/q/health/ready")).timeout(Duration.ofSeconds(1)).build();
            return CLIENT.send(request, BodyHandlers.ofString()).body();
        } catch (IOException e) {
            return "";
        }
    }

    private interface Condition {
        boolean holds() throws Exception;
    }

    private static void until(Condition condition, String otherwise) throws Exception {
        long begin = System.nanoTime();
        while (!condition.holds()) {
            if (System.nanoTime() - begin > GIVE_UP_NANOS) {
                throw new IOException(otherwise);
            }
            LockSupport.parkNanos(5_000_000);
        }
    }
}
