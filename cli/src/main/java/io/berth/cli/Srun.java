package io.berth.cli;

import io.berth.cli.MeshClient.NoAnswer;
import io.berth.cli.SubmissionPost.Voice;
import io.berth.client.Answer;
import io.berth.slurm.InvalidOption;
import io.berth.slurm.JobSubmission;
import io.berth.slurm.SbatchLine;
import io.berth.slurm.SbatchSetting;
import io.berth.slurm.SrunCommandLine;
import io.berth.slurm.SrunOption;
import io.berth.slurm.SrunOption.Setting;
import io.berth.slurm.session.Frame;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;

/// `srun` outside a job: runs a program in a job of its own, in the allocation of the `salloc` that
/// it was started from, or in a job that runs already, and is its terminal meanwhile.
///
/// The job connects to the gateway by itself, with a secret that it is submitted with: this machine
/// and the node need not reach one another. In a job's script `srun` is another program, which
/// starts a step (`docs/node-agent.md`).
final class Srun {

    static final String SYNOPSIS =
            "srun [OPTIONS] PROGRAM [ARGUMENT...]: runs a program in a job of its own, as its"
                    + " terminal";

    private static final Voice VOICE = new Voice("srun", "Unable to allocate resources: ");

    /// The job's end runs the step. `$@` is what the user gave, word by word.
    private static final String STEP = "#!/bin/sh\nexec berth-session srun \"$@\"\n";

    /// A program with a terminal is a single task, and the step is no process beside it.
    private static final String TERMINAL =
            """
            #!/bin/sh
            export SLURM_STEP_ID=0 SLURM_STEPID=0 SLURM_PROCID=0 SLURM_LOCALID=0 SLURM_STEP_NUM_TASKS=1
            exec berth-session "$@"
            """;

    static final String CONTAINER = "--container=";
    private static final String PROGRAMS = "--multi-prog";
    private static final String MPI = "--mpi=";
    private static final String BROADCAST = "--bcast";
    private static final String TEST_ONLY = "--test-only";

    private static final int MOST_PROGRAMS = 64 << 10;

    /// What a gateway takes in one message.
    private static final int MOST_COMMAND = 60 << 10;

    private static final Set<String> OF_A_STEP =
            Set.of(
                    "chdir",
                    "cpus-per-task",
                    "distribution",
                    "exclude",
                    "export",
                    "gpus",
                    "gpus-per-node",
                    "gpus-per-task",
                    "gres",
                    "hint",
                    "job-name",
                    "nodelist",
                    "nodes",
                    "ntasks",
                    "ntasks-per-gpu",
                    "ntasks-per-node",
                    "threads-per-core",
                    "time");

    private final Terminal terminal;

    Srun(Terminal terminal) {
        this.terminal = terminal;
    }

    /// @return the program's exit code
    int run(List<String> arguments) throws CommandFailure {
        try {
            List<SrunCommandLine> parts = SrunCommandLine.srun(arguments, variables(arguments));
            SrunCommandLine line = parts.getFirst();
            if (line.has(Setting.VERSION)) {
                terminal.out().print(Main.version() + "\n");
                return 0;
            }
            if (line.has(Setting.HELP)) {
                terminal.out().print(Help.of(SrunOption.TABLE, SYNOPSIS));
                return 0;
            }
            if (asksForMpi(parts, "list")) {
                terminal.out().print("MPI plugin types are...\n\tnone\n");
                return 0;
            }
            check(parts);
            String allocation = terminal.variable(Salloc.ALLOCATION, "");
            return joins(line, allocation)
                    ? join(parts)
                    : allocation.isEmpty() ? job(parts) : step(parts, allocation);
        } catch (InvalidOption e) {
            throw new CommandFailure(e.exitCode(), e.print("srun"));
        }
    }

    private static boolean asksForMpi(List<SrunCommandLine> parts, String type) {
        return parts.stream().anyMatch(it -> it.step().contains(MPI + type));
    }

