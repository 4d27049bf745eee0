package io.berth.cli;

import static io.berth.cli.CliOption.flag;
import static io.berth.cli.CliOption.valued;

import io.berth.cli.CliOption.Words;
import io.berth.cli.JobField.Moment;
import io.berth.client.Answer;
import io.berth.client.Query;
import io.berth.contracts.JobState;
import io.berth.slurm.OptionName.Argument;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// `squeue`: the jobs that wait and run.
final class Squeue implements Command {

    private static final String FORMAT = "%.18i %.9P %.8j %.8u %.2t %.10M %.6D %R";
    private static final String LONG_FORMAT = "%.18i %.9P %.8j %.8u %.8T %.10M %.9l %.6D %R";

    private static final String START_FORMAT = "%.18i %.9P %.8j %.8u %.2t %.19S %.6D %20Y %R";

    /// By partition, then state, then falling priority.
    private static final String ORDER = "P,t,-Q";

    /// Of so many jobs at most it asks one by one.
    private static final int MOST_LAUNCHED = 100;

    private static final List<CliOption> OPTIONS =
            List.of(
                    valued("account", 'A', "only jobs of these accounts").from("SQUEUE_ACCOUNT"),
                    flag("all", 'a', "nothing more: jobs of all partitions are shown")
                            .from("SQUEUE_ALL"),
                    flag("array", 'r', "one line for each task of an array").from("SQUEUE_ARRAY"),
                    CliOption.CLUSTERS,
                    flag("help", '\0', "this text"),
                    flag("hide", '\0', "nothing: jobs of all partitions are shown"),
                    Iteration.OPTION,
                    valued("format", 'o', "columns, such as \"%.18i %.8u %R\""),
                    valued("Format", 'O', "columns by name, such as \"JobID:10,UserName,State\""),
                    valued("jobs", 'j', "only these jobs"),
                    valued("licenses", 'L', "only jobs that ask for these licenses")
                            .from("SQUEUE_LICENSES"),
                    DataForm.OPTIONS.getFirst(),
                    DataForm.OPTIONS.getLast(),
                    flag("long", 'l', "with states in full and time limits"),
                    flag("me", '\0', "only my jobs"),
                    valued("name", 'n', "only jobs of these names").from("SQUEUE_NAMES"),
                    flag("notme", '\0', "only others' jobs"),
                    flag("array-unique", '\0', "of the waiting tasks of an array the first alone"),
                    flag("noconvert", '\0', "nothing: memory is told as it was asked for"),
                    flag("noheader", 'h', "without the line of titles"),
                    valued("nodelist", 'w', "only jobs on these nodes"),
                    valued("partition", 'p', "only jobs in these partitions")
                            .from("SQUEUE_PARTITION"),
                    flag(
                            "priority",
                            'P',
                            "a waiting job once for each of its partitions, whose tiers go before priorities"),
                    valued("qos", 'q', "only jobs of these QOS").from("SQUEUE_QOS"),
                    valued("reservation", 'R', "only jobs of these reservations"),
                    valued("sort", 'S', "order, such as \"P,-Q\"").from("SQUEUE_SORT"),
                    flag("start", '\0', "when waiting jobs are expected to start, and where"),
                    valued("states", 't', "jobs in these states, or all").from("SQUEUE_STATES"),
                    new CliOption(
                            "steps",
                            's',
                            Argument.OPTIONAL,
                            "scripts and steps of running jobs; of these: -s17.0"),
                    valued("user", 'u', "only jobs of these users").from("SQUEUE_USERS"),
                    flag("version", 'V', "Berth's version"),
                    CliOption.FEDERATION,
                    CliOption.LOCAL,
                    CliOption.SIBLING,
                    CliOption.USAGE,
                    CliOption.VERBOSE);

    @Override
    public String synopsis() {
        return "squeue [-l] [-u USER] [-t STATE] [-o FORMAT]: the jobs that wait and run";
    }

    @Override
    public List<CliOption> options() {
        return OPTIONS;
    }

    @Override
    public boolean takesOperands() {
        return false;
    }

