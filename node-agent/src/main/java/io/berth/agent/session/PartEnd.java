package io.berth.agent.session;

import io.berth.slurm.session.Frame;
import io.berth.slurm.session.Frame.Channel;
import io.berth.slurm.session.LastingLink;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.LinkedBlockingQueue;

/// A node's end of a step that was started on another node of its job: `berth-session --part` is
/// told at the session of `BERTH_PART_URL` and `BERTH_PART_SECRET` what to run, and runs it as
/// [JobEnd] does. What is the node's own stays as it is here: its GPUs, its name, its folders.
final class PartEnd {

    /// The variable with the rows and columns of the terminal that the command is to have, if it is
    /// to have one. The command does not find it.
    static final String SIZE = "BERTH_SESSION_SIZE";

    /// Variables that are not taken from where the step was started.
    private static final List<String> OF_THE_NODE =
            List.of(
                    "BERTH_CHECKPOINT_FILE",
                    "BERTH_GPUS",
                    "BERTH_GPU_CPUS",
                    "BERTH_GPU_TYPES",
                    "BERTH_GPU_VARIABLES",
                    "BERTH_NOTICE_FILE",
                    "BERTH_SIMULATED_GPUS",
                    "BERTH_STEPS",
                    "CUDA_VISIBLE_DEVICES",
                    "NVIDIA_VISIBLE_DEVICES",
                    "ROCR_VISIBLE_DEVICES",
                    "SLURMD_NODENAME",
                    "SLURM_CPUS_ON_NODE",
                    "SLURM_GPUS_ON_NODE",
                    "SLURM_GPUS_PER_NODE",
                    "SLURM_JOB_GPUS",
                    "SLURM_MEM_PER_NODE");

    private PartEnd() {}

    /// @param own the variables of the job on this node
    /// @return the command's exit code
    static int run(Map<String, String> own) throws IOException, InterruptedException {
        var frames = new LinkedBlockingQueue<Frame>();
        URI session = URI.create(own.getOrDefault("BERTH_PART_URL", ""));
        String secret = own.getOrDefault("BERTH_PART_SECRET", "");
        try (var socket = LastingLink.running(session, secret, LastingLink.OF_STEP, frames::add)) {
            StepPart part = StepPart.read(frames, socket.closed());
            String size = part.environment().get(SIZE);
            Terminal terminal = size == null ? null : Terminal.of(size);
            ProcessBuilder builder =
                    JobEnd.process(part.command(), terminal, environment(part.environment(), own));
            builder.command(StepRun.reachable(builder.command()));
            Path directory = Path.of(part.directory());
            if (!Files.isDirectory(directory)) {
                socket.send(
                        new Frame(
                                Channel.ERROR,
                                "srun: error: %s: couldn't chdir to %s: going to /tmp instead\n"
                                        .formatted(own.get("SLURMD_NODENAME"), directory)
                                        .getBytes(StandardCharsets.UTF_8)));
                directory = Path.of("/tmp");
            }
            builder.directory(directory.toFile());
            return JobEnd.serve(
                    builder, terminal, frames, socket, own.getOrDefault("SLURMD_NODENAME", "?"));
        }
    }

    /// The variables of the step here.
    static Map<String, String> environment(Map<String, String> given, Map<String, String> own) {
        var variables = new TreeMap<>(given);
        for (String name : OF_THE_NODE) {
            String value = own.get(name);
            if (value == null) {
                variables.remove(name);
            } else {
                variables.put(name, value);
            }
        }
        // Commands of jobs come first, from where they are here.
        String path = own.getOrDefault("PATH", "");
        variables.merge("PATH", path, (theirs, _) -> path.replaceFirst(":.*", "") + ":" + theirs);
        return variables;
    }
}
