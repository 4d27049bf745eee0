package io.berth.agent.session;

import io.berth.agent.host.LiveProcess;
import io.berth.slurm.session.Frame;
import io.berth.slurm.session.Frame.Channel;
import io.berth.slurm.session.FrameLink;
import io.berth.slurm.session.LastingLink;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// The job's end of an interactive run: `berth-session COMMAND …` runs a command whose streams are
/// at the other end of the gateway's session that `BERTH_SESSION_URL` and `BERTH_SESSION_SECRET`
/// name, and ends with its exit code. With `BERTH_SESSION_SIZE` (rows and columns) the command has
/// a terminal. When the other end goes, the command is ended; a gateway that is away is waited for.
/// `berth-session --allocation` runs those commands that the other end asks for: see
/// [AllocationEnd]; `--told`, in a job that was not submitted for that, a single one: see
/// [ToldEnd]. `--step` and `--part` are the two ends of a step over several nodes: see [StepRun]
/// and [PartEnd]; `--bcast` is `sbcast`: see [Broadcast].
///
/// It is run by the job's script, or by the node's agent, as the job's user and within the job's
/// limits.
public final class JobEnd {

    /// The first argument of the agent's own executable that makes it this command.
    public static final String WORD = "session";

    private static final int GONE = 143;
    private static final long GRACE_SECONDS = 5;

    /// How long output is waited for that a process in the background may still write.
    private static final long LAST_WORDS_MILLIS = 1000;

    /// After so many bytes of input the other end is told that they were taken.
    private static final int TELL_BYTES = 64 << 10;

    private final BlockingQueue<Frame> input = new LinkedBlockingQueue<>();
    private final @Nullable Terminal terminal;
    private final Process process;

    private JobEnd(Process process, @Nullable Terminal terminal) {
        this.process = process;
        this.terminal = terminal;
    }

    public static void main(String[] command) throws Exception {
        System.exit(run(List.of(command), System.getenv()));
    }

    /// The same, by the agent's own executable: each word stands behind a sign.
    public static void main(List<String> words) throws Exception {
        main(words.stream().map(it -> it.substring(1)).toArray(String[]::new));
    }

    /// Runs the command to its end.
    ///
    /// @return the exit code
    static int run(List<String> command, Map<String, String> environment)
            throws IOException, InterruptedException {
        return run(command, environment, LastingLink.OF_TERMINAL);
    }

    /// @param patience with the user's end, when that does not come again
    static int run(List<String> command, Map<String, String> environment, Duration patience)
            throws IOException, InterruptedException {
        switch (command.isEmpty() ? "" : command.getFirst()) {
            case "--part" -> {
                return PartEnd.run(environment);
            }
            case "--told" -> {
                return ToldEnd.run(environment);
            }
            case "--step" -> {
                return StepRun.run(command.subList(1, command.size()), environment);
            }
            case "--bcast" -> {
                return Broadcast.run(command.subList(1, command.size()), environment);
            }
            case "--train-aot" -> {
                return JobEndTraining.run();
            }
            default -> {
                // A command, or an allocation.
            }
        }
        String url = environment.getOrDefault("BERTH_SESSION_URL", "");
        if (!url.startsWith("ws")) {
            throw new IOException("BERTH_SESSION_URL is no session's address: '" + url + "'");
        }
        URI session = URI.create(url);
        String secret = environment.getOrDefault("BERTH_SESSION_SECRET", "");
        var early = new LinkedBlockingQueue<Frame>();
        if (command.equals(List.of("--allocation"))) {
            return new AllocationEnd(environment).run(session, secret);
        }
        try (var socket = LastingLink.running(session, secret, patience, early::add)) {
            String size = environment.get("BERTH_SESSION_SIZE");
            Terminal terminal = size == null ? null : Terminal.of(size);
            ProcessBuilder builder = process(command, terminal, environment);
            if (LiveProcess.ignoresSignals(ProcessHandle.current().pid())) {
                builder.command(StepRun.reachable(builder.command()));
            }
            return serve(
                    builder,
                    terminal,
                    early,
                    socket,
                    environment.getOrDefault("SLURMD_NODENAME", "?"));
        }
    }

