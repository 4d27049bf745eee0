package io.berth.agent.session;

import io.berth.slurm.session.FrameLink;
import io.berth.slurm.session.FrameLink.Receiver;
import io.berth.slurm.session.LastingLink;
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

    /// For the agent, from when the gateway is there.
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    /// For the gateway.
    private static final Duration AWAY = Duration.ofHours(1);

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

    /// Has a process on a node of the job come to a session, and comes there too. A gateway that is
    /// away is waited for, and so is a node whose agent has not come to it yet.
    ///
    /// @throws IOException if there is no such process in time
    FrameLink connect(String node, Receiver receiver) throws IOException, InterruptedException {
        URI post =
                URI.create(
                        address.toString().replaceFirst("^ws", "http")
                                + "/v1/steps/%s/%s".formatted(job, node));
        long begun = System.nanoTime();
        long there = begun;
        try (HttpClient client = HttpClient.newBuilder().version(Version.HTTP_1_1).build()) {
            while (true) {
                String answer;
                try {
                    answer = ask(client, post);
                } catch (IOException e) {
                    answer = String.valueOf(e);
                    there = System.nanoTime();
                }
                Matcher session = ANSWER.matcher(answer);
                if (session.matches()) {
                    try {
                        return LastingLink.starting(
                                address.resolve(session.group(1)), session.group(2), receiver);
                    } catch (IOException e) {
                        answer = String.valueOf(e);
                    }
                }
                if (isOver(there, PATIENCE) || isOver(begun, AWAY)) {
                    throw new IOException("its agent is not at the gateway: " + answer);
                }
                Thread.sleep(AGAIN_MILLIS);
            }
        }
    }

    private static boolean isOver(long since, Duration patience) {
        return System.nanoTime() - since > patience.toNanos();
    }

    /// The session, or why there is none.
    ///
    /// @throws IOException if the gateway does not answer
    private String ask(HttpClient client, URI post) throws IOException, InterruptedException {
        HttpResponse<String> answer = client.send(request(post), BodyHandlers.ofString());
        return answer.statusCode() == CREATED
                ? answer.body()
                : "HTTP status " + answer.statusCode();
    }

    private HttpRequest request(URI post) {
        return HttpRequest.newBuilder(post)
                .timeout(REQUEST)
                .header("Authorization", "Bearer " + secret)
                .POST(BodyPublishers.noBody())
                .build();
    }
}
