package io.berth.agent;

import io.berth.agent.launch.LaunchRefused;
import io.berth.contracts.event.StepRequest;
import io.berth.slurm.session.Frame;
import io.berth.slurm.session.FrameSocket;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Starts steps in runs as gateways ask: those that show that they know the job's key, which others
/// are not even answered. A job is told to run when it has its nodes, a moment before its code may
/// begin: such a run is waited for. Why a step cannot start is said at its session: `refused
/// <why>`.
final class StepStarts {

    private static final Logger LOG = LoggerFactory.getLogger(StepStarts.class);

    /// Asked for at a time; the next are not heard: who asks gives up after half a minute.
    private static final int MOST = 256;

    /// Started at once.
    private static final int MOST_STARTING = 16;

    /// In which a run has begun, and the step its turn.
    private static final Duration BEGUN_WITHIN = Duration.ofSeconds(20);

    /// A gateway that does not go when it was told is left.
    private static final int TOLD_WITHIN_SECONDS = 10;

    private final Semaphore heard = new Semaphore(MOST);
    private final Semaphore places = new Semaphore(MOST_STARTING);

    /// Begins to start one.
    void start(StepRequest request, NodeAgent agent) {
        if (!heard.tryAcquire()) {
            LOG.atWarn().addKeyValue("run", request.run()).log("Too many steps are asked for");
            return;
        }
        Thread.ofVirtual()
                .name("step-" + request.run())
                .start(() -> {
                    try {
                        long due = System.nanoTime() + BEGUN_WITHIN.toNanos();
                        RunPart part = agent.awaitBegun(request.run(), due).orElse(null);
                        if (part != null) {
                            serve(request, part, due);
                        }
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    } finally {
                        heard.release();
                    }
                });
    }

    /// Not in a virtual thread: to start a process may hold its carrier.
    private void serve(StepRequest request, RunPart part, long due) throws InterruptedException {
        if (!places.tryAcquire(due - System.nanoTime(), TimeUnit.NANOSECONDS)) {
            LOG.atWarn().addKeyValue("run", request.run()).log("Too many steps are started");
            return;
        }
        try {
            Thread.ofPlatform()
                    .daemon()
                    .name("step-" + request.run())
                    .start(() -> started(request, part))
                    .join();
        } finally {
            places.release();
        }
    }

    private static void started(StepRequest request, RunPart part) {
        try {
            try {
                part.startStep(request);
            } catch (LaunchRefused e) {
                refuse(request, String.valueOf(e.getMessage()));
            }
        } catch (IOException | IllegalArgumentException e) {
            LOG.atWarn().setCause(e).addKeyValue("run", request.run()).log("Step not started");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
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
