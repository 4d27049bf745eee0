package io.berth.cli;

import io.berth.cli.MeshClient.NoAnswer;
import io.berth.client.Answer;
import io.berth.contracts.JobState;
import io.berth.slurm.session.Frame;
import io.berth.slurm.session.FrameLink;
import io.berth.slurm.session.LastingLink;
import io.berth.slurm.session.UnixSignal;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.io.SequenceInputStream;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/// The user's end of an interactive run: what is typed goes to the job, what the program writes
/// comes from there.
///
/// Ctrl-C is Slurm's: one tells the state, a second within a second interrupts the program, a third
/// ends the job. While the job waits, one withdraws it. A program with a terminal gets all keys.
///
/// When nobody reads what it writes any more it ends the program, as SIGPIPE would one that runs
/// here.
///
/// It outlives the gateway, whose way the streams take: the job's end and this one come again.
final class InteractiveRun implements AutoCloseable {

    private static final long LOOK_MILLIS = 1000;
    private static final long AGAIN_MILLIS = 1000;

    /// As of a program that SIGPIPE ends.
    static final int BROKEN_PIPE = 141;

    /// What Slurm says of `--immediate` where it cannot be.
    static final String BUSY = "Requested nodes are busy";

    /// How long a node may take to bring a process: a JVM starts there, on a busy machine perhaps.
    private static final Duration ANSWER = Duration.ofSeconds(30);

    /// How long the job is looked at whose connection is lost.
    private static final int LOST_LOOKS = 15;

    private final Terminal terminal;
    private final MeshClient client;
    private final LocalTerminal local;
    private final boolean quiet;
    private final CompletableFuture<Integer> exit = new CompletableFuture<>();
    private @Nullable FrameLink socket;
    private BooleanSupplier there = () -> true;
    private boolean away;
    private InputStream input;
    private volatile long job;
    private volatile boolean own;
    private volatile boolean started;
    private volatile boolean waiting;
    private long giveUpAt = Long.MAX_VALUE;
    private long answerBy = Long.MAX_VALUE;
    private String asked = "";
    private long interruptedAt = Long.MIN_VALUE / 2;
    private int interrupts;

    InteractiveRun(Terminal terminal, MeshClient client, LocalTerminal local, boolean quiet) {
        this.terminal = terminal;
        this.client = client;
        this.local = local;
        this.quiet = quiet;
        this.input = terminal.in();
    }

    /// Has the job's end read this before the input here.
    void sendFirst(InputStream first) {
        input = new SequenceInputStream(first, terminal.in());
    }

    /// Comes to the session of a job that is to be submitted, and is looked at while its end does
    /// not come again.
    void connect(InteractiveSession session) throws CommandFailure {
        connect(() ->
                session.connect(client, InteractiveSession.WHILE_THE_JOB_IS_THERE, this::take));
    }

    /// Comes to the session of a step in an allocation, before that one's end does.
    void connectStep(InteractiveSession session) throws CommandFailure {
        connect(() -> session.connect(client, LastingLink.OF_TERMINAL, this::take));
    }

    /// Comes to a session in a job that runs.
    void connect(JoinedSession session) throws CommandFailure {
        connect(() -> session.connect(client, this::take));
    }

    private interface Connecting {
        LastingLink connect() throws IOException;
    }

    private void connect(Connecting to) throws CommandFailure {
        try {
            LastingLink connected = to.connect();
            there = connected::isThere;
            socket = connected;
            var unused =
                    connected.closed().thenAccept(why -> exit.completeExceptionally(new Lost(why)));
        } catch (IOException e) {
            throw CommandFailure.error("srun", String.valueOf(e.getMessage()));
        }
    }

    /// Gives the job up that waits after so many seconds; 0 is never.
    void waitAtMost(int seconds) {
        giveUpAt = seconds == 0 ? Long.MAX_VALUE : terminal.now() + seconds * 1000L;
    }

    /// Tells the job's end what to run, which a node was asked to bring here. A node that does not
    /// within half a minute is given up.
    void tell(Frame step, String node) {
        asked = node;
        answerBy = terminal.now() + ANSWER.toMillis();
        send(step);
    }

    /// The node cannot start the program, for that reason.
    private static final class Refused extends Exception {
        private static final long serialVersionUID = 1;

        Refused(String why) {
            super(why.replaceAll("\\p{Cntrl}", "?"));
        }
    }

    /// A stream cannot be written any more: its reader has gone.
    private static final class Unheard extends Exception {
        private static final long serialVersionUID = 1;

        private final String stream;

        Unheard(String stream) {
            this.stream = stream;
        }
    }

    private static final class Lost extends Exception {
        private static final long serialVersionUID = 1;

        private final String why;

        Lost(String why) {
            this.why = why;
        }
    }

    /// Takes what the job's end says.
    void take(Frame frame) {
        switch (frame.channel()) {
            case OUTPUT -> print(terminal.out(), "output", frame);
            case ERROR -> print(terminal.err(), "error", frame);
            case CONTROL -> control(frame.words());
            // That is this end's to send.
            case INPUT, BESIDE -> {}
        }
    }

    private void print(PrintStream stream, String name, Frame frame) {
        stream.write(frame.payload(), 0, frame.payload().length);
        if (stream.checkError()) {
            exit.completeExceptionally(new Unheard(name));
        }
    }

    private void control(List<String> words) {
        switch (words.getFirst()) {
            case "started" -> {
                started = true;
                if (waiting) {
                    say("job " + job + " has been allocated resources");
                }
                local.enter();
            }
            case "refused" ->
                    exit.completeExceptionally(
                            new Refused(String.join(" ", words.subList(1, words.size()))));
            case "exit" -> exit.complete(Integer.parseInt(words.getLast()));
            default -> {
                // A newer end says more.
            }
        }
    }