    private static void check(List<SrunCommandLine> parts) throws CommandFailure {
        for (SrunCommandLine part : parts) {
            for (String word : part.step()) {
                if (word.startsWith(MPI) && !word.equals(MPI + "none")) {
                    throw CommandFailure.error(
                            "srun", word + " is not there: only none. Start MPI with mpirun");
                }
            }
        }
        if (parts.getLast().command().isEmpty()) {
            throw new CommandFailure(1, "srun: fatal: No command given to execute.\n");
        }
        boolean several = parts.size() > 1;
        String job = parts.getFirst().value(Setting.JOBID);
        if (parts.stream().anyMatch(it -> !Objects.equals(it.value(Setting.JOBID), job))) {
            throw CommandFailure.error(
                    "srun", "--jobid is one job, whose components ':' parts: it stands first");
        }
        if (parts.stream().anyMatch(it -> it.has(Setting.PTY))
                && (several || isForComponents(parts))) {
            throw CommandFailure.error("srun", "--pty is for one program on one node of a job");
        }
        if (parts.stream().anyMatch(Srun::broadcasts)
                && (several
                        || parts.getFirst().has(Setting.PTY)
                        || parts.getFirst().step().stream()
                                .anyMatch(it -> it.equals(PROGRAMS) || it.startsWith(CONTAINER)))) {
            throw CommandFailure.error(
                    "srun",
                    "--bcast is for one program on one component, without --multi-prog, --pty and"
                            + " --container");
        }
        if (several && parts.stream().anyMatch(it -> it.step().contains(PROGRAMS))) {
            throw CommandFailure.error(
                    "srun",
                    PROGRAMS + " is for all components alike: --het-group names them, and no ':'");
        }
    }

    private static boolean broadcasts(SrunCommandLine line) {
        return line.step().stream().anyMatch(it -> it.split("=", 2)[0].equals(BROADCAST));
    }

    private static boolean isForComponents(List<SrunCommandLine> parts) {
        return parts.stream()
                .flatMap(it -> it.step().stream())
                .anyMatch(it -> it.startsWith("--het-group="));
    }

    /// The variables that give options. In an allocation Slurm's are the job's own, which a step
    /// has there anyway: here those of the step alone are taken.
    private Map<String, String> variables(List<String> arguments) throws InvalidOption {
        Map<String, String> all = terminal.environment();
        boolean inside =
                all.containsKey(Salloc.ALLOCATION)
                        || !all.getOrDefault("SLURM_JOB_ID", "").isEmpty()
                        || SrunCommandLine.srun(arguments, Map.of()).getFirst().has(Setting.JOBID);
        if (!inside) {
            return all;
        }
        var ofStep = new TreeMap<>(all);
        for (SrunOption option : SrunOption.TABLE) {
            if (option.meaning() instanceof SrunOption.Meaning.OfJob
                    || option.longName().equals("container")) {
                ofStep.keySet().removeAll(option.variables());
            }
        }
        return ofStep;
    }

    /// Whether the step is one of another job than the allocation that this is in.
    private boolean joins(SrunCommandLine line, String allocation) throws InvalidOption {
        String job = line.value(Setting.JOBID);
        if (job == null
                || (!allocation.isEmpty() && job.equals(terminal.variable("SLURM_JOB_ID", "")))) {
            return false;
        }
        if (!JobIds.names(job) || !JobIds.one(job)) {
            throw InvalidOption.malformed("Invalid --jobid specification");
        }
        return true;
    }

