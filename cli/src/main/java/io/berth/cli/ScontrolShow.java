package io.berth.cli;

import io.berth.cli.CliOption.Words;
import io.berth.cli.JobField.Moment;
import io.berth.client.Answer;
import io.berth.client.JsonObject;
import io.berth.client.Query;
import io.berth.contracts.JobState;
import io.berth.slurm.HostList;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// `scontrol show`: one thing or all of a kind, in full.
final class ScontrolShow {

    /// What is refused.
    private static final Set<String> WITHOUT =
            Set.of("aliases", "bbstat", "burstbuffer", "daemons", "dwstat", "federation", "slurmd");

    private final Terminal terminal;
    private final Words words;

    ScontrolShow(Terminal terminal, Words words) {
        this.terminal = terminal;
        this.words = words;
    }

    /// @param operands `show`, the kind, and the name of one if it is asked for
    int run(List<String> operands) throws CommandFailure {
        String given = operands.size() < 2 ? "" : operands.get(1);
        int equals = given.indexOf('=');
        String entity = equals < 0 ? given : given.substring(0, equals).toLowerCase(Locale.ROOT);
        String name =
                equals >= 0
                        ? given.substring(equals + 1)
                        : operands.size() < 3 ? null : operands.get(2);
        if (Scontrol.isShort(entity, "jobs", 1) || entity.equals("jobid")) {
            return jobs(name);
        } else if (Scontrol.isShort(entity, "nodes", 1)) {
            return nodes(name);
        } else if (Scontrol.isShort(entity, "partitions", 1)) {
            return partitions(name);
        } else if (Scontrol.isShort(entity, "reservations", 1)) {
            return reservations(name);
        } else if (Scontrol.isShort(entity, "licenses", 1)) {
            return licenses(name);
        } else if (Scontrol.isShort(entity, "steps", 1) || entity.equals("stepid")) {
            return steps(name);
        } else if (Scontrol.isShort(entity, "config", 1)) {
            MeshClient client = MeshClient.of(terminal, "scontrol");
            new ConfigDetails(Admin.of(terminal, "scontrol").document(), terminal)
                    .lines(client.mesh().gateway())
                    .forEach(it -> terminal.out().print(it + "\n"));
            terminal.out().print("\n");
            return new ScontrolActions(terminal).ping();
        } else if (Scontrol.isShort(entity, "topology", 1)) {
            TopologyDetails.lines(Admin.of(terminal, "scontrol").document(), name)
                    .forEach(it -> terminal.out().print(it + "\n"));
            return 0;
        } else if (Scontrol.isShort(entity, "assoc_mgr", 2) || entity.equals("cache")) {
            return associations(operands.subList(2, operands.size()));
        } else if (Scontrol.isShort(entity, "hostnames", 5)) {
            return hostNames(name);
        } else if (Scontrol.isShort(entity, "hostlist", 5)) {
            List<String> hosts = name == null ? List.of() : CliOption.split(name);
            terminal.out().print(HostList.compress(hosts) + "\n");
            return 0;
        } else if (Scontrol.isShort(entity, "hostlistsorted", 9)) {
            List<String> hosts = new ArrayList<>(name == null ? List.of() : expand(name));
            hosts.sort(HostList.ORDER);
            terminal.out().print(HostList.compress(hosts) + "\n");
            return 0;
        }
        if (entity.isEmpty()) {
            throw new CommandFailure(1, "too few arguments for keyword:show\n");
        }
        if (WITHOUT.contains(entity)) {
            throw Scontrol.notSupported("show " + entity, "");
        }
        throw new CommandFailure(1, "invalid entity:" + entity + " for keyword:show \n");
    }

    private int hostNames(@Nullable String list) throws CommandFailure {
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

    private int jobs(@Nullable String name) throws CommandFailure {
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
            jobs.removeIf(JobView::fromBooks);
        } else {
            if (!JobIds.names(name)) {
                throw new CommandFailure(1, "slurm_load_jobs error: Invalid job id specified\n");
            }
            jobs.addAll(named(client, name));
        }
        Moment moment = Moment.of(terminal);
        DataForm form = DataForm.of(words);
        if (form != null) {
            return data(
                    form, "jobs", jobs.stream().map(it -> SqueueJson.fields(it, moment)).toList());
        }
        if (jobs.isEmpty()) {
            terminal.out().print("No jobs in the system\n");
        }
        for (JobView job : jobs) {
            var details = new JobDetails(job, moment, Accounts.ofMachine(), words.has("details"));
            print(details.lines());
        }
        return 0;
    }