    /// Waits for the end of the program.
    ///
    /// @param inJob the job that it runs in
    /// @param ofOwn whether that job is there for it alone, and ends with this command
    /// @return the program's exit code
    int untilEnd(long inJob, boolean ofOwn) throws CommandFailure {
        job = inJob;
        own = ofOwn;
        UnixSignal.handle("INT", this::interrupted);
        UnixSignal.handle("TERM", this::ended);
        UnixSignal.handle("HUP", this::ended);
        if (local.raw()) {
            UnixSignal.handle("WINCH", () -> send(Frame.control("size " + local.size())));
        }
        Thread.ofPlatform().daemon().start(this::sendInput);
        while (true) {
            try {
                return exit.get(LOOK_MILLIS, TimeUnit.MILLISECONDS);
            } catch (TimeoutException e) {
                boolean gone = !there.getAsBoolean();
                if (!started || gone) {
                    look();
                }
                tell(gone);
            } catch (ExecutionException e) {
                if (e.getCause() instanceof Unheard unheard) {
                    say("standard " + unheard.stream + " cannot be written, ending the step");
                    cancel();
                    return BROKEN_PIPE;
                }
                if (e.getCause() instanceof Refused refused) {
                    throw CommandFailure.error(
                            "srun",
                            "Unable to create step for job %d: %s"
                                    .formatted(job, refused.getMessage()));
                }
                throw lost(e.getCause() instanceof Lost lost ? lost.why : "");
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException(
                        "a command that nobody interrupts was interrupted", e);
            }
        }
    }

    /// Tells the user when the connection is lost, and when it is back.
    private void tell(boolean gone) {
        if (started && gone != away) {
            away = gone;
            say(
                    (gone
                                    ? "lost the connection to job %d, trying again"
                                    : "job %d is connected again")
                            .formatted(job));
        }
    }

    /// Whether the job still waits, or ended before it came, or while it is not here.
    private void look() throws CommandFailure {
        JobView seen = seen();
        if (seen != null
                && seen.ended()
                && (!started || (!there.getAsBoolean() && !exit.isDone()))) {
            throw over(seen);
        }
        if (started) {
            return;
        }
        if (terminal.now() >= answerBy) {
            throw CommandFailure.error(
                    "srun",
                    "Unable to create step for job %d: node %s does not answer"
                            .formatted(job, asked));
        }
        if (seen == null) {
            return;
        }
        if (seen.is(JobState.PENDING) && terminal.now() >= giveUpAt) {
            cancel();
            throw CommandFailure.error("srun", "Unable to allocate resources: " + BUSY);
        }
        if (!waiting && seen.is(JobState.PENDING)) {
            waiting = true;
            say("job " + job + " queued and waiting for resources");
        }
    }

    private static CommandFailure over(JobView job) {
        String message = job.text("message");
        return CommandFailure.error(
                "srun",
                "job %d is %s%s"
                        .formatted(
                                job.number("id"),
                                job.text("state"),
                                message.isEmpty() ? "" : ": " + message));
    }

    private @Nullable JobView seen() {
        try {
            Answer answer = client.send("GET", "/v1/jobs/" + job, null, List.of());
            return answer.ok() ? new JobView(answer.body()) : null;
        } catch (NoAnswer e) {
            return null;
        }
    }

    /// The connection ended without a word: the job says what became of it.
    private CommandFailure lost(String why) {
        for (int i = 0; i < LOST_LOOKS; i++) {
            JobView seen = seen();
            if (seen != null && seen.ended()) {
                return over(seen);
            }
            terminal.pause().await(Duration.ofMillis(LOOK_MILLIS));
        }
        cancel();
        return CommandFailure.error(
                "srun", "lost the connection to job " + job + (why.isEmpty() ? "" : ": " + why));
    }

    private void interrupted() {
        synchronized (this) {
            long now = System.nanoTime() / 1_000_000;
            interrupts = now - interruptedAt <= AGAIN_MILLIS ? interrupts + 1 : 1;
            interruptedAt = now;
        }
        if (!started) {
            say(own ? "Job allocation " + job + " has been revoked" : "Cancelled pending job step");
            cancel();
            exit.complete(130);
            return;
        }
        switch (interrupts) {
            case 1 -> {
                say("interrupt (one more within 1 sec to abort)");
                say("StepId=" + job + ".0 tasks: running");
            }
            case 2 -> {
                say("sending Ctrl-C to StepId=" + job + ".0");
                send(Frame.control("signal INT"));
            }
            default -> {
                say("forcing job termination");
                cancel();
            }
        }
    }

    private void ended() {
        cancel();
        exit.complete(143);
    }

    /// Ends the program, and the job if it is there for it alone.
    private void cancel() {
        if (!own) {
            send(Frame.control("signal KILL"));
            return;
        }
        try {
            var unused = client.send("DELETE", "/v1/jobs/" + job, null, List.of());
        } catch (NoAnswer e) {
            say("the job could not be cancelled: scancel " + job);
        }
    }

    private void sendInput() {
        FrameLink to = socket;
        if (to == null) {
            return;
        }
        try {
            to.sendInput(input);
        } catch (IOException e) {
            // Told by the end of the connection.
        }
    }

    private void send(Frame frame) {
        FrameLink to = socket;
        try {
            if (to != null) {
                to.send(frame);
            }
        } catch (IOException e) {
            // Told by the end of the connection.
        }
    }

    private void say(String line) {
        if (!quiet) {
            terminal.err().print("srun: " + line + "\n");
            terminal.err().flush();
        }
    }

    @Override
    public void close() {
        local.close();
        Terminal.closeQuietly(input);
        if (socket != null) {
            socket.close();
        }
    }
}
