package io.berth.agent.session;

import io.berth.slurm.session.Frame;
import io.berth.slurm.session.Frame.Channel;
import io.berth.slurm.session.LastingLink;
import java.io.IOException;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;

/// The job's end of an allocation: it waits, and starts the steps that it is told to, each with its
/// streams at a session of its own. It ends when it is told to, or the one who holds the allocation
/// is gone; what still runs then ends with the job.
final class AllocationEnd {
    private static final int GONE = 143;

    private static final Set<String> OF_HERE =
            Set.of(
                    "SLURM_CPUS_ON_NODE",
                    "SLURM_GPUS_ON_NODE",
                    "SLURM_GTIDS",
                    "SLURM_LOCALID",
                    "SLURM_NODEID",
                    "SLURM_PROCID",
                    "SLURM_SHARDS_ON_NODE",
                    "SLURM_SUBMIT_DIR",
                    "SLURM_TASK_PID",
                    "SLURM_TOPOLOGY_ADDR",
                    "SLURM_TOPOLOGY_ADDR_PATTERN");

    private final Map<String, String> environment;
    private final CompletableFuture<Integer> code = new CompletableFuture<>();

    AllocationEnd(Map<String, String> environment) {
        this.environment = environment;
    }

    /// Waits for the end.
    ///
    /// @return the exit code
    int run(URI session, String secret) throws IOException {
        try (var socket =
                LastingLink.running(session, secret, LastingLink.OF_TERMINAL, this::take)) {
            socket.send(Frame.variables(ofJob(environment)));
            socket.send(
                    Frame.control("started " + environment.getOrDefault("SLURMD_NODENAME", "?")));
            var unused = socket.closed().thenRun(() -> code.complete(GONE));
            int ended = code.join();
            if (ended == 0) {
                socket.send(Frame.control("exit 0"));
            }
            return ended;
        }
    }

    /// Slurm's variables of the job, without those of this process and its node.
    static Map<String, String> ofJob(Map<String, String> environment) {
        var variables = new TreeMap<String, String>();
        environment.forEach((name, value) -> {
            if (name.startsWith("SLURM_")
                    && !name.startsWith("SLURM_STEP")
                    && !OF_HERE.contains(name)) {
                variables.put(name, value);
            }
        });
        return variables;
    }

    private void take(Frame frame) {
        if (frame.channel() == Channel.CONTROL) {
            switch (frame.words().getFirst()) {
                case "end" -> code.complete(0);
                case "step" -> Thread.ofVirtual().start(() -> step(frame.stepWords()));
                default -> {
                    // A newer end says more.
                }
            }
        }
    }

    private void step(List<String> words) {
        var variables = new TreeMap<>(environment);
        variables.put("BERTH_SESSION_URL", words.get(0));
        variables.put("BERTH_SESSION_SECRET", words.get(1));
        if (!words.get(2).isEmpty()) {
            variables.put("BERTH_SESSION_SIZE", words.get(2));
        }
        try {
            var unused = JobEnd.run(words.subList(3, words.size()), variables);
        } catch (IOException e) {
            // The one who asked is gone, or told by the end of his session.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
