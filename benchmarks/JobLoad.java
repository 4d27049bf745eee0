import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.regex.Pattern;

/// Measures how many jobs that do nothing (`true`, one CPU) a mesh that is up and idle brings from submission to their end a second. They are submitted as one array.
///
/// `java benchmarks/JobLoad.java [jobs]`, default 1000, at most 1000. The clock runs from the request until placement counts them as ended; "steady" is between a fifth and four fifths of them.
class JobLoad {

    private static final HttpClient CLIENT = HttpClient.newHttpClient();
    private static final Pattern COMPLETED = Pattern.compile("berth_agent_ends_total\\{cause=\"exited\"\\} ([0-9.E]+)");

    public static void main(String[] arguments) throws Exception {
        int jobs = arguments.length == 0 ? 1000 : Integer.parseInt(arguments[0]);
        var mesh = RunningMesh.find();
        String agent = "http://127.0.0.1:" + (mesh.port() + 4) + "/q/metrics";
        double before = ended(agent);
        long begin = System.nanoTime();
        submit(mesh, jobs);
        double[] fifth = {0, 0};
        double[] last = {0, 0};
        for (double done = 0; done < jobs; ) {
            // Not often: to be asked for its metrics costs the agent some milliseconds.
            Thread.sleep(250);
            done = ended(agent) - before;
            double[] now = {done, (System.nanoTime() - begin) / 1e9};
            fifth = fifth[0] == 0 && done >= jobs / 5.0 ? now : fifth;
            last = done <= jobs * 4 / 5.0 ? now : last;
        }
        double seconds = (System.nanoTime() - begin) / 1e9;
        System.out.printf("%d jobs in %.1f s: %.0f a second, steady %.0f a second%n", jobs, seconds, jobs / seconds, (last[0] - fifth[0]) / (last[1] - fifth[1]));
    }

    private static double ended(String agent) throws Exception {
        var answer = CLIENT.send(HttpRequest.newBuilder(URI.create(agent)).build(), BodyHandlers.ofString());
        var count = COMPLETED.matcher(answer.body());
        return count.find() ? Double.parseDouble(count.group(1)) : 0;
    }

    private static void submit(RunningMesh mesh, int jobs) throws Exception {
        String body = "{\"script\":\"#!/bin/sh\\ntrue\\n\",\"name\":\"nothing\",\"workingDirectory\":\"%s\",\"standardOutput\":\"/dev/null\",\"environment\":{\"PATH\":\"/usr/bin:/bin\"},\"terms\":{\"array\":\"0-%d\"}}"
                .formatted(Path.of("/tmp"), jobs - 1);
        var request = HttpRequest.newBuilder(URI.create("http://%s:%d/v1/jobs".formatted(mesh.host(), mesh.port())))
                .header("Authorization", "Bearer " + mesh.token())
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(body))
                .build();
        var answer = CLIENT.send(request, BodyHandlers.ofString());
        if (answer.statusCode() != 201) {
            throw new IOException(answer.statusCode() + " " + answer.body());
        }
    }
}
