package io.berth.cli;

import static io.berth.cli.CliOption.flag;

import io.berth.cli.CliOption.Words;
import io.berth.cli.JobField.Moment;
import io.berth.cli.MeshClient.Answer;
import io.berth.slurm.HostList;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// `scontrol`: jobs, nodes and partitions in full, host lists, and what operators and owners
/// change.
final class Scontrol implements Command {

    private static final Set<String> NOT_YET = Set.of("reboot", "reconfigure", "wait_job", "write");

    private static final Set<String> OF_JOBS =
            Set.of(
                    "hold",
                    "uhold",
                    "release",
                    "requeue",
                    "requeuehold",
                    "resume",
                    "suspend",
                    "top");

    private static final List<CliOption> OPTIONS =
            List.of(
                    flag("details", 'd', "with what each node gives"),
                    flag("help", 'h', "this text"),
                    DataForm.OPTIONS.getFirst(),
                    DataForm.OPTIONS.getLast(),
                    flag("oneliner", 'o', "one line for each"),
                    flag("version", 'V', "Berth's version"));

    @Override
    public String synopsis() {
        return "scontrol show job|node|partition|reservation [NAME] | hold|release|requeue|suspend|resume|top JOB"
                + " | update JobId=JOB|NodeName=NODE|ReservationName=R NAME=VALUE... | create|delete"
                + " reservation NAME=VALUE...: all that is known, and changes to it";
    }

    @Override
    public List<CliOption> options() {
        return OPTIONS;
    }

    @Override
    public int run(Terminal terminal, Words words) throws CommandFailure {
        List<String> operands = words.operands();
        String keyword = operands.isEmpty() ? "" : operands.getFirst();
        if (NOT_YET.contains(keyword)) {
            throw CommandFailure.error("scontrol", keyword + " is not supported yet");
        }
        if (OF_JOBS.contains(keyword)) {
            return new ScontrolActions(terminal).ofJobs(keyword, rest(operands));
        } else if (keyword.equals("update")) {
            return new ScontrolActions(terminal).update(rest(operands));
        } else if (keyword.equals("create")) {
            return new ReservationChanges(terminal).create(ofReservation(operands));
        } else if (keyword.equals("delete")) {
            return new ReservationChanges(terminal).delete(ofReservation(operands));
        } else if (keyword.equals("ping")) {
            return new ScontrolActions(terminal).ping();
        }
        if (!isShort(keyword, "show", 2)) {
            throw new CommandFailure(1, "invalid keyword: " + keyword + "\n");
        }
        String entity = operands.size() < 2 ? "" : operands.get(1);
        String name = operands.size() < 3 ? null : operands.get(2);
        if (isShort(entity, "jobs", 1) || entity.equals("jobid")) {
            return jobs(terminal, words, name);
        } else if (isShort(entity, "nodes", 1)) {
            return nodes(terminal, words, name);
        } else if (isShort(entity, "partitions", 1)) {
            return partitions(terminal, words, name);
        } else if (isShort(entity, "reservations", 1)) {
            return reservations(terminal, words, name);
        } else if (isShort(entity, "licenses", 1)) {
            return licenses(terminal, words, name);
        } else if (isShort(entity, "hostnames", 5)) {
            return hostNames(terminal, name);
        } else if (isShort(entity, "hostlist", 5)) {
            List<String> hosts = name == null ? List.of() : CliOption.split(name);
            terminal.out().print(HostList.compress(hosts) + "\n");
            return 0;
        }
        throw new CommandFailure(1, "invalid entity:" + entity + " for keyword:show \n");
    }

    private static List<String> rest(List<String> operands) {
        return operands.subList(1, operands.size());
    }

    /// The settings of a command on a reservation, with `reservation` before them or without.
    private static List<String> ofReservation(List<String> operands) throws CommandFailure {
        List<String> rest = rest(operands);
        String first = rest.isEmpty() ? "" : rest.getFirst();
        if (first.equalsIgnoreCase("reservation")) {
            return rest.subList(1, rest.size());
        }
        if (first.toLowerCase(Locale.ROOT).startsWith("reservation")) {
            return rest;
        }
        throw new CommandFailure(
                1, "Invalid entity for keyword:" + operands.getFirst() + ": only reservation\n");
    }

