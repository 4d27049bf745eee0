package io.berth.agent;

import io.berth.agent.launch.LaunchRefused;
import io.berth.agent.launch.OutputReading;
import io.berth.agent.launch.OutputReading.Found;
import io.berth.agent.launch.Outputs;
import io.berth.contracts.event.OutputRequest;
import io.berth.slurm.session.Frame;
import io.berth.slurm.session.Frame.Channel;
import io.berth.slurm.session.FrameSocket;
import java.io.IOException;
import java.net.URI;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Tells gateways what jobs have written: those that show that they know the job's key, which
/// others are not even answered. To the session that a request names it says `output <offset>`, the
/// bytes from there on and `end`; or `refused <why>`, or `busy <why>` if as many read as may. With
/// `follow` it goes on until the job's run has ended here, or the file begins anew. Of a job that
/// is not known here there is no key, and nothing to be told but that.
final class OutputReplies {

    private static final Logger LOG = LoggerFactory.getLogger(OutputReplies.class);
    private static final long BETWEEN_LOOKS_MILLIS = 500;

    private static final int MOST = 64;

    /// Of these so many are for the jobs of one user.
    private static final int OF_USER = 16;

    /// So many are told at once that they are told nothing. The next are not heard: a gateway gives
    /// up after a while.
    private static final int MOST_REFUSALS = 8;

    /// A gateway that does not go when it was told is left.
    private static final int TOLD_WITHIN_SECONDS = 10;

    private final Map<String, Integer> reading = new HashMap<>();
    private final Semaphore refusals = new Semaphore(MOST_REFUSALS);
    private int all;

    /// Begins to answer.
    void answer(OutputRequest request, NodeAgent agent) {
        try {
            Outputs.Kept wrote = agent.wrote(request.job()).orElse(null);
            if (wrote == null) {
                refuse(request, "refused node %s does not know what job %s wrote");
            } else if (wrote.key() == null) {
                refuse(request, "refused node %s began job %s while its agent was older");
            } else if (request.node().equals(agent.name()) && request.provenBy(wrote.key())) {
                answer(request, wrote, agent);
            } else {
                LOG.atWarn()
                        .addKeyValue("job", request.job())
                        .log("Output was asked for without proof");
            }
        } catch (IOException e) {
            LOG.atWarn().setCause(e).addKeyValue("job", request.job()).log("Output not known");
        }
    }

    private void answer(OutputRequest request, Outputs.Kept wrote, NodeAgent agent) {
        String full = enter(request);
        if (!full.isEmpty()) {
            LOG.atWarn().addKeyValue("job", request.job()).log("Too many ask for output");
            tell(request, "busy " + full);
            return;
        }
        // Not a virtual thread: it waits for a process's output and would hold its carrier.
        Thread.ofPlatform()
                .daemon()
                .name("output-" + request.job())
                .start(() -> {
                    try {
                        serve(request, wrote, agent);
                    } catch (IOException | IllegalArgumentException e) {
                        LOG.atDebug().setCause(e).addKeyValue("job", request.job()).log("Not told");
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    } finally {
                        leave(request.user());
                    }
                });
    }

    /// @return why the request is not answered, if as many read as may
    private synchronized String enter(OutputRequest request) {
        String user = request.user();
        int ofUser = reading.getOrDefault(user, 0);
        if (ofUser >= OF_USER) {
            return "%d already read what %s's jobs wrote on node %s"
                    .formatted(ofUser, user, request.node());
        }
        if (all >= MOST) {
            return "%d already read what jobs wrote on node %s".formatted(all, request.node());
        }
        all++;
        reading.merge(user, 1, Integer::sum);
        return "";
    }

    /// @param why with the node and the job to be put in
    private void refuse(OutputRequest request, String why) {
        tell(request, why.formatted(request.node(), request.job()));
    }

    /// Says one word at the session, and why.
    private void tell(OutputRequest request, String word) {
        if (!refusals.tryAcquire()) {
            return;
        }
        Thread.ofVirtual()
                .start(() -> {
                    try (var socket =
                            FrameSocket.connect(
                                    URI.create(request.session()), request.secret(), _ -> {})) {
                        socket.send(Frame.control(word));
                        socket.closed().get(TOLD_WITHIN_SECONDS, TimeUnit.SECONDS);
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    } catch (IOException
                            | IllegalArgumentException
                            | ExecutionException
                            | TimeoutException e) {
                        LOG.atDebug().setCause(e).addKeyValue("job", request.job()).log("Not told");
                    } finally {
                        refusals.release();
                    }
                });
    }

    private synchronized void leave(String user) {
        all--;
        reading.computeIfPresent(user, (_, count) -> count == 1 ? null : count - 1);
    }

    private static void serve(OutputRequest request, Outputs.Kept wrote, NodeAgent agent)
            throws IOException, InterruptedException {
        URI session = URI.create(request.session());
        try (var socket = FrameSocket.connect(session, request.secret(), _ -> {})) {
            try (OutputReading reading = agent.output(wrote, request.error(), request.offset())) {
                // A job that ends, or a client that goes, while the file's system does not answer.
                var unused = socket.closed().thenRun(reading::close);
                copy(reading, socket, request, agent);
                socket.send(Frame.control("end"));
            } catch (LaunchRefused e) {
                socket.send(Frame.control("refused " + e.getMessage()));
            }
            // It goes when it has taken the last word.
            socket.closed().join();
        }
    }

    private static void copy(
            OutputReading reading, FrameSocket socket, OutputRequest request, NodeAgent agent)
            throws IOException, LaunchRefused, InterruptedException {
        // Seen before the look: what the run wrote until its end is in it.
        boolean runs = request.follow() && agent.runs(request.job());
        Found found = reading.look();
        socket.send(Frame.control("output " + found.from()));
        pass(reading, found, socket);
        while (runs && !isOver(socket)) {
            runs = agent.runs(request.job());
            Found next = reading.look();
            if (next.from() != found.to()) {
                return;
            }
            pass(reading, next, socket);
            found = next;
        }
    }

    private static void pass(OutputReading reading, Found found, FrameSocket socket)
            throws IOException {
        long left = found.to() - found.from();
        while (left > 0) {
            int count = (int) Math.min(left, Frame.MAX_BYTES);
            socket.send(new Frame(Channel.OUTPUT, reading.read(count)));
            left -= count;
        }
    }

    /// Waits a while, or until nobody listens any more.
    private static boolean isOver(FrameSocket socket) throws InterruptedException {
        try {
            socket.closed().get(BETWEEN_LOOKS_MILLIS, TimeUnit.MILLISECONDS);
            return true;
        } catch (TimeoutException e) {
            return false;
        } catch (ExecutionException e) {
            return true;
        }
    }
}
