package io.berth.cli;

import io.berth.client.Answer;
import io.berth.client.JsonObject;
import io.berth.client.JsonText;
import io.berth.client.Query;
import io.berth.contracts.JobState;
import io.berth.slurm.HostList;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// What `scontrol` changes: jobs that are held, released, requeued or amended, and nodes that are
/// drained and resumed.
final class ScontrolActions {

    /// Slurm tells their failure twice, the second time by an old name.
    private static final Set<String> TOLD_TWICE = Set.of("hold", "uhold", "release");

    private static final List<String> NODE_STATES =
            List.of("down", "drain", "idle", "resume", "undrain");

    private final Terminal terminal;
    private final MeshClient client;

    ScontrolActions(Terminal terminal) throws CommandFailure {
        this.terminal = terminal;
        this.client = MeshClient.of(terminal, "scontrol");
    }

    /// One of `hold`, `uhold`, `release`, `requeue`, `requeuehold`, `suspend`, `resume` and `top`.
    ///
    /// @param operands lists of jobs
    int ofJobs(String verb, List<String> operands) throws CommandFailure {
        if (operands.isEmpty()) {
            throw new CommandFailure(1, "too few arguments for keyword:" + verb + "\n");
        }
        var refusals = new StringBuilder();
        for (String operand : operands) {
            for (String job : jobs(verb, operand)) {
                Answer answer =
                        JobIds.names(job)
                                ? client.ask("POST", JobIds.path(job) + path(verb))
                                : new Answer(404, JsonObject.EMPTY, null);
                if (!answer.ok()) {
                    refusals.append(Scontrol.why(answer, job));
                    if (TOLD_TWICE.contains(verb)) {
                        refusals.append("slurm_suspend error: ")
                                .append(Scontrol.reason(answer))
                                .append('\n');
                    }
                }
            }
        }
        if (!refusals.isEmpty()) {
            throw new CommandFailure(1, refusals.toString());
        }
        return 0;
    }

    /// `jobid=17`, `17`, or `jobname=train`: the caller's jobs of that name, of which those that
    /// are in a state for it.
    private List<String> jobs(String verb, String operand) throws CommandFailure {
        String small = operand.toLowerCase(Locale.ROOT);
        if (small.startsWith("jobname=")) {
            String name = operand.substring("jobname=".length());
            List<String> jobs = named(verb, name);
            return jobs.isEmpty() ? List.of(operand) : jobs;
        }
        return JobIds.split(small.startsWith("jobid=") ? operand.substring(6) : operand);
    }

    private List<String> named(String verb, String name) throws CommandFailure {
        Set<JobState> states =
                switch (verb) {
                    case "requeue", "requeuehold" -> Set.of(JobState.RUNNING, JobState.SUSPENDED);
                    case "suspend" -> Set.of(JobState.RUNNING);
                    case "resume" -> Set.of(JobState.SUSPENDED);
                    default -> Set.of(JobState.PENDING);
                };
        String user = client.token().actsFor(terminal);
        return JobView.all(client.get(new Query("/v1/jobs").with("user", List.of(user)).toString()))
                .stream()
                .filter(job -> job.text("name").equals(name))
                .filter(job -> states.stream().anyMatch(job::is))
                .map(job -> Long.toString(job.id()))
                .toList();
    }

    private static String path(String verb) {
        return switch (verb) {
            case "uhold" -> "/hold?as=user";
            case "requeuehold" -> "/requeue?hold=true";
            default -> "/" + verb;
        };
    }

    /// `update jobid=… name=value …` and `update nodename=… name=value …`.
    int update(List<String> settings) throws CommandFailure {
        String what = settings.isEmpty() ? "" : key(settings.getFirst());
        List<String> rest = settings.isEmpty() ? settings : settings.subList(1, settings.size());
        return switch (what) {
            case "jobid", "job" -> job(value(settings.getFirst()), rest);
            case "nodename", "node" -> nodes(value(settings.getFirst()), rest);
            case "partitionname", "partition" -> partition(value(settings.getFirst()), rest);
            case "reservationname", "reservation" ->
                    new ReservationChanges(terminal).update(settings);
            default ->
                    throw new CommandFailure(
                            1,
                            "No valid entity in update command; there are: JobId=, NodeName=,"
                                    + " PartitionName=, ReservationName=\n");
        };
    }

    private static String key(String setting) {
        int equals = setting.indexOf('=');
        return equals < 0 ? "" : setting.substring(0, equals).toLowerCase(Locale.ROOT);
    }

