package io.berth.cli;

import static io.berth.cli.CliOption.flag;
import static io.berth.cli.CliOption.valued;

import io.berth.cli.CliOption.Words;
import io.berth.client.Answer;
import io.berth.client.JsonObject;
import io.berth.client.JsonText;
import io.berth.client.Query;
import io.berth.slurm.SignalText;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// `scancel`: the end of jobs and steps.
final class Scancel implements Command {

    /// As many as the gateway takes.
    private static final int MOST_AT_ONCE = 1000;

    private static final Pattern STEP =
            Pattern.compile("(\\d+(?:[_+]\\d+)?)\\.(\\d{1,6}|batch|extern)");
    private static final Set<String> STATES = Set.of("PENDING", "RUNNING", "SUSPENDED");
    private static final List<String> FILTERS =
            List.of(
                    "account",
                    "me",
                    "name",
                    "nodelist",
                    "partition",
                    "qos",
                    "reservation",
                    "state",
                    "user");

    private static final List<CliOption> OPTIONS =
            List.of(
                    valued("account", 'A', "jobs of this account").from("SCANCEL_ACCOUNT"),
                    flag("batch", 'b', "with --signal: only the batch script's own process")
                            .from("SCANCEL_BATCH"),
                    CliOption.CLUSTERS,
                    flag("ctld", '\0', "nothing: the gateway is always asked"),
                    flag("full", 'f', "with --signal: the script and all that it started")
                            .from("SCANCEL_FULL"),
                    flag("help", '\0', "this text"),
                    flag("hurry", 'H', "nothing: no files are staged"),
                    flag("interactive", 'i', "ask before each job").from("SCANCEL_INTERACTIVE"),
                    flag("me", '\0', "my jobs"),
                    valued("name", 'n', "jobs of this name").from("SCANCEL_NAME"),
                    valued("nodelist", 'w', "jobs on these nodes"),
                    valued("partition", 'p', "jobs in this partition").from("SCANCEL_PARTITION"),
                    valued("qos", 'q', "jobs of this QOS").from("SCANCEL_QOS"),
                    flag("quiet", 'Q', "no word about what cannot be cancelled"),
                    valued("reservation", 'R', "jobs of this reservation"),
                    valued(
                            "signal",
                            's',
                            "send this signal, by name or number, and let them go on"),
                    valued("state", 't', "jobs in this state: PENDING, RUNNING or SUSPENDED")
                            .from("SCANCEL_STATE"),
                    valued("user", 'u', "jobs of this user").from("SCANCEL_USER"),
                    flag("verbose", 'v', "each job that is cancelled").from("SCANCEL_VERBOSE"),
                    CliOption.USAGE,
                    flag("version", 'V', "Berth's version"));

    @Override
    public String synopsis() {
        return "scancel [-u USER] [-n NAME] [-t STATE] [JOB[.STEP]...]: the end of jobs";
    }

    @Override
    public List<CliOption> options() {
        return OPTIONS;
    }

    @Override
    public int run(Terminal terminal, Words words) throws CommandFailure {
        List<String> steps = steps(words);
        List<String> named = ids(words);
        List<String> states = states(words);
        String signal = signal(words);
        boolean filtered = FILTERS.stream().anyMatch(words::has);
        if (words.operands().isEmpty() && !filtered) {
            throw CommandFailure.error("scancel", "No job identification provided");
        }
        MeshClient client = MeshClient.of(terminal, "scancel");
        if (filtered && !steps.isEmpty()) {
            throw CommandFailure.error(
                    "scancel", "a step is named alone, without filters: " + steps.getFirst());
        }
        List<String> ids = filtered ? matching(terminal, client, words, named, states) : named;
        var together = new ArrayList<String>();
        int exitCode = 0;
        for (String step : steps) {
            exitCode |= step(terminal, client, words, step);
        }
        for (String id : ids) {
            if (words.has("interactive") && !confirmed(terminal, client, id)) {
                continue;
            }
            if (words.has("verbose")) {
                terminal.err()
                        .print(
                                "scancel: "
                                        + (signal == null
                                                ? "Terminating job "
                                                : "Signal " + signal + " to batch job ")
                                        + id
                                        + "\n");
            }
            if (signal == null && !words.has("interactive")) {
                together.add(id);
                continue;
            }
            Answer answer =
                    signal == null
                            ? client.ask("DELETE", JobIds.path(id))
                            : client.ask(
                                    "POST",
                                    JobIds.path(id)
                                            + "/signal?signal="
                                            + signal
                                            + "&target="
                                            + target(words));
            exitCode |= said(terminal, words, id, answer);
        }
        for (int from = 0; from < together.size(); from += MOST_AT_ONCE) {
            int to = Math.min(from + MOST_AT_ONCE, together.size());
            exitCode |= cancelled(terminal, words, client, together.subList(from, to));
        }
        return exitCode;
    }

