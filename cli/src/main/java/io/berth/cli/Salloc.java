package io.berth.cli;

import io.berth.cli.MeshClient.NoAnswer;
import io.berth.cli.SubmissionPost.Voice;
import io.berth.client.Answer;
import io.berth.contracts.JobState;
import io.berth.slurm.InvalidOption;
import io.berth.slurm.JobSubmission;
import io.berth.slurm.SignalText;
import io.berth.slurm.SrunCommandLine;
import io.berth.slurm.SrunOption;
import io.berth.slurm.SrunOption.Setting;
import io.berth.slurm.session.Frame;
import io.berth.slurm.session.Frame.Channel;
import io.berth.slurm.session.UnixSignal;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/// `salloc`: holds an allocation while a shell on this machine runs, in which `srun` starts steps
/// there.
///
/// The allocation is a job whose script waits at the gateway's session for steps to start. It ends
/// when the shell does. With `--no-shell` nothing runs here: the job's script sleeps until the time
/// limit or `scancel`, and steps come to it by `srun --jobid` as to any other job.
final class Salloc {

    static final String SYNOPSIS =
            "salloc [OPTIONS] [PROGRAM [ARGUMENT...]]: holds an allocation while a shell, or a program, runs here";

    /// The variable by which `srun` in the shell finds the allocation: its session and the secret.
    static final String ALLOCATION = "BERTH_ALLOCATION";

    /// The variable by which `srun` in the shell knows the container of its steps, if they have
    /// one.
    static final String CONTAINER = "SLURM_CONTAINER";

    private static final Voice VOICE = new Voice("salloc", "Job submit/allocate failed: ");
    private static final String SCRIPT = "#!/bin/sh\nexec berth-session --allocation\n";

    /// What holds the allocation of `--no-shell`.
    private static final String SLEEP = "#!/bin/sh\nexec sleep infinity\n";

    private static final long FIRST_LOOK_MILLIS = 100;
    private static final long LOOK_MILLIS = 1000;

    private final Terminal terminal;
    private final CountDownLatch granted = new CountDownLatch(1);
    private volatile boolean over;
    private volatile boolean revoked;
    private volatile boolean withdrawn;
    private volatile Map<String, String> ofJob = Map.of();
    private volatile Runnable onRevoked = () -> {};

    Salloc(Terminal terminal) {
        this.terminal = terminal;
    }

    /// @return the exit code of the shell
    int run(List<String> arguments) throws CommandFailure {
        try {
            List<SrunCommandLine> parts = SrunCommandLine.salloc(arguments, terminal.environment());
            SrunCommandLine line = parts.getFirst();
            if (line.has(Setting.VERSION)) {
                terminal.out().print(Main.version() + "\n");
                return 0;
            }
            if (line.has(Setting.HELP)) {
                terminal.out().print(Help.of(SrunOption.SALLOC, SYNOPSIS));
                return 0;
            }
            return line.has(Setting.NO_SHELL) ? leave(line, parts) : hold(line, parts);
        } catch (InvalidOption e) {
            throw new CommandFailure(e.exitCode(), e.print("salloc"));
        }
    }

    /// @param line the first part, which speaks to the command itself
    private int hold(SrunCommandLine line, List<SrunCommandLine> parts)
            throws InvalidOption, CommandFailure {
        MeshClient client = MeshClient.of(terminal, "salloc");
        List<String> command = parts.getLast().command();
        var job = new InteractiveJob("interactive", SCRIPT, List.of(), command);
        var unused = job.check(terminal, "salloc", client, parts);
        String kill = killSignal(line, command.isEmpty() ? "HUP" : "TERM");
        InteractiveSession session = InteractiveSession.open(terminal, client, VOICE);
        try (var socket =
                session.connect(client, InteractiveSession.WHILE_THE_JOB_IS_THERE, this::take)) {
            var unusedEnd = socket.closed().thenRun(this::revoked);
            long id =
                    new SubmissionPost(terminal, client, VOICE)
                            .send(job.submission(terminal, client, parts, session.variables()))
                            .job();
            JobView held = awaitGrant(client, id, line);
            ring(line);
            Thread.ofVirtual().start(() -> watch(client, id, socket::isThere));
            Map<String, String> variables = variables(held, session);
            for (String word : line.step()) {
                String container = word.substring(Srun.CONTAINER.length());
                variables.put(
                        CONTAINER, terminal.directory().resolve(container).normalize().toString());
            }
            int code = shell(command, variables, kill);
            over = true;
            if (!revoked) {
                say(line, "Relinquishing job allocation " + id);
                socket.send(Frame.control("end"));
                socket.closed().orTimeout(5, TimeUnit.SECONDS).exceptionally(_ -> null).join();
            }
            return code;
        } catch (IOException e) {
            throw CommandFailure.error("salloc", String.valueOf(e.getMessage()));
        }
    }