    /// Scripts and steps that run: all, those of a job, or `17.0`.
    private int steps(@Nullable String name) throws CommandFailure {
        MeshClient client = MeshClient.of(terminal, "scontrol");
        String[] parts = name == null ? new String[0] : name.split("\\.", 2);
        List<String> asked = parts.length == 0 ? List.of() : List.of(parts[0]);
        List<JsonObject> steps =
                new ArrayList<>(
                        client.get(new Query("/v1/steps").with("job", asked).toString())
                                .objects("steps"));
        var jobs = new HashMap<Long, JobView>();
        for (JobView job :
                JobView.all(client.get(new Query("/v1/jobs").with("job", asked).toString()))) {
            jobs.put(job.id(), job);
            if (job.is(JobState.RUNNING) || job.is(JobState.SUSPENDED)) {
                StepData.script(job).ifPresent(steps::add);
            }
        }
        // One whose job is listed no more has ended meanwhile.
        steps.removeIf(it ->
                !jobs.containsKey(it.number("job"))
                        || (parts.length > 1 && !parts[1].equals(StepData.name(it))));
        if (steps.isEmpty() && name != null) {
            terminal.out().print("Job step " + name + " not found\n");
            return 1;
        }
        DataForm form = DataForm.of(words);
        if (form != null) {
            return data(
                    form,
                    "steps",
                    steps.stream()
                            .map(it ->
                                    StepData.fields(
                                            Objects.requireNonNull(jobs.get(it.number("job"))),
                                            StepData.name(it),
                                            it.text("name"),
                                            it.number("tasks"),
                                            it.number("beganAt"),
                                            it.texts("nodes"),
                                            terminal.now()))
                            .toList());
        }
        for (JsonObject step : steps) {
            print(
                    StepDetails.lines(
                            step,
                            Objects.requireNonNull(jobs.get(step.number("job"))),
                            Accounts.ofMachine(),
                            terminal.zone().get()));
        }
        return 0;
    }

    private static List<JobView> named(MeshClient client, String name) throws CommandFailure {
        Answer answer = client.ask("GET", JobIds.path(name));
        if (answer.status() == 404 || (answer.ok() && new JobView(answer.body()).fromBooks())) {
            throw new CommandFailure(1, "slurm_load_jobs error: Invalid job id specified\n");
        }
        if (!answer.ok()) {
            throw CommandFailure.error("scontrol", answer.detail());
        }
        var first = new JobView(answer.body());
        boolean one = name.equals(first.name()) || first.id() != first.arrayOrSelf();
        if (!(first.array() || first.het()) || (one && JobIds.one(name))) {
            return List.of(first);
        }
        var tasks = new ArrayList<JobView>();
        String all = new Query("/v1/jobs").with("job", List.of(name)).toString();
        for (JobView task : JobView.all(client.get(all))) {
            tasks.add(new JobView(client.get("/v1/jobs/" + task.id())));
        }
        tasks.removeIf(JobView::fromBooks);
        return tasks;
    }