    /// Ends one step, `17.0`, or sends it a signal; `17.batch` is the script.
    private static int step(Terminal terminal, MeshClient client, Words words, String name)
            throws CommandFailure {
        Matcher step = STEP.matcher(name);
        if (!step.matches() || step.group(2).equals("extern")) {
            throw CommandFailure.error("scancel", name + ": there is no such step");
        }
        if (words.has("batch") || words.has("full")) {
            throw CommandFailure.error(
                    "scancel", name + ": a step is meant alone, without --batch and --full");
        }
        String given = signal(words);
        String signal = given == null ? "KILL" : given;
        if (words.has("interactive") && !asked(terminal, "Cancel step_id=" + name + " [y/n]? ")) {
            return 0;
        }
        if (words.has("verbose")) {
            terminal.err()
                    .print(
                            "scancel: "
                                    + (given == null
                                            ? "Terminating step "
                                            : "Signal " + signal + " to step ")
                                    + name
                                    + "\n");
        }
        String which = step.group(2).equals("batch") ? "target=batch" : "step=" + step.group(2);
        Answer answer =
                client.ask(
                        "POST",
                        JobIds.path(step.group(1)) + "/signal?signal=" + signal + "&" + which);
        if (answer.ok() || answer.status() == 404) {
            return 0;
        }
        if (!words.has("quiet")) {
            terminal.err()
                    .print(
                            "scancel: error: Kill job error on job step id %s: %s\n"
                                    .formatted(name, why(answer)));
        }
        return 1;
    }

    private static String why(Answer answer) {
        return answer.status() == 403 ? "Access/permission denied" : answer.detail();
    }

    private static int cancelled(
            Terminal terminal, Words words, MeshClient client, List<String> ids)
            throws CommandFailure {
        String body = JsonText.compact(Map.of("jobs", ids));
        Answer answer = client.ask("POST", "/v1/jobs/cancel", body);
        int exitCode = 0;
        if (!answer.ok()) {
            for (String id : ids) {
                exitCode |= said(terminal, words, id, answer);
            }
        }
        for (JsonObject stays : answer.body().objects("refused")) {
            var why = new Answer((int) stays.number("status"), stays, null);
            exitCode |= said(terminal, words, stays.text("job"), why);
        }
        return exitCode;
    }

    /// The exit code for what was answered of a job.
    private static int said(Terminal terminal, Words words, String id, Answer answer) {
        if (answer.ok() || answer.status() == 404) {
            return 0;
        }
        complain(terminal, words, id, answer);
        return 1;
    }

    /// Whether the user wants it for this job; a job that is not there is left to the gateway's
    /// answer.
    private static boolean confirmed(Terminal terminal, MeshClient client, String id)
            throws CommandFailure {
        List<JobView> jobs =
                JobView.all(client.get(new Query("/v1/jobs").with("job", List.of(id)).toString()));
        if (jobs.isEmpty()) {
            return true;
        }
        String question =
                "Cancel job_id="
                        + id
                        + " name="
                        + jobs.getFirst().text("name")
                        + " partition="
                        + jobs.getFirst().text("partition")
                        + " [y/n]? ";
        return asked(terminal, question);
    }