    private int job(List<SrunCommandLine> parts) throws InvalidOption, CommandFailure {
        if (isForComponents(parts)) {
            throw CommandFailure.error(
                    "srun",
                    "--het-group names components of a job that runs; ':' parts those of a new"
                            + " one");
        }
        MeshClient client = MeshClient.of(terminal, "srun");
        SrunCommandLine line = parts.getFirst();
        boolean pty = hasTerminal(line);
        boolean alone = isAlone(line, step(line));
        List<String> words = alone ? line.command() : words(parts, this::step);
        List<String> program =
                parts.stream()
                        .map(SrunCommandLine::command)
                        .filter(it -> !it.isEmpty())
                        .findFirst()
                        .orElseThrow();
        String name = String.valueOf(Path.of(program.getFirst()).getFileName());
        var job = new InteractiveJob(name, alone ? TERMINAL : STEP, words, program);
        JobSubmission submission = job.check(terminal, "srun", client, parts);
        if (tests(line)) {
            return new DryRun(terminal, client, VOICE).testOnly(submission);
        }
        var unusedSeconds = line.immediateSeconds();
        InteractiveSession session = InteractiveSession.open(terminal, client, VOICE);
        LocalTerminal local = LocalTerminal.of(terminal, "srun", pty);
        Map<String, String> variables = session.variables();
        variables.putAll(handed(line));
        // By which the gateway knows whose streams those of the session are.
        variables.put("BERTH_SESSION_STEP", "0");
        if (pty) {
            variables.put("BERTH_SESSION_SIZE", local.size());
        }
        try (var run = new InteractiveRun(terminal, client, local, line.has(Setting.QUIET))) {
            run.connect(session);
            sendFirst(run, line);
            run.waitAtMost(line.immediateSeconds());
            var submitted =
                    new SubmissionPost(terminal, client, VOICE)
                            .send(job.submission(terminal, client, parts, variables));
            return run.untilEnd(submitted.job(), true);
        }
    }

    /// The words that a step's `srun` is told: of each part the options that it has there, and its
    /// program.
    private static List<String> words(
            List<SrunCommandLine> parts, Function<SrunCommandLine, List<String>> options) {
        var words = new ArrayList<String>();
        for (int i = 0; i < parts.size(); i++) {
            SrunCommandLine part = parts.get(i);
            if (i > 0) {
                words.add(":");
            }
            words.addAll(options.apply(part));
            if (!part.command().isEmpty()) {
                words.add("--");
                words.addAll(part.command());
            }
        }
        return words;
    }

    /// Whether the program is a process of the job's end, and no step: it has a terminal, and
    /// nothing is around it.
    private static boolean isAlone(SrunCommandLine line, List<String> step) {
        return hasTerminal(line) && step.stream().noneMatch(it -> it.startsWith(CONTAINER));
    }

    /// Whether the program is not to run.
    private static boolean tests(SrunCommandLine line) {
        return line.step().contains(TEST_ONLY);
    }

    private static boolean hasTerminal(SrunCommandLine line) {
        return line.has(Setting.PTY) && !tests(line);
    }

    /// The options of the step, with a container's whole path: what is relative is so to the
    /// directory here. In an allocation that was asked for with a container it is the step's.
    private List<String> step(SrunCommandLine line) {
        var words = new ArrayList<String>();
        String given =
                terminal.variable(Salloc.ALLOCATION, "").isEmpty()
                        ? ""
                        : terminal.variable(Salloc.CONTAINER, "");
        for (String word : line.step()) {
            if (word.startsWith(CONTAINER)) {
                given = word.substring(CONTAINER.length());
            } else if (word.startsWith(BROADCAST + "=")) {
                words.add(
                        BROADCAST
                                + "="
                                + HandedFile.absolute(
                                        terminal.directory(),
                                        word.substring(BROADCAST.length() + 1)));
            } else {
                words.add(word);
            }
        }
        if (!given.isEmpty()) {
            words.add(CONTAINER + terminal.directory().resolve(given).normalize());
            if (line.has(Setting.PTY)) {
                words.addAll(List.of("--nodes=1", "--ntasks=1"));
            }
        }
        return words;
    }