    /// A command, in a terminal if there is one, to which its session is a secret.
    static ProcessBuilder process(
            List<String> command, @Nullable Terminal terminal, Map<String, String> environment) {
        var builder = new ProcessBuilder(command);
        builder.environment().clear();
        builder.environment().putAll(environment);
        builder.environment().keySet().removeIf(it -> it.startsWith("BERTH_SESSION_"));
        if (terminal != null) {
            builder.command(terminal.around(command, environment.getOrDefault("SHELL", "/bin/sh")));
            builder.environment().put("SHELL", "/bin/sh");
        }
        return builder;
    }

    /// Runs a command, with its streams at the other end, until it ends.
    ///
    /// @param frames that come from there
    /// @param node for the word that it has begun
    /// @return the exit code
    static int serve(
            ProcessBuilder builder,
            @Nullable Terminal terminal,
            BlockingQueue<Frame> frames,
            FrameLink socket,
            String node)
            throws IOException, InterruptedException {
        var end = new JobEnd(builder.start(), terminal);
        Thread.ofVirtual().start(() -> end.take(frames));
        return end.untilExit(socket, node);
    }

    private void take(BlockingQueue<Frame> frames) {
        try {
            while (true) {
                take(frames.take());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void take(Frame frame) {
        switch (frame.channel()) {
            case INPUT -> input.add(frame);
            case CONTROL -> control(frame);
            // Those are this end's to send.
            case OUTPUT, ERROR, BESIDE -> {}
        }
    }

    private void control(Frame frame) {
        List<String> words = frame.words();
        switch (words.getFirst()) {
            case "eof" -> input.add(frame);
            case "signal" -> signal(words.getLast());
            case "size" -> {
                if (terminal != null) {
                    terminal.resize(words.subList(1, words.size()));
                }
            }
            default -> {
                // A newer end says more.
            }
        }
    }

    private void signal(String name) {
        if (name.matches("[A-Z][A-Z0-9]{1,9}")) {
            // Found while they still are its own, killed when it can begin no more.
            List<ProcessHandle> itsOwn =
                    name.equals("KILL") ? process.descendants().toList() : List.of();
            Terminal.runQuietly(List.of("kill", "-s", name, Long.toString(process.pid())));
            itsOwn.forEach(ProcessHandle::destroyForcibly);
        }
    }

    private int untilExit(FrameLink socket, String node) throws InterruptedException {
        try {
            socket.send(Frame.control("started " + node));
        } catch (IOException e) {
            // Told by the end of the connection.
        }
        Thread writer = Thread.ofVirtual().start(() -> writeInput(socket));
        Thread output = pump(socket, Channel.OUTPUT, process.getInputStream());
        Thread error = pump(socket, Channel.ERROR, process.getErrorStream());
        var unused = socket.closed().thenRun(this::stop);
        int code = process.waitFor();
        socket.awaitThere();
        boolean alone = socket.closed().isDone();
        output.join(LAST_WORDS_MILLIS);
        error.join(LAST_WORDS_MILLIS);
        writer.interrupt();
        try {
            socket.send(Frame.control("exit " + code));
        } catch (IOException e) {
            // Nobody waits for it any more.
        }
        return alone && code == 0 ? GONE : code;
    }

    private static Thread pump(FrameLink socket, Channel channel, InputStream stream) {
        return Thread.ofVirtual()
                .start(() -> {
                    try (stream) {
                        socket.sendAll(channel, stream);
                    } catch (IOException e) {
                        // The other end is gone, and the command is being ended.
                    }
                });
    }

    private void writeInput(FrameLink socket) {
        int taken = 0;
        try (OutputStream out = process.getOutputStream()) {
            for (Frame next = input.take(); next.channel() == Channel.INPUT; next = input.take()) {
                out.write(next.payload());
                out.flush();
                taken += next.payload().length;
                if (taken >= TELL_BYTES) {
                    socket.send(Frame.control("took " + taken));
                    taken = 0;
                }
            }
        } catch (IOException e) {
            // The command reads no more, or nobody is there to give it anything.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void stop() {
        process.descendants().forEach(ProcessHandle::destroy);
        process.destroy();
        try {
            if (!process.waitFor(GRACE_SECONDS, TimeUnit.SECONDS)) {
                process.descendants().forEach(ProcessHandle::destroyForcibly);
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
