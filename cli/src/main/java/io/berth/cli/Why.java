package io.berth.cli;

import static io.berth.cli.CliOption.flag;
import static io.berth.cli.CliOption.valued;
import static java.util.Map.entry;

import io.berth.cli.CliOption.Words;
import io.berth.client.Answer;
import io.berth.client.JsonObject;
import io.berth.slurm.SlurmTime;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;

/// `berth why`: why a job is in its state.
final class Why implements Command {

    private static final List<String> FACTORS =
            List.of("age", "association", "fairShare", "jobSize", "partition", "qos", "tres");

    private static final Map<String, String> QUESTIONS =
            Map.ofEntries(
                    entry("REGISTERED", "registered"),
                    entry("PARTITION", "in the partition"),
                    entry("CONSTRAINTS", "admitted by its constraints"),
                    entry("SOCKETS", "of which the sockets are known"),
                    entry("SIZE", "large enough"),
                    entry("AVAILABLE", "available"),
                    entry("FREE", "with room now"),
                    entry("UNRESERVED", "open to it until its end"),
                    entry("NEIGHBOURS", "with nobody there whom it may not be beside"),
                    entry("UNPLANNED", "with room until its end"),
                    entry("TOGETHER", "as close to enough others as it must have them"));

    private static final List<CliOption> OPTIONS =
            List.of(
                    valued(
                            "add-nodes",
                            '\0',
                            "with COUNT more nodes like NODE (COUNT:NODE), when would it start"),
                    valued("drain", '\0', "with these nodes drained, when would it start"),
                    flag("dry-run", '\0', "of a script that is not submitted"),
                    flag("help", 'h', "this text"),
                    DataForm.OPTIONS.getFirst(),
                    DataForm.OPTIONS.getLast(),
                    valued("time", 't', "with this time limit, when would it start"),
                    flag("version", 'V', "Berth's version"));

    @Override
    public String synopsis() {
        return "why JOB | why --dry-run SCRIPT: why a job waits, and when it would start";
    }

    @Override
    public List<CliOption> options() {
        return OPTIONS;
    }

    @Override
    public int run(Terminal terminal, Words words) throws CommandFailure {
        MeshClient client = MeshClient.of(terminal, "why");
        if (DryRun.asked(words)) {
            if (words.has("dry-run")
                    && words.operands().size() > 1
                    && JobIds.names(words.operands().getFirst())) {
                throw CommandFailure.error(
                        "why", "--dry-run is of one script that is not submitted, and of no job");
            }
            return new DryRun(terminal, client).why(words);
        }
        String id = jobOperand("why", words);
        Answer answer = client.ask("GET", JobIds.path(id) + "/why");
        if (!answer.ok()) {
            throw CommandFailure.error("why", answer.detail());
        }
        DataForm form = DataForm.of(words);
        terminal.out()
                .print(
                        form != null
                                ? form.text(answer.body().fields())
                                : text(answer.body(), terminal.zone().get()));
        return 0;
    }

    /// The one operand, which must be a job's id.
    static String jobOperand(String command, Words words) throws CommandFailure {
        List<String> operands = words.operands();
        if (operands.size() != 1 || !JobIds.names(operands.getFirst())) {
            throw CommandFailure.error(
                    command,
                    operands.isEmpty()
                            ? "which job? Give its number"
                            : "Invalid job id " + String.join(" ", operands));
        }
        return operands.getFirst();
    }

    private static String text(JsonObject why, ZoneId zone) {
        var text = new StringBuilder();
        text.append("Job ").append(why.number("job")).append(" is ").append(why.text("state"));
        if (!why.text("reason").isEmpty() && !why.text("reason").equals("None")) {
            text.append(" (").append(why.text("reason")).append(')');
        }
        text.append('\n');
        if (!why.text("explanation").isEmpty()) {
            text.append(why.text("explanation")).append('\n');
        }
        if (why.has("position")) {
            text.append("Position ").append(why.number("position")).append(" in the queue");
            text.append(", ").append(why.number("ahead")).append(" ahead");
            text.append(first(why.objects("first"), why.number("ahead"))).append(".\n");
        }
        if (why.has("priority")) {
            text.append(priority(why.object("priority"))).append('\n');
        }
        if (why.has("plannedStart")) {
            text.append("Expected to start by ")
                    .append(Dates.iso(why.number("plannedStart"), zone, ""))
                    .append(".\n");
        }
        text.append(holders(why.objects("holders"), zone));
        if (why.has("together")) {
            text.append(together(why.object("together"), why.number("job")));
        }
        for (JsonObject it : why.objects("draining")) {
            text.append(
                    "GPU %d of %s runs empty for it, and is divided then.%n"
                            .formatted(it.number("gpu"), it.text("node")));
        }
        for (JsonObject it : why.objects("dividing")) {
            text.append(
                    "GPU %d of %s is being divided into %s.%n"
                            .formatted(it.number("gpu"), it.text("node"), it.text("into")));
        }
        if (why.has("packing")) {
            text.append("Of nodes that are as good it takes one by the policy ")
                    .append(why.text("packing"))
                    .append(".\n");
        }
        text.append(stages(why.objects("stages"))).append(changes(why.objects("changes")));
        text.append(WhyPreemption.text(why.object("preemption"), zone));
        return text.toString();
    }

    /// `Component 17+1 of a heterogeneous job of 2: they start together, and 17+0 finds no nodes
    /// now.`
    private static String together(JsonObject set, long job) {
        long first = set.number("job");
        String whose =
                !set.has("unseated")
                        ? ""
                        : ", and %d+%d finds no nodes now"
                                .formatted(first, set.number("unseated") - first);
        return "Component %d+%d of a heterogeneous job of %d: they start together%s.%n"
                .formatted(first, job - first, set.number("size"), whose);
    }

