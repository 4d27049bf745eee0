package io.berth.cli;

import io.berth.cli.MeshClient.NoAnswer;
import io.berth.cli.SubmissionPost.Voice;
import io.berth.client.Answer;
import io.berth.client.JsonObject;
import io.berth.client.JsonText;
import io.berth.slurm.session.FrameLink.Receiver;
import io.berth.slurm.session.LastingLink;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// A place at the gateway where this command and a process of a job meet.
///
/// @param address where this command comes
/// @param jobUrl where the process comes
record InteractiveSession(
        URI address, String path, String userSecret, String jobUrl, String jobSecret) {

    /// A job's end is waited for so long by one who looks at the job meanwhile.
    static final Duration WHILE_THE_JOB_IS_THERE = Duration.ofDays(10_000);

    /// Opens one; a gateway that is away is waited for.
    ///
    /// @throws CommandFailure if it opens none
    static InteractiveSession open(Terminal terminal, MeshClient client, Voice voice)
            throws CommandFailure {
        Answer answer = opened(terminal, client, voice);
        if (!answer.ok()) {
            throw CommandFailure.error(voice.command(), voice.failed() + answer.detail());
        }
        JsonObject session = answer.body();
        String path = session.text("userPath");
        return new InteractiveSession(
                address(client, path),
                path,
                session.text("userSecret"),
                session.text("jobUrl"),
                session.text("jobSecret"));
    }

    private static Answer opened(Terminal terminal, MeshClient client, Voice voice)
            throws CommandFailure {
        var retries = new Retries(terminal, voice.command());
        while (true) {
            try {
                Answer answer = client.send("POST", "/v1/sessions", "{}", List.of());
                if (answer.status() != HttpURLConnection.HTTP_UNAVAILABLE
                        || !retries.again(answer.detail())) {
                    return answer;
                }
            } catch (NoAnswer e) {
                if (!retries.again(String.valueOf(e.getMessage()))) {
                    throw CommandFailure.error(voice.command(), e.hint());
                }
            }
        }
    }

    /// Comes to it as an end that outlives its connections: it is opened again when one is lost.
    ///
    /// @param other how long a job's end is waited for that does not come again
    LastingLink connect(MeshClient client, Duration other, Receiver receiver) throws IOException {
        return LastingLink.user(address, userSecret, () -> open(client), other, receiver);
    }

    private void open(MeshClient client) throws IOException {
        try {
            Answer answer =
                    client.send(
                            "PUT",
                            path,
                            JsonText.compact(
                                    Map.of("userSecret", userSecret, "jobSecret", jobSecret)),
                            List.of());
            if (answer.ok()) {
                return;
            }
            throw answer.status() / 100 == 4 && !answer.unavailable()
                    ? new LastingLink.Over(answer.detail())
                    : new IOException(answer.detail());
        } catch (NoAnswer e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    /// One that the gateway opened in a job that runs: the process is on its way already.
    ///
    /// @param opened what the gateway told of it
    static InteractiveSession in(MeshClient client, JsonObject opened) {
        String path = opened.text("userPath");
        return new InteractiveSession(
                address(client, path), path, opened.text("userSecret"), "", "");
    }

    private static URI address(MeshClient client, String path) {
        return URI.create(client.mesh().gateway().replaceFirst("^http", "ws") + path);
    }

    /// By which the process finds it.
    Map<String, String> variables() {
        return new TreeMap<>(
                Map.of("BERTH_SESSION_URL", jobUrl, "BERTH_SESSION_SECRET", jobSecret));
    }
}