    /// Submits a job that holds the allocation by itself, and waits until it does. What ends this
    /// command meanwhile withdraws the job.
    private int leave(SrunCommandLine line, List<SrunCommandLine> parts)
            throws InvalidOption, CommandFailure {
        if (!parts.getLast().command().isEmpty()) {
            throw CommandFailure.error(
                    "salloc", "--no-shell runs no program here: srun --jobid runs one there");
        }
        if (parts.stream().anyMatch(it -> !it.step().isEmpty())) {
            throw CommandFailure.error(
                    "salloc",
                    "--container is for the steps of a shell, and --no-shell has none: give it to"
                            + " srun --jobid");
        }
        MeshClient client = MeshClient.of(terminal, "salloc");
        var unusedSeconds = line.immediateSeconds();
        JobSubmission job =
                new InteractiveJob("no-shell", SLEEP, List.of(), List.of())
                        .check(terminal, "salloc", client, parts);
        long id = new SubmissionPost(terminal, client, VOICE).send(job).job();
        var unusedJob = awaitGrant(client, id, line);
        ring(line);
        return 0;
    }

    private void ring(SrunCommandLine line) {
        if (line.has(Setting.BELL)) {
            terminal.err().print("\007");
            terminal.err().flush();
        }
    }

    private void take(Frame frame) {
        if (frame.channel() == Channel.CONTROL) {
            switch (frame.words().getFirst()) {
                case "variables" -> ofJob = frame.variables();
                case "started" -> granted.countDown();
                default -> {
                    // A newer end says more.
                }
            }
        }
    }

    /// Looks at the job while its end does not come again: it may be over.
    private void watch(MeshClient client, long id, BooleanSupplier there) {
        while (!over && !revoked) {
            terminal.pause().await(Duration.ofMillis(LOOK_MILLIS));
            if (!there.getAsBoolean()) {
                try {
                    Answer answer = seen(client, id);
                    if (answer != null && answer.ok() && new JobView(answer.body()).ended()) {
                        revoked();
                    }
                } catch (CommandFailure e) {
                    // Revoked already.
                }
            }
        }
    }

    private synchronized void revoked() {
        if (!over && !revoked) {
            revoked = true;
            if (granted.getCount() == 0) {
                terminal.err().print("salloc: Job allocation has been revoked.\n");
                terminal.err().flush();
                onRevoked.run();
            }
        }
    }

    private void say(SrunCommandLine line, String text) {
        say(line.has(Setting.QUIET), text);
    }

    private void say(boolean quiet, String text) {
        if (!quiet) {
            terminal.err().print("salloc: " + text + "\n");
            terminal.err().flush();
        }
    }

    /// The job once its end is there.
    private JobView awaitGrant(MeshClient client, long id, SrunCommandLine line)
            throws InvalidOption, CommandFailure {
        boolean quiet = line.has(Setting.QUIET);
        long patience = line.immediateSeconds() * 1000L;
        long asked = terminal.now();
        for (String signal : List.of("INT", "TERM", "HUP")) {
            UnixSignal.handle(signal, () -> abort(client, id));
        }
        boolean told = false;
        boolean shell = !line.has(Setting.NO_SHELL);
        long look = FIRST_LOOK_MILLIS;
        while (!granted(look)) {
            look = Math.min(2 * look, LOOK_MILLIS);
            Answer answer = seen(client, id);
            if (answer == null) {
                continue;
            }
            if (!answer.ok()) {
                throw CommandFailure.error("salloc", answer.detail());
            }
            var seen = new JobView(answer.body());
            if (seen.ended() || revoked) {
                throw revoked(id, seen.text("state"));
            }
            if (!shell
                    && !withdrawn
                    && (seen.is(JobState.RUNNING) || seen.is(JobState.SUSPENDED))) {
                granted.countDown();
            } else if (patience > 0
                    && seen.is(JobState.PENDING)
                    && terminal.now() - asked >= patience) {
                abort(client, id);
                throw CommandFailure.error("salloc", VOICE.failed() + InteractiveRun.BUSY);
            } else if (!told && seen.is(JobState.PENDING)) {
                told = true;
                say(quiet, "Pending job allocation " + id);
                say(quiet, "job " + id + " queued and waiting for resources");
            }
        }
        if (told) {
            say(quiet, "job " + id + " has been allocated resources");
        }
        say(quiet, "Granted job allocation " + id);
        return new JobView(client.get("/v1/jobs/" + id));
    }