    /// Slurm's word on a setting that it does not know.
    static CommandFailure unsupported(String setting) {
        return new CommandFailure(
                1, "Update of this parameter is not supported: " + setting + "\nRequest aborted\n");
    }

    /// A refusal that concerns a job, in Slurm's words where it has some.
    static CommandFailure refused(Answer answer, String job) {
        return new CommandFailure(1, why(answer, job));
    }

    static String why(Answer answer, String job) {
        return reason(answer) + " for job " + job + "\n";
    }

    static String reason(Answer answer) {
        return switch (answer.status()) {
            case 403 -> "Access/permission denied";
            case 404 -> "Invalid job id specified";
            default -> answer.detail();
        };
    }

    private static boolean isShort(String word, String full, int least) {
        return word.length() >= least && full.startsWith(word);
    }

    private static int hostNames(Terminal terminal, @Nullable String list) throws CommandFailure {
        String hosts = list == null ? terminal.variable("SLURM_JOB_NODELIST", "") : list;
        try {
            for (String host : HostList.expand(hosts)) {
                terminal.out().print(host + "\n");
            }
            return 0;
        } catch (IllegalArgumentException e) {
            throw CommandFailure.error("scontrol", String.valueOf(e.getMessage()));
        }
    }

    private static int jobs(Terminal terminal, Words words, @Nullable String name)
            throws CommandFailure {
        MeshClient client = MeshClient.of(terminal, "scontrol");
        List<JobView> jobs = new ArrayList<>();
        if (name == null) {
            String all =
                    new Query("/v1/jobs")
                            .with("state", States.known(Set.copyOf(States.NAMES)))
                            .toString();
            for (JobView job : JobView.all(client.get(all))) {
                jobs.add(new JobView(client.get("/v1/jobs/" + job.id())));
            }
        } else {
            if (!JobIds.names(name)) {
                throw new CommandFailure(1, "slurm_load_jobs error: Invalid job id specified\n");
            }
            jobs.addAll(named(client, name));
        }
        DataForm form = DataForm.of(words);
        if (form != null) {
            return data(terminal, form, "jobs", jobs.stream().map(JobView::json).toList());
        }
        if (jobs.isEmpty()) {
            terminal.out().print("No jobs in the system\n");
        }
        var moment = new Moment(terminal.now(), terminal.zone());
        for (JobView job : jobs) {
            var details = new JobDetails(job, moment, Accounts.ofMachine(), words.has("details"));
            print(terminal, words, details.lines());
        }
        return 0;
    }

    private static List<JobView> named(MeshClient client, String name) throws CommandFailure {
        Answer answer = client.ask("GET", JobIds.path(name));
        if (answer.status() == 404) {
            throw new CommandFailure(1, "slurm_load_jobs error: Invalid job id specified\n");
        }
        if (!answer.ok()) {
            throw CommandFailure.error("scontrol", answer.detail());
        }
        var first = new JobView(answer.body());
        boolean one = name.equals(first.name()) || first.id() != first.arrayOrSelf();
        if (!first.array() || (one && JobIds.one(name))) {
            return List.of(first);
        }
        var tasks = new ArrayList<JobView>();
        String all = new Query("/v1/jobs").with("job", List.of(name)).toString();
        for (JobView task : JobView.all(client.get(all))) {
            tasks.add(new JobView(client.get("/v1/jobs/" + task.id())));
        }
        return tasks;
    }

    private static int nodes(Terminal terminal, Words words, @Nullable String name)
            throws CommandFailure {
        MeshClient client = MeshClient.of(terminal, "scontrol");
        List<NodeView> nodes = new ArrayList<>(NodeView.all(client.get("/v1/nodes")));
        nodes.sort((a, b) -> HostList.ORDER.compare(a.name(), b.name()));
        if (name != null) {
            List<String> wanted = expand(name);
            for (String host : wanted) {
                if (nodes.stream().noneMatch(node -> node.name().equals(host))) {
                    terminal.out().print("Node " + host + " not found\n");
                    return 1;
                }
            }
            nodes.removeIf(node -> !wanted.contains(node.name()));
        }
        DataForm form = DataForm.of(words);
        if (form != null) {
            return data(terminal, form, "nodes", nodes.stream().map(NodeView::json).toList());
        }
        for (NodeView node : nodes) {
            print(terminal, words, NodeDetails.lines(node, words.has("details"), terminal.zone()));
        }
        return 0;
    }

