package io.berth.agent;

import io.berth.agent.launch.LaunchRefused;
import io.berth.contracts.event.StepRequest;
import io.berth.slurm.session.Frame;
import io.berth.slurm.session.FrameSocket;
import java.io.IOException;
import java.net.URI;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Starts steps in runs as gateways ask: those that show that they know the job's key, which others
/// are not even answered. Why a step cannot start is said at its session: `refused <why>`.
final class StepStarts {

    private static final Logger LOG = LoggerFactory.getLogger(StepStarts.class);

    /// At once; the next are not heard: who asks gives up after a while.
    private static final int MOST = 16;

    /// A gateway that does not go when it was told is left.
    private static final int TOLD_WITHIN_SECONDS = 10;

    private final Semaphore places = new Semaphore(MOST);

    /// Begins to start one.
    void start(StepRequest request, NodeAgent agent) {
        if (!places.tryAcquire()) {
            LOG.atWarn().addKeyValue("run", request.run()).log("Too many steps are asked for");
            return;
        }
        // Not a virtual thread: to start a process may hold its carrier.
        Thread.ofPlatform()
                .daemon()
                .name("step-" + request.run())
                .start(() -> {
                    try {
                        serve(request, agent);
                    } catch (IOException | IllegalArgumentException e) {
                        LOG.atWarn()
                                .setCause(e)
                                .addKeyValue("run", request.run())
                                .log("Step not started");
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    } finally {
                        places.release();
                    }
                });
    }

    private static void serve(StepRequest request, NodeAgent agent)
            throws IOException, InterruptedException {
        try {
            agent.startStep(request);
        } catch (LaunchRefused e) {
            refuse(request, String.valueOf(e.getMessage()));
        }
    }

    private static void refuse(StepRequest request, String why)
            throws IOException, InterruptedException {
        URI session = URI.create(request.session());
        try (var socket = FrameSocket.connect(session, request.secret(), _ -> {})) {
            socket.send(Frame.control("refused " + why));
            socket.closed().get(TOLD_WITHIN_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException e) {
            LOG.atDebug().setCause(e).addKeyValue("run", request.run()).log("Not told");
        }
    }
}
