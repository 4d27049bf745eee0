package io.berth.cli;

import io.berth.client.JsonObject;
import io.berth.slurm.session.Frame;
import io.berth.slurm.session.FrameLink.Receiver;
import io.berth.slurm.session.LastingLink;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A place in a job that runs, to which the gateway has its first node bring a process. Each end
/// comes there once; this one tells the other where both meet again when they lose it.
///
/// @param again null if the gateway is of a version that names none: the run ends with its
///   connection
record JoinedSession(InteractiveSession first, @Nullable InteractiveSession again) {

    /// @param opened what the gateway told of it
    static JoinedSession of(MeshClient client, JsonObject opened) {
        JsonObject again = opened.object("again");
        return new JoinedSession(
                InteractiveSession.of(client, opened),
                again.text("userPath").isEmpty() ? null : InteractiveSession.of(client, again));
    }

    /// Comes there.
    LastingLink connect(MeshClient client, Receiver receiver) throws IOException {
        return LastingLink.user(
                first.place(), () -> again(client), LastingLink.OF_TERMINAL, receiver);
    }

    private LastingLink.Place again(MeshClient client) throws IOException {
        if (again == null) {
            throw new LastingLink.Over(
                    "the gateway is of a version that does not take it up again");
        }
        return again.again(client);
    }

    /// What tells the other end what to run.
    ///
    /// @param size rows and columns of the command's terminal; empty is without one
    Frame step(String size, List<String> command) {
        return again == null
                ? Frame.step("", "", size, command)
                : Frame.step(again.jobUrl(), again.jobSecret(), size, command);
    }
}
