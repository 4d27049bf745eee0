package io.berth.agent.session;

import io.berth.slurm.session.Frame;
import io.berth.slurm.session.Frame.Channel;
import io.berth.slurm.session.LastingLink;
import io.berth.slurm.session.LastingLink.Over;
import io.berth.slurm.session.LastingLink.Place;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.Nullable;

/// The end of a run that has begun without one: `berth-session --told` is told at the session of
/// `BERTH_PART_URL` and `BERTH_PART_SECRET` by a `step` message what to run, and runs it as
/// [JobEnd] does, with the job's variables and in its directory.
///
/// It comes to that session once, for who has seen the request for it can repeat that. The message
/// tells at which session the ends meet when they lose the first, too.
final class ToldEnd {

    private final BlockingQueue<Frame> frames = new LinkedBlockingQueue<>();
    private volatile @Nullable Place again;

    private ToldEnd() {}

    /// @param own the variables of the job on this node
    /// @return the command's exit code
    static int run(Map<String, String> own) throws IOException, InterruptedException {
        var variables = new TreeMap<>(own);
        URI session = URI.create(String.valueOf(variables.remove("BERTH_PART_URL")));
        String secret = String.valueOf(variables.remove("BERTH_PART_SECRET"));
        return new ToldEnd().run(new Place(session, secret), variables);
    }

    private int run(Place session, Map<String, String> variables)
            throws IOException, InterruptedException {
        try (var socket =
                LastingLink.told(session, this::again, LastingLink.OF_TERMINAL, this::take)) {
            List<String> words = StepPart.next(frames, socket.closed()).stepWords();
            String size = words.get(2);
            Terminal terminal = size.isEmpty() ? null : Terminal.of(size);
            ProcessBuilder builder =
                    JobEnd.process(words.subList(3, words.size()), terminal, variables);
            builder.command(StepRun.reachable(builder.command()));
            Path directory = Path.of(variables.getOrDefault("SLURM_SUBMIT_DIR", "/tmp"));
            builder.directory(
                    (Files.isDirectory(directory) ? directory : Path.of("/tmp")).toFile());
            return JobEnd.serve(
                    builder,
                    terminal,
                    frames,
                    socket,
                    variables.getOrDefault("SLURMD_NODENAME", "?"));
        }
    }

    private void take(Frame frame) {
        if (again == null
                && frame.channel() == Channel.CONTROL
                && frame.words().getFirst().equals("step")) {
            List<String> words = frame.stepWords();
            // An older srun names none, and does not come again either.
            again = new Place(URI.create(words.get(0)), words.get(1));
        }
        frames.add(frame);
    }

    private Place again() throws Over {
        Place known = again;
        if (known == null) {
            throw new Over("the other end was gone before it had told what to run");
        }
        return known;
    }
}
