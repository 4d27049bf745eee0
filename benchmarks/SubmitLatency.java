import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Arrays;

/// Measures, on a mesh that is up and idle, how long it takes from sending a submission until the gateway has answered, and until the first line of the job's code runs. Jobs go one after the other, each after a pause in which the mesh brings the one before
/// to its end and is idle.
///
/// `java benchmarks/SubmitLatency.java [jobs [pause]]`, default 200 and 300 ms, with BERTH_HOME as for `berth up`. The first tenth warms up and is not counted.
class SubmitLatency {

    private static final long GIVE_UP_MILLIS = 30_000;

    public static void main(String[] arguments) throws Exception {
        int jobs = arguments.length == 0 ? 200 : Integer.parseInt(arguments[0]);
        long pause = arguments.length < 2 ? 300 : Long.parseLong(arguments[1]);
        RunningMesh mesh = RunningMesh.find();
        Path folder = Files.createTempDirectory("berth-latency");
        var answered = new double[jobs];
        var started = new double[jobs];
        try (var connection = new Socket(mesh.host(), mesh.port())) {
            connection.setTcpNoDelay(true);
            InputStream answers = new BufferedInputStream(connection.getInputStream());
            for (int i = 0; i < jobs; i++) {
                Path mark = folder.resolve("job-" + i);
                byte[] request = mesh.submission(folder, job(mark));
                long before = epochNanos();
                connection.getOutputStream().write(request);
                String answer = answer(answers);
                answered[i] = (epochNanos() - before) / 1e6;
                if (!answer.startsWith("HTTP/1.1 201 ")) {
                    throw new IOException(answer);
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
        RunningMesh.print("submission acknowledged", Arrays.copyOfRange(answered, jobs / 10, jobs));
        RunningMesh.print("first line of the job's code", Arrays.copyOfRange(started, jobs / 10, jobs));
    }

    private static String job(Path mark) {
        String script = "#!/bin/sh\\ndate +%s%N > '" + mark + ".new' && mv '" + mark + ".new' '" + mark + "'\\n";
        return "\"script\":\"" + script + "\",\"name\":\"latency\"";
    }

    /// Reads an answer of which the length is told.
    private static String answer(InputStream from) throws IOException {
        var text = new StringBuilder();
        int left = 0;
        while (!text.toString().endsWith("\r\n\r\n")) {
            int next = from.read();
            if (next < 0) {
                throw new IOException("no answer: " + text);
            }
            text.append((char) next);
        }
        for (String line : text.toString().split("\r\n")) {
            if (line.toLowerCase().startsWith("content-length:")) {
                left = Integer.parseInt(line.substring(line.indexOf(':') + 1).strip());
            }
        }
        return text + new String(from.readNBytes(left), StandardCharsets.UTF_8);
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
}