    /// What the step's `srun` is told of files that are on this machine: the text of the one that
    /// `--multi-prog` names, and what the program of `--bcast` is like, which [#sendFirst] sends.
    private Map<String, String> handed(SrunCommandLine line) throws CommandFailure {
        if (broadcasts(line)) {
            return Map.of("BERTH_BCAST", program(line).told().text());
        }
        if (!line.step().contains(PROGRAMS)) {
            return Map.of();
        }
        Path file = terminal.directory().resolve(line.command().getFirst());
        try {
            String text = Files.readString(file);
            if (text.length() > MOST_PROGRAMS) {
                throw CommandFailure.error("srun", file + " is longer than 64 KiB");
            }
            return Map.of("BERTH_PROGRAMS", text.stripTrailing());
        } catch (IOException e) {
            throw CommandFailure.error("srun", "cannot read " + file);
        }
    }

    private HandedFile program(SrunCommandLine line) throws CommandFailure {
        return HandedFile.program(terminal, "srun", line.command().getFirst());
    }

    private void sendFirst(InteractiveRun run, SrunCommandLine line) throws CommandFailure {
        if (broadcasts(line)) {
            HandedFile file = program(line);
            try {
                run.sendFirst(file.open());
            } catch (IOException e) {
                throw CommandFailure.error("srun", String.valueOf(e.getMessage()));
            }
        }
    }

    /// The options of a job that say of a step what it takes of its allocation. Others have no
    /// effect there.
    private List<String> shape(SrunCommandLine line) {
        var words = new ArrayList<String>();
        for (var given : line.job().options()) {
            String name = given.option().longName();
            if (OF_A_STEP.contains(name)) {
                words.add("--" + name + "=" + given.value());
            } else {
                terminal.err().print("srun: --" + name + " has no effect inside an allocation\n");
            }
        }
        return words;
    }

    /// Runs the program as a step of an allocation, whose job's end starts it.
    private int step(List<SrunCommandLine> parts, String allocation) throws CommandFailure {
        MeshClient client = MeshClient.of(terminal, "srun");
        SrunCommandLine line = parts.getFirst();
        boolean pty = hasTerminal(line);
        LocalTerminal local = LocalTerminal.of(terminal, "srun", pty);
        InteractiveSession session = InteractiveSession.open(terminal, client, VOICE);
        var command = new ArrayList<String>();
        boolean placed = pty && isPlaced(line, "");
        if (!placed && isAlone(line, step(line))) {
            command.addAll(line.command());
        } else {
            handed(line)
                    .forEach((name, value) -> command.addAll(List.of("env", name + "=" + value)));
            command.add("srun");
            command.addAll(
                    words(
                            parts,
                            part -> {
                                var options = new ArrayList<>(List.of("--overlap"));
                                options.addAll(shape(part));
                                options.addAll(step(part));
                                if (placed) {
                                    options.addAll(List.of("--nodes=1", "--ntasks=1", "--pty"));
                                }
                                return options;
                            }));
        }
        Frame start =
                Frame.step(session.jobUrl(), session.jobSecret(), pty ? local.size() : "", command);
        try (var run = new InteractiveRun(terminal, client, local, line.has(Setting.QUIET))) {
            run.connectStep(session);
            sendFirst(run, line);
            long job = Long.parseLong(terminal.variable("SLURM_JOB_ID", "0"));
            tell(client, allocation, start, job);
            return run.untilEnd(job, false);
        }
    }

    /// Tells the allocation's end to start a step. A gateway that is away is waited for, and the
    /// ends of the allocation, which come to it again.
    ///
    /// @param allocation the path of its session, and the secret
    private void tell(MeshClient client, String allocation, Frame start, long job)
            throws CommandFailure {
        String[] place = allocation.split(" ", 2);
        var retries = new Retries(terminal, "srun");
        while (true) {
            String why;
            boolean again;
            try {
                Answer answer = client.tell(place[0], place.length > 1 ? place[1] : "", start);
                if (answer.ok()) {
                    return;
                }
                boolean gone = answer.status() == HttpURLConnection.HTTP_NOT_FOUND;
                why = gone ? "job " + job + " is not at the gateway" : answer.detail();
                again = gone ? !isOver(client, job) : answer.unavailable();
            } catch (NoAnswer e) {
                why = e.hint();
                again = e.nothingDone();
            }
            if (!again || !retries.again(why)) {
                throw CommandFailure.error("srun", why);
            }
        }
    }

