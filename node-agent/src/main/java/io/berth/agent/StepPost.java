package io.berth.agent;

import io.berth.agent.launch.RunFiles;
import io.berth.agent.launch.StepPlace;
import io.berth.contracts.event.Order.Launch;
import io.berth.slurm.session.Frame;
import io.berth.slurm.session.FrameSocket;
import java.io.IOException;
import java.net.URI;
import java.util.List;
import java.util.concurrent.ExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The agent's end at the gateway for a run's part on a node where its script does not run: told
/// there that a step wants a process here, it has the task that holds the group open start one.
/// That process goes to the gateway by itself; an agent may come and go under it.
final class StepPost implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(StepPost.class);
    private static final long FIRST_PAUSE_MILLIS = 200;
    private static final long LONGEST_PAUSE_MILLIS = 30_000;

    private final Launch launch;
    private final RunFiles files;
    private final Thread thread;

    /// Comes to where the run's folder says, if it does, and stays there until it is closed.
    StepPost(Launch launch, RunFiles files) throws IOException {
        this.launch = launch;
        this.files = files;
        StepPlace place = files.kept(StepPlace.NAME, StepPlace.class).orElse(null);
        Thread.Builder builder = Thread.ofVirtual().name("steps-" + launch.run());
        this.thread =
                place == null ? builder.unstarted(() -> {}) : builder.start(() -> stay(place));
    }

    private void stay(StepPlace place) {
        var address =
                URI.create(
                        place.gateway()
                                + "/v1/steps/%s/%s"
                                        .formatted(launch.run().job(), launch.here().node()));
        long pause = FIRST_PAUSE_MILLIS;
        try {
            while (true) {
                try (var socket = FrameSocket.connect(address, place.secret(), this::take)) {
                    pause = FIRST_PAUSE_MILLIS;
                    socket.closed().get();
                } catch (IOException | ExecutionException e) {
                    LOG.atDebug().setCause(e).addKeyValue("run", launch.run()).log("No gateway");
                }
                Thread.sleep(pause);
                pause = Math.min(2 * pause, LONGEST_PAUSE_MILLIS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void take(Frame frame) {
        try {
            List<String> words = frame.stepWords();
            // They become words of a shell's input.
            if (words.get(0).matches("/[A-Za-z0-9/_-]+")
                    && words.get(1).matches("[A-Za-z0-9_-]+")) {
                files.say("step %s %s".formatted(words.get(0), words.get(1)));
            }
        } catch (IllegalArgumentException | IOException e) {
            LOG.atWarn().setCause(e).addKeyValue("run", launch.run()).log("Step not started");
        }
    }

    @Override
    public void close() {
        thread.interrupt();
    }
}
