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
        return of(client, answer.body());
    }

    /// @param session what the gateway told of it
    static InteractiveSession of(MeshClient client, JsonObject session) {
        String path = session.text("userPath");
        return new InteractiveSession(
                client.socket(path),
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
        return LastingLink.user(place(), () -> again(client), other, receiver);
    }

    LastingLink.Place place() {
        return new LastingLink.Place(address, userSecret);
    }

    /// Opens it again, or for the first time where the gateway has only named it.
    ///
    /// @return where this command comes
    LastingLink.Place again(MeshClient client) throws IOException {
        try {
            Answer answer =
                    client.send(
                            "PUT",
                            path,
                            JsonText.compact(
                                    Map.of("userSecret", userSecret, "jobSecret", jobSecret)),
                            List.of());
            if (answer.ok()) {
                return place();
            }
            throw answer.status() / 100 == 4 && !answer.unavailable()
                    ? new LastingLink.Over(answer.detail())
                    : new IOException(answer.detail());
        } catch (NoAnswer e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    /// By which the process finds it.
    Map<String, String> variables() {
        return new TreeMap<>(
                Map.of("BERTH_SESSION_URL", jobUrl, "BERTH_SESSION_SECRET", jobSecret));
    }
}
