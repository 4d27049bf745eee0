package io.berth.agent.session;

import io.berth.slurm.session.FrameSocket;
import io.berth.slurm.session.FrameSocket.Receiver;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpClient.Version;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The gateway, as a job finds it that starts a step on others of its nodes.
///
/// @param address `ws://host:port`
record StepGateway(URI address, String secret, String job) {

    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final Duration REQUEST = Duration.ofSeconds(10);
    private static final long AGAIN_MILLIS = 100;
    private static final int CREATED = 201;
    private static final Pattern ANSWER =
            Pattern.compile("\\{\"path\":\"([^\"]+)\",\"secret\":\"([^\"]+)\"}");

    /// @param environment the job's
    static StepGateway of(Map<String, String> environment) {
        return new StepGateway(
                URI.create(environment.getOrDefault("BERTH_STEP_GATEWAY", "")),
                environment.getOrDefault("BERTH_STEP_SECRET", ""),
                environment.getOrDefault("SLURM_JOB_ID", ""));
    }

    /// Has a process on a node of the job come to a session, and comes there too. A node whose
    /// agent has not come to the gateway yet is waited for.
    ///
    /// @throws IOException if there is no such process in time
    FrameSocket connect(String node, Receiver receiver) throws IOException, InterruptedException {
        URI post =
                URI.create(
                        address.toString().replaceFirst("^ws", "http")
                                + "/v1/steps/%s/%s".formatted(job, node));
        long due = System.nanoTime() + PATIENCE.toNanos();
        try (HttpClient client = HttpClient.newBuilder().version(Version.HTTP_1_1).build()) {
            while (true) {
                String answer = ask(client, post);
                Matcher session = ANSWER.matcher(answer);
                if (session.matches()) {
                    return FrameSocket.connect(
                            address.resolve(session.group(1)), session.group(2), receiver);
                }
                if (System.nanoTime() > due) {
                    throw new IOException("its agent is not at the gateway: " + answer);
                }
                Thread.sleep(AGAIN_MILLIS);
            }
        }
    }

    /// The session, or why there is none.
    private String ask(HttpClient client, URI post) throws InterruptedException {
        try {
            HttpResponse<String> answer = client.send(request(post), BodyHandlers.ofString());
            return answer.statusCode() == CREATED
                    ? answer.body()
                    : "HTTP status " + answer.statusCode();
        } catch (IOException e) {
            return String.valueOf(e);
        }
    }

    private HttpRequest request(URI post) {
        return HttpRequest.newBuilder(post)
                .timeout(REQUEST)
                .header("Authorization", "Bearer " + secret)
                .POST(BodyPublishers.noBody())
                .build();
    }
}
