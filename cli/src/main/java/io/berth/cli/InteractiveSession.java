package io.berth.cli;

import io.berth.cli.SubmissionPost.Voice;
import io.berth.client.Answer;
import io.berth.client.JsonObject;
import java.net.URI;
import java.util.Map;
import java.util.TreeMap;

/// A place at the gateway where this command and a process of a job meet.
///
/// @param address where this command comes
/// @param jobUrl where the process comes
record InteractiveSession(
        URI address, String path, String userSecret, String jobUrl, String jobSecret) {

    /// @throws CommandFailure if the gateway opens none
    static InteractiveSession open(MeshClient client, Voice voice) throws CommandFailure {
        Answer answer = client.ask("POST", "/v1/sessions", "{}");
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