    /// `Nodes left: registered 4 (9 GPUs free), in the partition 4, …`, as far as each question
    /// takes some away.
    private static String stages(List<JsonObject> stages) {
        var text = new StringBuilder();
        long nodes = -1;
        for (JsonObject stage : stages) {
            if (stage.number("nodes") != nodes) {
                nodes = stage.number("nodes");
                text.append(text.isEmpty() ? "Nodes: " : ", ")
                        .append(nodes)
                        .append(' ')
                        .append(QUESTIONS.getOrDefault(stage.text("question"), "left"));
                if (stage.number("gpus") > 0) {
                    text.append(" (").append(stage.number("gpus")).append(" GPUs free)");
                }
            }
        }
        return text.isEmpty() ? "" : text.append(".\n").toString();
    }

    /// `: 12 (alice), 14 (bob) and 3 more`
    private static String first(List<JsonObject> first, long ahead) {
        long more = ahead - first.size();
        return first.isEmpty()
                ? ""
                : ": "
                        + String.join(", ", first.stream().map(Why::owned).toList())
                        + (more > 0 ? " and " + more + " more" : "");
    }

    /// `Waits for the end of 12 (alice) by 2026-11-21T17:30:00, 14 (bob) by 2026-11-21T18:00:00.`
    private static String holders(List<JsonObject> holders, ZoneId zone) {
        return holders.isEmpty()
                ? ""
                : "Waits for the end of "
                        + String.join(
                                ", ",
                                holders.stream()
                                        .map(it ->
                                                owned(it)
                                                        + " by "
                                                        + Dates.iso(it.number("until"), zone, ""))
                                        .toList())
                        + ".\n";
    }

    private static String owned(JsonObject job) {
        return job.number("job") + " (" + job.text("user") + ")";
    }

    private static String changes(List<JsonObject> changes) {
        var text = new StringBuilder();
        for (JsonObject change : changes) {
            String from = change.text("from");
            String to = change.text("to");
            text.append("  ")
                    .append(
                            switch (change.text("axis")) {
                                case "GPUS" ->
                                        to
                                                + (to.contains(":") ? "" : " GPUs a node")
                                                + " instead of "
                                                + from;
                                case "GPUS_IN_ALL" -> to + " GPUs in all instead of " + from;
                                case "GPU_TYPE" ->
                                        "GPUs of "
                                                + (to.equals("any") ? "any type" : "type " + to)
                                                + " instead of "
                                                + from;
                                case "GPU_MEMORY" ->
                                        to.equals("any")
                                                ? "GPUs of any memory instead of "
                                                        + from
                                                        + " MiB at least"
                                                : "GPUs of %s MiB at least instead of %s"
                                                        .formatted(to, from);
                                case "GRES" ->
                                        (to.equals("none") ? "nothing" : to)
                                                + " instead of "
                                                + from;
                                case "NODES" -> to + " nodes instead of " + from;
                                case "TIME_LIMIT" ->
                                        "a time limit of "
                                                + limit(to)
                                                + " instead of "
                                                + limit(from);
                                case "SWITCHES" ->
                                        (to.equals("any") ? "any number of" : to)
                                                + " switches instead of "
                                                + from;
                                case "LEVEL" ->
                                        to.equals("any")
                                                ? "any nodes instead of those in one " + from
                                                : "nodes in one " + to + " instead of one " + from;
                                case "SEGMENT" ->
                                        (to.equals("any")
                                                        ? "nodes of any blocks"
                                                        : "segments of " + to + " nodes")
                                                + " instead of segments of "
                                                + from;
                                case "LINKED" -> "GPUs that need not be linked to one another";
                                case "SOCKETS" ->
                                        "GPUs of any sockets instead of " + from + " of each";
                                case "CONTIGUOUS" -> "nodes that need not stand side by side";
                                case "CONSTRAINT" -> "nodes that need not be " + from;
                                case "NODE_LIST" -> "any nodes instead of " + from;
                                case "PARTITION" -> "partition " + to + " instead of " + from;
                                default -> change.text("axis") + " " + to + " instead of " + from;
                            })
                    .append('\n');
        }
        return text.isEmpty() ? "" : "It would start now with one of these:\n" + text;
    }

    private static String limit(String seconds) {
        return seconds.equals("0") ? "no end" : SlurmTime.full(Long.parseLong(seconds));
    }

    /// Cut, as `sprio` does: no part is shown as more than the sum.
    private static long whole(double points) {
        return (long) points;
    }

    /// `Priority 4253 = age 12 + fairShare 4000 + jobSize 241 - nice 0`
    private static String priority(JsonObject priority) {
        var text = new StringBuilder("Priority ");
        text.append(Math.max(0, whole(priority.decimal("total"))));
        if (priority.decimal("set") != 0) {
            return text.append(", set by an operator").toString();
        }
        String separator = " = ";
        for (String factor : FACTORS) {
            if (priority.has(factor)) {
                text.append(separator).append(factor).append(' ');
                text.append(whole(priority.decimal(factor)));
                separator = " + ";
            }
        }
        if (priority.decimal("site") != 0) {
            text.append(" + site ").append(whole(priority.decimal("site")));
        }
        if (priority.decimal("nice") != 0) {
            text.append(" - nice ").append(whole(priority.decimal("nice")));
        }
        return text.toString();
    }
}