    /// Not while nobody can say so.
    private static boolean isOver(MeshClient client, long job) {
        try {
            Answer answer = client.send("GET", "/v1/jobs/" + job, null, List.of());
            return answer.ok() ? new JobView(answer.body()).ended() : !answer.unavailable();
        } catch (NoAnswer e) {
            return false;
        }
    }

    /// Runs the program as a step of a job that runs, which nobody holds for this command: the
    /// job's first node is asked for a process.
    private int join(List<SrunCommandLine> parts) throws CommandFailure {
        MeshClient client = MeshClient.of(terminal, "srun");
        SrunCommandLine line = parts.getFirst();
        String name = String.valueOf(line.value(Setting.JOBID));
        boolean pty = hasTerminal(line);
        LocalTerminal local = LocalTerminal.of(terminal, "srun", pty);
        Answer answer = client.ask("POST", JobIds.path(name) + "/sessions", "{}");
        if (!answer.ok()) {
            throw new CommandFailure(1, unconfirmed(name, answer));
        }
        String node = answer.body().text("node");
        var command = new ArrayList<String>();
        // The terminal is this one's, and so is its kind.
        command.add("env");
        if (pty) {
            command.add("TERM=" + terminal.variable("TERM", "dumb"));
        }
        handed(line).forEach((variable, value) -> command.add(variable + "=" + value));
        command.add("srun");
        command.addAll(
                words(
                        parts,
                        part -> {
                            var options = new ArrayList<>(tasks(part));
                            options.addAll(shape(part));
                            options.addAll(step(part));
                            if (pty) {
                                options.addAll(List.of("--nodes=1", "--ntasks=1"));
                                // An older node's srun does not know it: it is said where it
                                // makes a difference.
                                if (isPlaced(line, node)) {
                                    options.add("--pty");
                                }
                            }
                            return options;
                        }));
        JoinedSession session = JoinedSession.of(client, answer.body());
        Frame start = session.step(pty ? local.size() : "", command);
        if (start.payload().length > MOST_COMMAND) {
            throw CommandFailure.error(
                    "srun", "the command is longer than %d KiB".formatted(MOST_COMMAND >> 10));
        }
        try (var run = new InteractiveRun(terminal, client, local, line.has(Setting.QUIET))) {
            run.connect(session);
            sendFirst(run, line);
            run.tell(start, node);
            return run.untilEnd(answer.body().number("job"), false);
        }
    }

    /// Whether the step may be on another node than the job's end.
    private static boolean isPlaced(SrunCommandLine line, String first) {
        SbatchLine asked = SbatchLine.of(line.job().options());
        String nodes = asked.given(SbatchSetting.NODELIST);
        return (nodes != null && !nodes.equals(first))
                || asked.given(SbatchSetting.EXCLUDE) != null
                || line.step().stream().anyMatch(it -> it.startsWith("--relative="));
    }

    /// What a step of a job has here that does not say it: a task on each node, as Slurm gives it,
    /// and not those of the job.
    private static List<String> tasks(SrunCommandLine line) {
        SbatchLine asked = SbatchLine.of(line.job().options());
        return asked.given(SbatchSetting.NTASKS) == null
                        && asked.given(SbatchSetting.NTASKS_PER_GPU) == null
                        && asked.given(SbatchSetting.NTASKS_PER_NODE) == null
                ? List.of("--ntasks-per-node=1")
                : List.of();
    }

    /// Slurm's words for a job that takes no step.
    private static String unconfirmed(String job, Answer answer) {
        String why = answer.status() == 404 ? "Invalid job id specified" : answer.detail();
        String more =
                answer.status() == 404 || answer.status() == 409
                        ? "srun: Check SLURM_JOB_ID environment variable. Expired or invalid job %s\n"
                                .formatted(job)
                        : "";
        return "srun: error: Unable to confirm allocation for job %s: %s\n%s"
                .formatted(job, why, more);
    }
}