    @Override
    public int run(Terminal terminal, Words words) throws CommandFailure {
        List<String> ids = ids(words);
        Set<String> states = states(words);
        if (words.has("steps")) {
            return steps(terminal, words, ids, states);
        }
        Layout<JobField> layout = layout(terminal, words);
        List<SortKey> keys = sortKeys(words.value("sort", words.has("start") ? "S" : ORDER));
        MeshClient client = MeshClient.of(terminal, "squeue");
        return Iteration.run(
                terminal,
                "squeue",
                words,
                () -> {
                    Moment moment = Moment.of(terminal);
                    List<JobView> jobs =
                            new ArrayList<>(jobs(terminal, client, words, ids, states));
                    boolean data = DataForm.of(words) != null;
                    if (layout.columns().stream().anyMatch(it -> it.field().ofLaunch())
                            || (data && jobs.size() <= MOST_LAUNCHED)) {
                        jobs = launched(terminal, client, jobs);
                    }
                    boolean apart = words.has("priority") && !data;
                    if (apart) {
                        jobs = new ArrayList<>(PartitionLines.apart(jobs, words.list("partition")));
                    }
                    boolean byTier = apart && keys.stream().anyMatch(SortKey::ofPriority);
                    jobs.sort(
                            order(keys, moment, byTier ? PartitionLines.tiers(client) : Map.of()));
                    list(terminal, words, layout, jobs, moment);
                });
    }

    private static int steps(Terminal terminal, Words words, List<String> ids, Set<String> states)
            throws CommandFailure {
        var steps = StepLines.of(words);
        List<String> asked = ids.isEmpty() ? steps.jobs() : ids;
        MeshClient client = MeshClient.of(terminal, "squeue");
        return Iteration.run(
                terminal,
                "squeue",
                words,
                () ->
                        steps.print(
                                terminal,
                                client,
                                words,
                                asked,
                                jobs(terminal, client, words, asked, states),
                                Moment.of(terminal)));
    }

    private static void list(
            Terminal terminal,
            Words words,
            Layout<JobField> layout,
            List<JobView> sorted,
            Moment moment) {
        List<JobView> jobs = sorted;
        DataForm form = DataForm.of(words);
        if (!words.has("array") && form == null && !words.has("start")) {
            jobs = words.has("array-unique") ? ArrayLines.first(jobs) : ArrayLines.together(jobs);
        }
        if (form != null) {
            terminal.out()
                    .print(
                            form.text(
                                    SlurmData.of(
                                            "openapi",
                                            "jobs",
                                            jobs.stream()
                                                    .map(it -> SqueueJson.fields(it, moment))
                                                    .toList())));
        } else {
            print(terminal, words, layout, jobs, moment);
        }
    }

    private static List<JobView> jobs(
            Terminal terminal, MeshClient client, Words words, List<String> ids, Set<String> states)
            throws CommandFailure {
        if (words.has("states") && States.known(states).isEmpty()) {
            return List.of();
        }
        if (ids.size() == 1 && !words.has("steps")) {
            Answer answer = client.ask("GET", JobIds.path(ids.getFirst()));
            if (answer.status() == 404) {
                throw new CommandFailure(1, "slurm_load_jobs error: Invalid job id specified\n");
            }
        }
        List<String> users =
                words.has("me") ? List.of(client.token().actsFor(terminal)) : words.list("user");
        String me = words.has("notme") ? client.token().actsFor(terminal) : "";
        String path =
                new Query("/v1/jobs")
                        .with("state", States.known(states))
                        .with("user", users)
                        .with("partition", words.list("partition"))
                        .with("job", ids)
                        .toString();
        List<String> accounts = words.list("account");
        List<String> names = words.list("name");
        List<String> qos = words.list("qos");
        List<String> licenses = words.list("licenses");
        List<String> reservations = words.list("reservation");
        List<String> hosts = words.hosts("squeue", "nodelist");
        return JobView.all(client.get(path)).stream()
                .filter(job -> !words.has("notme") || !job.text("user").equals(me))
                .filter(job -> words.has("states") || JobField.listed(job))
                .filter(job -> accounts.isEmpty() || accounts.contains(job.text("account")))
                .filter(job -> names.isEmpty() || names.contains(job.text("name")))
                .filter(job ->
                        reservations.isEmpty() || reservations.contains(job.text("reservation")))
                .filter(job ->
                        licenses.isEmpty()
                                || CliOption.split(job.text("licenses")).stream()
                                        .map(it -> it.replaceFirst(":.*", ""))
                                        .anyMatch(licenses::contains))
                .filter(job -> qos.isEmpty() || qos.contains(job.text("qos")))
                .filter(job ->
                        hosts.isEmpty()
                                || job.json().texts("nodeNames").stream().anyMatch(hosts::contains))
                .filter(job -> !words.has("start") || job.is(JobState.PENDING))
                .toList();
    }