    private static String value(String setting) {
        return setting.substring(setting.indexOf('=') + 1);
    }

    private int job(String list, List<String> settings) throws CommandFailure {
        for (String job : JobIds.split(list)) {
            String body = new JobChanges(terminal, client, job).body(settings);
            Answer answer =
                    JobIds.names(job)
                            ? client.ask("POST", JobIds.path(job), body)
                            : new Answer(404, JsonObject.EMPTY, null);
            if (!answer.ok()) {
                throw Scontrol.refused(answer, job);
            }
        }
        return 0;
    }

    /// A change of the cluster's configuration.
    private int partition(String name, List<String> settings) throws CommandFailure {
        if (settings.isEmpty()) {
            throw new CommandFailure(1, "No changes specified\n");
        }
        Map<String, Object> patch = PartitionChange.patch(settings);
        Admin admin = Admin.of(terminal, "scontrol");
        if (!admin.document().object("partitions").has(name)) {
            throw new CommandFailure(1, "slurm_update error: Invalid partition name specified\n");
        }
        Answer answer = admin.ask(Admin.patch(Map.of("partitions", Map.of(name, patch))));
        if (!answer.ok()) {
            throw new CommandFailure(1, "slurm_update error: " + Scontrol.reason(answer) + "\n");
        }
        return 0;
    }

    private int nodes(String list, List<String> settings) throws CommandFailure {
        String body = nodeBody(settings);
        List<String> names;
        try {
            names = HostList.expand(list);
        } catch (IllegalArgumentException e) {
            throw CommandFailure.error("scontrol", String.valueOf(e.getMessage()));
        }
        for (String name : names) {
            Answer answer = client.ask("POST", "/v1/nodes/" + name, body);
            if (!answer.ok()) {
                throw new CommandFailure(
                        1,
                        answer.status() == 404
                                ? "slurm_update error: Invalid node name specified\n"
                                : "slurm_update error: " + Scontrol.reason(answer) + "\n");
            }
        }
        return 0;
    }

    private static String nodeBody(List<String> settings) throws CommandFailure {
        var json = new LinkedHashMap<String, @Nullable Object>();
        for (String setting : settings) {
            String value = value(setting);
            switch (key(setting)) {
                case "state" -> json.put("state", state(value));
                case "reason" -> json.put("reason", value);
                case "features", "availablefeatures", "activefeatures" ->
                        json.put("features", new ArrayList<>(CliOption.split(value)));
                case "weight" -> json.put("weight", weight(value));
                default -> throw Scontrol.unsupported(setting);
            }
        }
        String state = String.valueOf(json.get("state"));
        if ((state.equals("drain") || state.equals("down")) && blank(json)) {
            throw new CommandFailure(
                    1,
                    "You must specify a reason when DOWNING or DRAINING a node. Request denied\n");
        }
        return JsonText.compact(json);
    }

    private static int weight(String value) throws CommandFailure {
        try {
            return Integer.parseUnsignedInt(value);
        } catch (NumberFormatException e) {
            throw new CommandFailure(1, "Invalid weight value: " + value + "\n");
        }
    }

    private static boolean blank(Map<String, @Nullable Object> json) {
        return !json.containsKey("reason") || String.valueOf(json.get("reason")).isBlank();
    }

    private static String state(String value) throws CommandFailure {
        String state = value.toLowerCase(Locale.ROOT);
        if (!NODE_STATES.contains(state)) {
            throw new CommandFailure(
                    1,
                    "Invalid input: state="
                            + value
                            + "\nRequest aborted\nValid states are: "
                            + String.join(" ", NODE_STATES).toUpperCase(Locale.ROOT)
                            + "\n");
        }
        return state;
    }

    /// Succeeds where the gateway answers: there is nothing to read again, as what is applied holds
    /// at once.
    int reconfigure() throws CommandFailure {
        if (!Me.of(client).admin()) {
            throw new CommandFailure(1, "slurm_reconfigure error: Access/permission denied\n");
        }
        client.get("/v1/partitions");
        return 0;
    }

    /// Whether the gateway answers, be it with a no.
    int ping() {
        boolean up = answers();
        terminal.out()
                .print(
                        "Slurmctld(primary) at %s is %s\n"
                                .formatted(client.mesh().gateway(), up ? "UP" : "DOWN"));
        return up ? 0 : 1;
    }

    private boolean answers() {
        try {
            return client.ask("GET", "/slurm/v0.0.40/ping").status() < 500;
        } catch (CommandFailure e) {
            return false;
        }
    }
}