    private static List<String> expand(String list) throws CommandFailure {
        try {
            return HostList.expand(list);
        } catch (IllegalArgumentException e) {
            throw CommandFailure.error("scontrol", String.valueOf(e.getMessage()));
        }
    }

    private static int partitions(Terminal terminal, Words words, @Nullable String name)
            throws CommandFailure {
        MeshClient client = MeshClient.of(terminal, "scontrol");
        List<PartitionView> partitions =
                new ArrayList<>(PartitionView.all(client.get("/v1/partitions")));
        if (name != null) {
            partitions.removeIf(partition -> !partition.name().equals(name));
            if (partitions.isEmpty()) {
                terminal.out().print("Partition " + name + " not found\n");
                return 1;
            }
        }
        DataForm form = DataForm.of(words);
        if (form != null) {
            return data(
                    terminal,
                    form,
                    "partitions",
                    partitions.stream().map(PartitionView::json).toList());
        }
        List<NodeView> nodes = NodeView.all(client.get("/v1/nodes"));
        for (PartitionView partition : partitions) {
            print(terminal, words, PartitionDetails.lines(partition, nodes));
        }
        return 0;
    }

    private static int reservations(Terminal terminal, Words words, @Nullable String name)
            throws CommandFailure {
        MeshClient client = MeshClient.of(terminal, "scontrol");
        List<ReservationView> all =
                new ArrayList<>(ReservationView.all(client.get("/v1/reservations")));
        if (name != null) {
            all.removeIf(it -> !it.name().equals(name));
            if (all.isEmpty()) {
                terminal.out().print("Reservation " + name + " not found\n");
                return 1;
            }
        }
        DataForm form = DataForm.of(words);
        if (form != null) {
            return data(
                    terminal,
                    form,
                    "reservations",
                    all.stream().map(ReservationView::json).toList());
        }
        if (all.isEmpty()) {
            terminal.out().print(ReservationView.NONE);
        }
        for (ReservationView it : all) {
            print(terminal, words, it.details(terminal.zone().get()));
        }
        return 0;
    }

    private static int licenses(Terminal terminal, Words words, @Nullable String name)
            throws CommandFailure {
        MeshClient client = MeshClient.of(terminal, "scontrol");
        List<JsonObject> all = new ArrayList<>(client.get("/v1/licenses").objects("licenses"));
        if (name != null) {
            all.removeIf(it -> !it.text("name").equals(name));
            if (all.isEmpty()) {
                terminal.out().print("License " + name + " not found\n");
                return 1;
            }
        }
        DataForm form = DataForm.of(words);
        if (form != null) {
            return data(terminal, form, "licenses", all);
        }
        if (all.isEmpty()) {
            terminal.out().print("No licenses configured in Slurm.\n");
        }
        String between = words.has("oneliner") ? " " : "\n    ";
        for (JsonObject it : all) {
            terminal.out()
                    .print(
                            "LicenseName=%s%sTotal=%d Used=%d Free=%d Reserved=0 Remote=no\n"
                                    .formatted(
                                            it.text("name"),
                                            between,
                                            it.number("total"),
                                            it.number("used"),
                                            it.number("free")));
        }
        return 0;
    }

    private static int data(Terminal terminal, DataForm form, String name, List<JsonObject> items) {
        terminal.out().print(form.text(Map.of(name, items)));
        return 0;
    }

    /// Slurm indents what follows the first line, and ends each item with an empty line.
    private static void print(Terminal terminal, Words words, List<String> lines) {
        boolean one = words.has("oneliner");
        terminal.out().print(String.join(one ? " " : "\n   ", lines) + (one ? "\n" : "\n\n"));
    }
}