    /// The jobs with what the gateway tells of one at a time: its files and its command.
    private static List<JobView> launched(Terminal terminal, MeshClient client, List<JobView> jobs)
            throws CommandFailure {
        if (jobs.size() > MOST_LAUNCHED) {
            terminal.err()
                    .print(
                            "squeue: files and commands are not told of more than %d jobs: ask for fewer\n"
                                    .formatted(MOST_LAUNCHED));
            return jobs;
        }
        var launched = new ArrayList<JobView>();
        for (JobView job : jobs) {
            Answer answer = client.ask("GET", "/v1/jobs/" + job.id());
            JobView told = answer.ok() ? new JobView(answer.body()) : job;
            launched.add(told.fromBooks() ? job : told);
        }
        return launched;
    }

    private static Layout<JobField> layout(Terminal terminal, Words words) throws CommandFailure {
        String names =
                words.value(
                        "Format",
                        words.has("format") ? "" : terminal.variable("SQUEUE_FORMAT2", ""));
        if (!names.isEmpty()) {
            return Layout.parseNames("squeue", names, JobField::named);
        }
        String usual = words.has("start") ? START_FORMAT : words.has("long") ? LONG_FORMAT : FORMAT;
        return Layout.parse(
                "squeue",
                words.value("format", terminal.variable("SQUEUE_FORMAT", usual)),
                JobField::of);
    }

    private static List<String> ids(Words words) throws CommandFailure {
        var ids = new ArrayList<String>();
        for (String text : JobIds.split(words.value("jobs", ""))) {
            if (!JobIds.names(text)) {
                throw CommandFailure.error("squeue", "Invalid job id: " + text);
            }
            ids.add(text);
        }
        return ids;
    }

    private static Set<String> states(Words words) throws CommandFailure {
        List<String> given = words.list("states");
        List<String> unknown = States.unknown(given);
        if (!unknown.isEmpty()) {
            throw new CommandFailure(
                    1,
                    "squeue: error: Invalid job state specified: "
                            + unknown.getFirst()
                            + "\nsqueue: error: Valid job states include: "
                            + String.join(",", States.NAMES)
                            + "\n\n");
        }
        return States.named(given);
    }

    /// These keys, and at last the id.
    private static List<SortKey> sortKeys(String keys) throws CommandFailure {
        var sortKeys = new ArrayList<SortKey>();
        for (String key : CliOption.split(keys)) {
            boolean falling = key.startsWith("-");
            String letter = falling || key.startsWith("+") ? key.substring(1) : key;
            JobField field = letter.length() == 1 ? JobField.of(letter.charAt(0)) : null;
            if (field == null) {
                throw CommandFailure.error("squeue", "Invalid sort specification: " + keys);
            }
            sortKeys.add(new SortKey(field, falling));
        }
        sortKeys.add(new SortKey(JobField.ID, false));
        return sortKeys;
    }

    /// @param tiers of partitions, which are part of a job's priority; empty where they are not
    private static Comparator<JobView> order(
            List<SortKey> sortKeys, Moment moment, Map<String, Long> tiers) {
        Comparator<JobView> byTier =
                Comparator.comparing(job -> tiers.getOrDefault(job.text("partition"), 0L));
        return (one, other) -> {
            int order = 0;
            for (int i = 0; order == 0 && i < sortKeys.size(); i++) {
                SortKey key = sortKeys.get(i);
                int tier = key.ofPriority() ? byTier.compare(one, other) : 0;
                int own = tier == 0 ? key.field().compare(one, other, moment) : tier;
                order = own * (key.falling() ? -1 : 1);
            }
            return order;
        };
    }

    private record SortKey(JobField field, boolean falling) {

        boolean ofPriority() {
            return field == JobField.PRIORITY || field == JobField.PRIORITY_NORMAL;
        }
    }

    private static void print(
            Terminal terminal,
            Words words,
            Layout<JobField> layout,
            List<JobView> jobs,
            Moment moment) {
        if (!words.has("noheader")) {
            if (Iteration.dated(words)) {
                terminal.out().print(Dates.line(moment.now(), moment.zone().get()) + "\n");
            }
            terminal.out().print(layout.line(JobField::header) + "\n");
        }
        for (JobView job : jobs) {
            terminal.out().print(layout.line(field -> field.value(job, moment)) + "\n");
        }
    }
}