    private int nodes(@Nullable String name) throws CommandFailure {
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
            return data(form, "nodes", nodes.stream().map(SinfoJson::fields).toList());
        }
        for (NodeView node : nodes) {
            print(NodeDetails.lines(node, words.has("details"), terminal.zone()));
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

    private int partitions(@Nullable String name) throws CommandFailure {
        MeshClient client = MeshClient.of(terminal, "scontrol");
        List<NodeView> nodes = NodeView.all(client.get("/v1/nodes"));
        return listed(
                "partitions",
                "Partition",
                name,
                it -> PartitionData.fields(new PartitionView(it), nodes),
                (_, them) -> {
                    for (JsonObject it : them) {
                        print(PartitionDetails.lines(new PartitionView(it), nodes));
                    }
                });
    }

    private int reservations(@Nullable String name) throws CommandFailure {
        return listed(
                "reservations",
                "Reservation",
                name,
                it -> new ReservationView(it).data(),
                (_, them) -> {
                    if (them.isEmpty()) {
                        terminal.out().print(ReservationView.NONE);
                    }
                    for (JsonObject it : them) {
                        print(new ReservationView(it).details(terminal.zone().get()));
                    }
                });
    }

    private int associations(List<String> asked) throws CommandFailure {
        AssocSelection selection = AssocSelection.of(asked);
        MeshClient client = MeshClient.of(terminal, "scontrol");
        var records =
                new AssocMgr(
                        Admin.of(terminal, "scontrol").document(),
                        JobView.all(client.get("/v1/jobs")),
                        client.accounting(Sshare.PATH).objects("shares"),
                        client.accounting("/v1/accounting/budgets").objects("budgets").stream()
                                .collect(Collectors.groupingBy(it -> it.text("holder"))),
                        Accounts.ofMachine(),
                        terminal.now());
        String between = words.has("oneliner") ? " " : "\n    ";
        terminal.out().print("Current Association Manager state\n");
        for (AssocMgr.Part part : records.parts(selection)) {
            terminal.out()
                    .print(
                            part.records().isEmpty()
                                    ? "\nNo %s currently cached in Slurm.\n\n"
                                            .formatted(part.kind())
                                    : "\n" + part.title() + "\n\n");
            for (List<String> lines : part.records()) {
                terminal.out()
                        .print(
                                lines.stream()
                                                .map(Printable::of)
                                                .collect(Collectors.joining(between))
                                        + "\n");
            }
        }
        return 0;
    }

    private int licenses(@Nullable String name) throws CommandFailure {
        return listed(
                "licenses",
                "License",
                name,
                JsonObject::fields,
                (_, them) -> {
                    if (them.isEmpty()) {
                        terminal.out().print("No licenses configured in Slurm.\n");
                    }
                    them.forEach(this::license);
                });
    }

    private void license(JsonObject it) {
        terminal.out()
                .print(
                        "LicenseName=%s%sTotal=%d Used=%d Free=%d Reserved=0 Remote=no\n"
                                .formatted(
                                        it.text("name"),
                                        words.has("oneliner") ? " " : "\n    ",
                                        it.number("total"),
                                        it.number("used"),
                                        it.number("free")));
    }

    private interface Text {
        void print(MeshClient client, List<JsonObject> them) throws CommandFailure;
    }

    private interface Data {
        Map<String, @Nullable Object> of(JsonObject item) throws CommandFailure;
    }

    /// Shows the items of a list of the gateway, or the one of that name.
    ///
    /// @param kind the list's name
    /// @param data of an item, for programs
    private int listed(String kind, String what, @Nullable String name, Data data, Text text)
            throws CommandFailure {
        MeshClient client = MeshClient.of(terminal, "scontrol");
        List<JsonObject> them =
                client.get("/v1/" + kind).objects(kind).stream()
                        .filter(it ->
                                name == null
                                        ? (words.has("all") && !words.has("hide"))
                                                || !it.flag("hidden")
                                        : it.text("name").equals(name))
                        .toList();
        if (name != null && them.isEmpty()) {
            terminal.out().print(what + " " + name + " not found\n");
            return 1;
        }
        DataForm form = DataForm.of(words);
        if (form != null) {
            var items = new ArrayList<Map<String, @Nullable Object>>();
            for (JsonObject it : them) {
                items.add(data.of(it));
            }
            return data(form, kind, items);
        }
        text.print(client, them);
        return 0;
    }

    private int data(DataForm form, String name, List<?> items) {
        terminal.out().print(form.text(SlurmData.of("openapi", name, items)));
        return 0;
    }

    /// Slurm indents what follows the first line, and ends each item with an empty line.
    private void print(List<String> lines) {
        boolean one = words.has("oneliner");
        List<String> shown = lines.stream().map(Printable::of).toList();
        terminal.out().print(String.join(one ? " " : "\n   ", shown) + (one ? "\n" : "\n\n"));
    }
}
