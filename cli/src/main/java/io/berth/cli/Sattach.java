package io.berth.cli;

import static io.berth.cli.CliOption.flag;
import static io.berth.cli.CliOption.valued;

import io.berth.cli.CliOption.Words;
import io.berth.cli.MeshClient.NoAnswer;
import io.berth.client.Answer;
import io.berth.client.JsonObject;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// `sattach`: the streams of a step that an `srun` elsewhere runs, beside that `srun`.
///
/// Those of a step's tasks come together in its job, so that what is said of one task alone can be
/// had of a step of one task only.
///
/// Source: sattach(1) of Slurm 22.05.
final class Sattach implements Command {

    private static final Pattern STEP = Pattern.compile("(.+)\\.([0-9]{1,9})");
    private static final List<String> FILTERS =
            List.of("input-filter", "output-filter", "error-filter");

    /// How often a step is looked for whose streams ended without a word, while the gateway is
    /// there and while it is away.
    private static final int LOOKS = 60;

    private static final int LOOKS_AWAY = 3600;
    private static final Duration PAUSE = Duration.ofSeconds(1);

    /// After so many the user is told.
    private static final int QUIET_LOOKS = 2;

    private static final List<CliOption> OPTIONS =
            List.of(
                    valued("input-filter", '\0', "give input to this task alone: 0"),
                    valued("output-filter", '\0', "show the output of this task alone: 0"),
                    valued("error-filter", '\0', "show the errors of this task alone: 0"),
                    flag("label", 'l', "put the task's number before each line"),
                    flag("layout", '\0', "tell which tasks are where, and no more"),
                    flag("pty", '\0', "hand every key on: to a step of srun --pty"),
                    flag("quiet", 'Q', "errors alone, which is what there is without -v"),
                    flag("verbose", 'v', "say when it is attached"),
                    flag("usage", 'u', "how it is called"),
                    flag("help", 'h', "this text"),
                    flag("version", 'V', "Berth's version"));

    @Override
    public String synopsis() {
        return "sattach [OPTIONS] JOB.STEP: shows what a step of srun's writes, and gives it input";
    }

    @Override
    public List<CliOption> options() {
        return OPTIONS;
    }

    @Override
    public int run(Terminal terminal, Words words) throws CommandFailure {
        check(words);
        Matcher step = step(words.operands());
        String name = step.group(1);
        MeshClient client = MeshClient.of(terminal, "sattach");
        var job = new JobView(success(client.ask("GET", JobIds.path(name))));
        if (words.has("layout")) {
            checkStep(job, step.group(2));
            terminal.out().print(layout(job));
            return 0;
        }
        checkTasks(words, job);
        String path = JobIds.path(name) + "/steps/" + step.group(2) + "/attach";
        JsonObject place = success(client.ask("POST", path, ""));
        boolean pty = words.has("pty");
        if (pty && !place.flag("terminal")) {
            throw failure(words.operands().getFirst() + " has no terminal: srun --pty gives one");
        }
        try (var run =
                new AttachedRun(
                        terminal,
                        LocalTerminal.of(terminal, "sattach", pty),
                        words.has("label"),
                        LocalTerminal::shows)) {
            try {
                run.connect(client, place);
            } catch (IOException e) {
                throw failure(String.valueOf(e.getMessage()));
            }
            String stepId = "StepId=" + words.operands().getFirst();
            if (words.has("verbose")) {
                say(terminal, "attached to %s on %s".formatted(stepId, job.text("nodeList")));
            }
            AttachedRun.End end =
                    run.untilEnd(() -> come(terminal, client, run, job.id(), stepId, path));
            if (end.exitCode() == null) {
                throw failure("sent away: " + end.why());
            }
            return end.exitCode();
        }
    }

    private static void say(Terminal terminal, String line) {
        terminal.err().print("sattach: " + line + "\n");
        terminal.err().flush();
    }