    private static boolean asked(Terminal terminal, String question) throws CommandFailure {
        for (Optional<String> answer = terminal.ask(question);
                answer.isPresent();
                answer = terminal.ask(question)) {
            if (answer.get().matches("[yY].*")) {
                return true;
            }
            if (answer.get().matches("[nN].*")) {
                return false;
            }
        }
        throw new CommandFailure(1, "");
    }

    /// The signal to send; null to end the jobs, which `KILL` without a target means too.
    private static @Nullable String signal(Words words) throws CommandFailure {
        String text = words.value("signal");
        if (text == null) {
            return null;
        }
        OptionalInt number = SignalText.number(text);
        if (number.isEmpty()) {
            throw CommandFailure.error("scancel", "Unknown job signal: " + text);
        }
        boolean ends =
                number.getAsInt() == SignalText.KILL && !words.has("batch") && !words.has("full");
        return ends ? null : SignalText.name(number.getAsInt());
    }

    private static String target(Words words) {
        return words.has("batch") ? "batch" : words.has("full") ? "all" : "steps";
    }

    private static void complain(Terminal terminal, Words words, String id, Answer answer) {
        if (!words.has("quiet")) {
            terminal.err()
                    .print(
                            "scancel: error: Kill job error on job id "
                                    + id
                                    + ": "
                                    + why(answer)
                                    + "\n");
        }
    }

    private static List<String> matching(
            Terminal terminal,
            MeshClient client,
            Words words,
            List<String> named,
            List<String> states)
            throws CommandFailure {
        List<String> users =
                words.has("me") ? List.of(client.token().actsFor(terminal)) : words.list("user");
        String path =
                new Query("/v1/jobs")
                        .with("state", states)
                        .with("user", users)
                        .with("partition", words.list("partition"))
                        .with("job", named)
                        .toString();
        List<String> hosts = words.hosts("scancel", "nodelist");
        var ids = new ArrayList<String>();
        for (JobView job : JobView.all(client.get(path))) {
            if ((hosts.isEmpty()
                            || job.json().texts("nodeNames").stream().anyMatch(hosts::contains))
                    && matches(job, words, "name")
                    && matches(job, words, "account")
                    && matches(job, words, "qos")
                    && matches(job, words, "reservation")
                    && !job.ended()) {
                // The id of an array's first task names all of the array.
                ids.add(
                        job.id() == job.arrayOrSelf() && job.array()
                                ? job.name()
                                : Long.toString(job.id()));
            }
        }
        return ids;
    }

    private static boolean matches(JobView job, Words words, String option) {
        return !words.has(option) || words.list(option).contains(job.text(option));
    }

    private static List<String> steps(Words words) {
        return words.operands().stream()
                .flatMap(it -> JobIds.split(it).stream())
                .filter(it -> STEP.matcher(it).matches())
                .toList();
    }

    private static List<String> ids(Words words) throws CommandFailure {
        var ids = new ArrayList<String>();
        for (String operand : words.operands()) {
            for (String text : JobIds.split(operand)) {
                if (STEP.matcher(text).matches()) {
                    continue;
                }
                if (!JobIds.names(text)) {
                    throw CommandFailure.error("scancel", "Invalid job id " + text);
                }
                ids.add(text);
            }
        }
        return ids;
    }

    private static List<String> states(Words words) throws CommandFailure {
        List<String> given = words.list("state");
        List<String> states = States.known(States.named(given));
        if (!States.unknown(given).isEmpty() || !STATES.containsAll(states)) {
            throw new CommandFailure(
                    1,
                    "Invalid job state specified: "
                            + String.join(",", given)
                            + "\nValid job states are PENDING, RUNNING, and SUSPENDED\n");
        }
        return states;
    }
}