    private static CommandFailure revoked(long id, String state) {
        return CommandFailure.error(
                "salloc", "Job allocation " + id + " has been revoked: " + state);
    }

    /// What the gateway tells of the job; null if it does not answer, and is to be asked again.
    private @Nullable Answer seen(MeshClient client, long id) throws CommandFailure {
        try {
            Answer answer = client.send("GET", "/v1/jobs/" + id, null, List.of());
            return answer.unavailable() ? null : answer;
        } catch (NoAnswer e) {
            if (revoked) {
                throw revoked(id, "the gateway does not answer");
            }
            return null;
        }
    }

    private boolean granted(long millis) {
        try {
            return granted.await(millis, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("a command that nobody interrupts was interrupted", e);
        }
    }

    /// Withdraws what waits. Once it is there Ctrl-C is the shell's.
    private void abort(MeshClient client, long id) {
        if (granted.getCount() > 0) {
            withdrawn = true;
            try {
                Answer unused = client.send("DELETE", "/v1/jobs/" + id, null, List.of());
            } catch (NoAnswer e) {
                say(false, "the job could not be cancelled: scancel " + id);
                revoked = true;
            }
        }
    }

    /// Those that a script of the job has, as its end told them.
    private Map<String, String> variables(JobView job, InteractiveSession session) {
        var variables = new TreeMap<>(ofJob);
        String id = Long.toString(job.number("id"));
        variables.put("SLURM_JOB_ID", id);
        variables.put("SLURM_JOBID", id);
        variables.put("SLURM_JOB_NAME", job.text("name"));
        variables.put("SLURM_JOB_ACCOUNT", job.text("account"));
        variables.put("SLURM_JOB_PARTITION", job.text("partition"));
        variables.put("SLURM_JOB_QOS", job.text("qos"));
        variables.put("SLURM_JOB_NODELIST", job.text("nodeList"));
        variables.put("SLURM_NODELIST", job.text("nodeList"));
        variables.put("SLURM_JOB_NUM_NODES", Long.toString(job.number("nodes")));
        variables.put("SLURM_NNODES", Long.toString(job.number("nodes")));
        if (!ofJob.containsKey("SLURM_OVERCOMMIT")) {
            variables.put("SLURM_NTASKS", Long.toString(job.number("tasks")));
            variables.put("SLURM_NPROCS", Long.toString(job.number("tasks")));
        }
        variables.put("SLURM_CPUS_PER_TASK", Long.toString(job.number("cpusPerTask")));
        variables.put("SLURM_GPUS", Long.toString(job.number("gpus")));
        variables.put("SLURM_SUBMIT_DIR", job.text("workingDirectory"));
        variables.put(ALLOCATION, session.path() + " " + session.userSecret());
        return variables;
    }

    /// The signal for the shell when the allocation is gone (`--kill-command`); empty for none.
    ///
    /// @param usual without a word: an interactive shell ignores TERM
    private static String killSignal(SrunCommandLine line, String usual) throws InvalidOption {
        String given = line.value(Setting.KILL_COMMAND);
        if (given == null || given.isEmpty()) {
            return given == null ? "" : usual;
        }
        OptionalInt number = SignalText.number(given);
        if (number.isEmpty()) {
            throw InvalidOption.refused("Invalid --kill-command specification");
        }
        return SignalText.name(number.getAsInt());
    }

    /// Runs the shell, or the program. Of the signals that may end this command TERM and USR1 are
    /// the program's, which is waited for; after HUP the allocation goes with the terminal.
    private int shell(List<String> command, Map<String, String> variables, String kill) {
        List<String> words =
                command.isEmpty() ? List.of(terminal.variable("SHELL", "/bin/sh")) : command;
        HeldCommand held;
        try {
            held = HeldCommand.start(words, variables, terminal.directory());
        } catch (IOException _) {
            terminal.err()
                    .print("salloc: error: Unable to exec command \"" + words.getFirst() + "\"\n");
            return 1;
        }
        UnixSignal.handle("TERM", () -> hand(() -> held.signal("TERM")));
        UnixSignal.handle("USR1", () -> hand(() -> held.signal("USR1")));
        UnixSignal.handle("HUP", () -> hand(held::hangUp));
        if (!kill.isEmpty()) {
            onRevoked = () -> hand(() -> held.signal(kill));
            if (revoked) {
                onRevoked.run();
            }
        }
        return held.untilEnd();
    }

    private interface Signalling {
        void send() throws IOException;
    }

    private void hand(Signalling signal) {
        try {
            signal.send();
        } catch (IOException e) {
            say(false, "the command could not be signalled: " + e.getMessage());
        }
    }
}