    /// Attaches again, unless the job is over.
    private static void come(
            Terminal terminal,
            MeshClient client,
            AttachedRun run,
            long job,
            String step,
            String path)
            throws CommandFailure {
        int looks = 0;
        for (int away = 0; looks < LOOKS && away < LOOKS_AWAY && !run.isOver(); ) {
            try {
                if (comes(client, run, job, path)) {
                    say(terminal, step + " is attached again");
                    return;
                }
                looks++;
            } catch (IOException e) {
                away++;
            }
            if (looks + away == QUIET_LOOKS) {
                say(terminal, "lost the connection to %s, trying again".formatted(step));
            }
            terminal.pause().await(PAUSE);
        }
        if (!run.isOver()) {
            throw failure("lost the connection to " + step);
        }
    }

    /// Whether it could.
    ///
    /// @throws IOException if the gateway is away
    private static boolean comes(MeshClient client, AttachedRun run, long job, String path)
            throws IOException, CommandFailure {
        try {
            Answer place = client.send("POST", path, "", List.of());
            if (place.ok()) {
                run.connect(client, place.body());
                return true;
            }
            var seen = new JobView(client.send("GET", "/v1/jobs/" + job, null, List.of()).body());
            if (seen.ended()) {
                throw failure("job " + job + " is " + seen.state());
            }
            return false;
        } catch (NoAnswer e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    private static CommandFailure failure(String why) {
        return CommandFailure.error("sattach", why);
    }

    private static JsonObject success(Answer answer) throws CommandFailure {
        if (!answer.ok()) {
            throw failure(answer.detail());
        }
        return answer.body();
    }

    private static void check(Words words) throws CommandFailure {
        if (words.has("quiet") && words.has("verbose")) {
            throw failure("don't specify both --verbose (-v) and --quiet (-Q)");
        }
        if (words.has("pty") && FILTERS.stream().anyMatch(words::has)) {
            throw failure("don't specify both --pty and I/O filtering");
        }
        for (String filter : FILTERS) {
            String value = words.value(filter, "-");
            if (!value.matches("-|[0-9]{1,9}")) {
                throw failure("--%s is the number of a task, not '%s'".formatted(filter, value));
            }
        }
    }

    private static Matcher step(List<String> operands) throws CommandFailure {
        Matcher step = STEP.matcher(operands.size() == 1 ? operands.getFirst() : "");
        if (!step.matches() || !JobIds.names(step.group(1)) || !JobIds.one(step.group(1))) {
            throw failure(
                    operands.isEmpty()
                            ? "which step? 'sattach JOB.STEP', such as 17.0"
                            : "'%s' is no step: one is named JOB.STEP, such as 17.0"
                                    .formatted(String.join(" ", operands)));
        }
        return step;
    }

    private static void checkTasks(Words words, JobView job) throws CommandFailure {
        long tasks = job.number("tasks");
        if (tasks > 1 && words.has("label")) {
            throw failure(
                    "--label: the streams of the step's %d tasks come together in its job; srun -l labels them there"
                            .formatted(tasks));
        }
        for (String filter : FILTERS) {
            String task = words.value(filter, "-");
            if (!task.equals("-") && tasks > 1) {
                throw failure(
                        "--%s: the streams of the step's %d tasks come together in its job"
                                .formatted(filter, tasks));
            }
            if (!task.matches("-|0+")) {
                throw failure("--%s: the step has no task but 0".formatted(filter));
            }
        }
    }

    private static void checkStep(JobView job, String step) throws CommandFailure {
        String why = "could not get job step info: job " + job.id();
        if (!step.matches("0+")) {
            throw failure(why + " has no step " + step + " that can be attached to: 0 may be one");
        }
        if (job.ended() || job.json().objects("allocations").isEmpty()) {
            throw failure(why + " is " + job.state());
        }
    }

    /// As Slurm's sattach prints it. Tasks are numbered node by node.
    private static String layout(JobView job) {
        List<JsonObject> nodes = job.json().objects("allocations");
        var text = new StringBuilder("Job step layout:\n");
        text.append(
                "\t%d tasks, %d nodes (%s)\n\n"
                        .formatted(job.number("tasks"), nodes.size(), job.text("nodeList")));
        long task = 0;
        for (int i = 0; i < nodes.size(); i++) {
            long count = nodes.get(i).number("tasks");
            text.append(
                    "\tNode %d (%s), %d task(s): ".formatted(i, nodes.get(i).text("node"), count));
            for (long last = task + count; task < last; task++) {
                text.append(task).append(' ');
            }
            text.append('\n');
        }
        return text.toString();
    }
}
