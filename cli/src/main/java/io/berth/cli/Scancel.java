package io.berth.cli;

import static io.berth.cli.CliOption.flag;
import static io.berth.cli.CliOption.valued;

import io.berth.cli.CliOption.Words;
import io.berth.cli.MeshClient.Answer;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/// `scancel`: the end of jobs.
final class Scancel implements Command {

    private static final Set<String> STATES = Set.of("PENDING", "RUNNING", "SUSPENDED");
    private static final List<String> FILTERS =
            List.of("account", "me", "name", "partition", "qos", "state", "user");

    private static final List<CliOption> OPTIONS =
            List.of(
                    valued("account", 'A', "jobs of this account"),
                    flag("help", '\0', "this text"),
                    flag("me", '\0', "my jobs"),
                    valued("name", 'n', "jobs of this name"),
                    valued("partition", 'p', "jobs in this partition"),
                    valued("qos", 'q', "jobs of this QOS"),
                    flag("quiet", 'Q', "no word about what cannot be cancelled"),
                    valued("state", 't', "jobs in this state: PENDING, RUNNING or SUSPENDED"),
                    valued("user", 'u', "jobs of this user"),
                    flag("verbose", 'v', "each job that is cancelled"),
                    flag("version", 'V', "Berth's version"));

    @Override
    public String synopsis() {
        return "scancel [-u USER] [-n NAME] [-t STATE] [JOB...]: the end of jobs";
    }

    @Override
    public List<CliOption> options() {
        return OPTIONS;
    }

    @Override
    public int run(Terminal terminal, Words words) throws CommandFailure {
        List<String> named = ids(words);
        List<String> states = states(words);
        boolean filtered = FILTERS.stream().anyMatch(words::has);
        if (words.operands().isEmpty() && !filtered) {
            throw CommandFailure.error("scancel", "No job identification provided");
        }
        MeshClient client = MeshClient.of(terminal, "scancel");
        List<String> ids = filtered ? matching(terminal, client, words, named, states) : named;
        int exitCode = 0;
        for (String id : ids) {
            if (words.has("verbose")) {
                terminal.err().print("scancel: Terminating job " + id + "\n");
            }
            Answer answer = client.ask("DELETE", "/v1/jobs/" + id);
            if (!answer.ok() && answer.status() != 404) {
                exitCode = 1;
                complain(terminal, words, id, answer);
            }
        }
        return exitCode;
    }

    private static void complain(Terminal terminal, Words words, String id, Answer answer) {
        if (!words.has("quiet")) {
            String why = answer.status() == 403 ? "Access/permission denied" : answer.detail();
            terminal.err()
                    .print("scancel: error: Kill job error on job id " + id + ": " + why + "\n");
        }
    }

    private static List<String> matching(
            Terminal terminal,
            MeshClient client,
            Words words,
            List<String> named,
            List<String> states)
            throws CommandFailure {
        List<String> users = new ArrayList<>(words.list("user"));
        if (words.has("me")) {
            users.add(client.token().actsFor(terminal));
        }
        String path =
                new Query("/v1/jobs")
                        .with("state", states)
                        .with("user", users)
                        .with("partition", words.list("partition"))
                        .with("job", named)
                        .toString();
        var ids = new ArrayList<String>();
        for (JobView job : JobView.all(client.get(path))) {
            if (matches(job, words, "name")
                    && matches(job, words, "account")
                    && matches(job, words, "qos")
                    && !job.ended()) {
                ids.add(Long.toString(job.id()));
            }
        }
        return ids;
    }

    private static boolean matches(JobView job, Words words, String option) {
        return !words.has(option) || words.list(option).contains(job.text(option));
    }

    /// The whole jobs named. A task of an array is written `17_3`; there are no arrays yet, and who
    /// cancels what is not there is told nothing.
    private static List<String> ids(Words words) throws CommandFailure {
        var ids = new ArrayList<String>();
        for (String operand : words.operands()) {
            for (String text : CliOption.split(operand)) {
                int task = text.indexOf('_');
                Long id = JobIds.parse(task < 0 ? text : text.substring(0, task));
                if (id == null || (task >= 0 && !isIndex(text.substring(task + 1)))) {
                    throw CommandFailure.error("scancel", "Invalid job id " + text);
                }
                if (task < 0) {
                    ids.add(text);
                }
            }
        }
        return ids;
    }

    private static boolean isIndex(String text) {
        return !text.isEmpty() && text.chars().allMatch(c -> c >= '0' && c <= '9');
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
