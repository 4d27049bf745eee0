package io.berth.agent.session;

import io.berth.slurm.session.Frame;
import io.berth.slurm.session.FrameSocket;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.LinkedBlockingQueue;

/// The end of a run that has begun without one: `berth-session --told` is told at the session of
/// `BERTH_PART_URL` and `BERTH_PART_SECRET` by a `step` message what to run, and runs it as
/// [JobEnd] does, with the job's variables and in its directory.
final class ToldEnd {

    private ToldEnd() {}

    /// @param own the variables of the job on this node
    /// @return the command's exit code
    static int run(Map<String, String> own) throws IOException, InterruptedException {
        var variables = new TreeMap<>(own);
        URI session = URI.create(String.valueOf(variables.remove("BERTH_PART_URL")));
        String secret = String.valueOf(variables.remove("BERTH_PART_SECRET"));
        var frames = new LinkedBlockingQueue<Frame>();
        try (var socket = FrameSocket.connect(session, secret, frames::add)) {
            // The session is this one already: its name is empty.
            List<String> words = StepPart.next(frames, socket.closed()).stepWords();
            String size = words.get(2);
            Terminal terminal = size.isEmpty() ? null : Terminal.of(size);
            ProcessBuilder builder =
                    JobEnd.process(words.subList(3, words.size()), terminal, variables);
            builder.command(StepRun.reachable(builder.command()));
            Path directory = Path.of(own.getOrDefault("SLURM_SUBMIT_DIR", "/tmp"));
            builder.directory(
                    (Files.isDirectory(directory) ? directory : Path.of("/tmp")).toFile());
            return JobEnd.serve(
                    builder, terminal, frames, socket, own.getOrDefault("SLURMD_NODENAME", "?"));
        }
    }
}
