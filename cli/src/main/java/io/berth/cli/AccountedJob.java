package io.berth.cli;

import io.berth.client.JsonObject;
import io.berth.slurm.HostList;
import io.berth.slurm.JobText;
import io.berth.slurm.SlurmMemory;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// A line of `sacct`: a job as accounting tells of it, its batch script, or a step of it.
///
/// @param json of a job; of the others the same with what is theirs in its place
record AccountedJob(JsonObject json, Line line) {

    enum Line {
        JOB,
        BATCH,
        STEP
    }

    /// Of several tasks in one line: `[5-9%2]`.
    private static final String TASKS = "tasksTogether";

    /// Of a step, as accounting tells of it on each of its nodes.
    private static final String PARTS = "stepOnNodes";

    private static final long TERM = 15;

    AccountedJob(JsonObject json) {
        this(json, Line.JOB);
    }

    /// The job as it was in each of its runs that made way for another one, the earliest first:
    /// what Slurm calls duplicates.
    static List<AccountedJob> earlier(JsonObject job) {
        var earlier = new ArrayList<AccountedJob>();
        List<JsonObject> runs = job.objects("runs");
        for (int i = 0; i < runs.size(); i++) {
            JsonObject run = runs.get(i);
            boolean last = i + 1 == runs.size() && job.has("startedAt");
            if (!last && run.has("freedAt")) {
                earlier.add(new AccountedJob(inRun(job, run)));
            }
        }
        return earlier;
    }

    private static JsonObject inRun(JsonObject job, JsonObject run) {
        Map<String, @Nullable Object> fields = new LinkedHashMap<>(job.fields());
        String[] exit = run.text("exit").split(":");
        long held = run.number("freedAt") - run.number("placedAt");
        fields.put("state", run.text("outcome"));
        fields.put("reason", "None");
        fields.put("nodeList", run.text("nodeList"));
        fields.put("startedAt", run.number("placedAt"));
        fields.put("endedAt", run.number("freedAt"));
        fields.put("elapsedSeconds", held / 1000 - run.number("suspendedSeconds"));
        fields.put("suspendedSeconds", run.number("suspendedSeconds"));
        fields.put("exitCode", Long.parseLong(exit[0]));
        fields.put("signal", Long.parseLong(exit[1]));
        fields.put("charge", run.object("charge"));
        fields.put("runs", List.of(run));
        return new JsonObject(fields);
    }

    /// The job as it is in its last run, charged for that alone.
    static AccountedJob latest(JsonObject job) {
        List<JsonObject> runs = job.objects("runs");
        Map<String, @Nullable Object> fields = new LinkedHashMap<>(job.fields());
        fields.put(
                "charge",
                runs.isEmpty() || !job.has("startedAt")
                        ? JsonObject.EMPTY
                        : runs.getLast().object("charge"));
        return new AccountedJob(new JsonObject(fields));
    }

    /// The lines below the job's: its batch script's, which of a heterogeneous job only the first
    /// component has, and one for each step of its last run. None if it has not started.
    List<AccountedJob> steps() {
        if (!started()) {
            return List.of();
        }
        var lines = new ArrayList<AccountedJob>();
        if (number("hetOffset") == 0) {
            lines.add(new AccountedJob(batch(), Line.BATCH));
        }
        var steps = new LinkedHashMap<String, List<JsonObject>>();
        for (JsonObject onNode : run().objects("steps")) {
            String step = onNode.number("number") + " " + onNode.text("name");
            steps.computeIfAbsent(step, _ -> new ArrayList<>()).add(onNode);
        }
        steps.values().forEach(it -> lines.add(new AccountedJob(inStep(it), Line.STEP)));
        return lines;
    }

    /// What the script itself ran on its node. Its CPU time is the run's without that of steps.
    private JsonObject batch() {
        long nodes = nodes();
        long tasks = Math.max(1, number("tasks"));
        Map<String, @Nullable Object> fields = new LinkedHashMap<>(json.fields());
        fields.put("name", "batch");
        fields.put("state", batchState());
        if (endedByTerm()) {
            fields.put("signal", TERM);
        }
        fields.put("cpus", Math.ceilDiv(tasks, nodes) * (number("cpus") / tasks));
        fields.put("tasks", 1L);
        fields.put("nodes", 1L);
        fields.put("gpus", Math.ceilDiv(number("gpus"), nodes));
        fields.put("memoryMib", number("memoryMib") / nodes);
        fields.put("submittedAt", number("startedAt"));
        fields.put("eligibleAt", number("startedAt"));
        if (!text("nodeList").isEmpty()) {
            fields.put("nodeList", HostList.expand(text("nodeList")).getFirst());
        }
        if (run().has("used")) {
            Map<String, @Nullable Object> used = new LinkedHashMap<>(used().fields());
            long steps =
                    run().objects("steps").stream().mapToLong(it -> it.number("cpuMillis")).sum();
            used.put("cpuMillis", Math.max(0, used().number("cpuMillis") - steps));
            fields.put("used", new JsonObject(used));
        }
        return new JsonObject(fields);
    }

    /// Whether its script was ended with its run. The books do not have how it exited then: TERM
    /// comes first. A node that is lost sends none.
    private boolean endedByTerm() {
        return batchState().equals("CANCELLED")
                && !text("state").equals("NODE_FAIL")
                && exit().equals("0:0")
                && run().text("exit").equals("0:0");
    }

    /// A script that was ended with its run was cancelled.
    private String batchState() {
        return switch (text("state")) {
            case "TIMEOUT", "DEADLINE", "PREEMPTED", "NODE_FAIL", "REQUEUED" -> "CANCELLED";
            default -> text("state");
        };
    }

    /// @param parts of a step on each of its nodes; it ended as the first that did not end well
    private JsonObject inStep(List<JsonObject> parts) {
        Map<String, @Nullable Object> fields = new LinkedHashMap<>(json.fields());
        JsonObject step =
                parts.stream()
                        .filter(it -> !it.text("state").equals("COMPLETED"))
                        .findFirst()
                        .orElse(parts.getFirst());
        long began = least(parts, "startedAt");
        long ended = most(parts, "endedAt");
        String[] exit = (step.has("exit") ? step.text("exit") : "0:9").split(":");
        fields.put("step", step.number("number"));
        fields.put("name", step.text("name"));
        fields.put("state", step.text("state"));
        fields.put("exitCode", Long.parseLong(exit[0]));
        fields.put("signal", Long.parseLong(exit[1]));
        fields.put(
                "nodeList", HostList.compress(parts.stream().map(it -> it.text("node")).toList()));
        fields.put("tasks", sum(parts, "tasks"));
        fields.put("cpus", sum(parts, "cpus"));
        fields.put("gpus", sum(parts, "gpus"));
        fields.put("nodes", (long) parts.size());
        fields.put("memoryMib", number("memoryMib") / nodes() * parts.size());
        fields.put("submittedAt", began);
        fields.put("eligibleAt", began);
        fields.put("startedAt", began);
        fields.put("endedAt", ended);
        fields.put("elapsedSeconds", (ended - began) / 1000);
        fields.put("suspendedSeconds", 0L);
        fields.put("used", used(parts));
        fields.put(PARTS, parts);
        return new JsonObject(fields);
    }

    /// What the parts of a step used: their CPU time together, and the most memory on one node.
    private static JsonObject used(List<JsonObject> parts) {
        Map<String, @Nullable Object> used = new LinkedHashMap<>();
        if (parts.stream().anyMatch(it -> it.has("maxMemoryMib"))) {
            used.put("maxMemoryMib", most(parts, "maxMemoryMib"));
        }
        if (parts.stream().anyMatch(it -> it.has("cpuMillis"))) {
            used.put("cpuMillis", sum(parts, "cpuMillis"));
        }
        return new JsonObject(used);
    }

    private static long sum(List<JsonObject> parts, String name) {
        return parts.stream().mapToLong(it -> it.number(name)).sum();
    }

    private static long least(List<JsonObject> parts, String name) {
        return parts.stream().mapToLong(it -> it.number(name)).min().orElse(0);
    }

    private static long most(List<JsonObject> parts, String name) {
        return parts.stream().mapToLong(it -> it.number(name)).max().orElse(0);
    }

    /// How many steps of the job's last run are in no line.
    static long untold(JsonObject job) {
        return job.has("startedAt") ? new AccountedJob(job).run().number("moreSteps") : 0;
    }

    private JsonObject run() {
        List<JsonObject> runs = json.objects("runs");
        return runs.isEmpty() ? JsonObject.EMPTY : runs.getLast();
    }

    boolean ofJob() {
        return line == Line.JOB;
    }

    /// What its processes used; of a job those of its last run.
    JsonObject used() {
        return ofJob() ? run().object("used") : json.object("used");
    }

    /// What the tasks of a step used one by one.
    TasksUse byTask() {
        return TasksUse.of(line == Line.STEP ? json.objects(PARTS) : List.of());
    }

    /// What the GPUs of its run did, which are counted for the run as a whole.
    JsonObject gpu() {
        return line == Line.STEP ? JsonObject.EMPTY : used().object("gpu");
    }

    /// For whom the last run had to give way, and how; empty if it had not.
    JsonObject preemption() {
        return ofJob() ? run().object("preemption") : JsonObject.EMPTY;
    }

    /// UUIDs of the last run's GPUs; which of them a step saw is not known.
    List<String> gpus() {
        return line == Line.STEP ? List.of() : run().texts("gpus");
    }

    /// `17`, `17.batch`, `17.0`; of a task `17_4`, `17_4.batch`; `17_[5-9]` of several; of a
    /// component `17+1`, `17+1.0`.
    String name() {
        String job =
                array()
                        ? number("arrayJob")
                                + "_"
                                + (json.has(TASKS) ? text(TASKS) : number("arrayTask"))
                        : json.has("hetJob")
                                ? number("hetJob") + "+" + number("hetOffset")
                                : Long.toString(number("id"));
        return ofJob() ? job : job + "." + step();
    }

    /// `17`, `17.batch` or `17.0`, with the job's own id.
    String id() {
        return ofJob() ? Long.toString(number("id")) : number("id") + "." + step();
    }

    /// Whether it is a task of an array.
    private boolean array() {
        return json.has("arrayJob");
    }

    boolean isOf(JobText name) {
        return name.names(
                number("id"), number("arrayJob"), (int) number("arrayTask"), number("hetJob"));
    }

    /// The jobs, in each array those together that have not run and wait, in the place of the
    /// first: the lines of `17_[5-9%2]`.
    static List<JsonObject> together(List<JsonObject> jobs) {
        var waiting = new LinkedHashMap<Object, List<JsonObject>>();
        for (JsonObject job : jobs) {
            boolean waits =
                    job.has("arrayJob")
                            && job.text("state").equals("PENDING")
                            && job.objects("runs").isEmpty();
            Object key = waits ? "array " + job.number("arrayJob") : (Object) job.number("id");
            waiting.computeIfAbsent(key, _ -> new ArrayList<>()).add(job);
        }
        return waiting.values().stream().map(AccountedJob::asOne).toList();
    }

    private static JsonObject asOne(List<JsonObject> tasks) {
        JsonObject first = tasks.getFirst();
        if (tasks.size() == 1) {
            return first;
        }
        Map<String, @Nullable Object> fields = new LinkedHashMap<>(first.fields());
        fields.put(
                TASKS,
                ArrayLines.text(
                        tasks.stream().mapToInt(it -> (int) it.number("arrayTask")),
                        first.number("arrayThrottle")));
        return new JsonObject(fields);
    }

    /// `batch`, or the step's number; of a job nothing.
    String step() {
        return switch (line) {
            case JOB -> "";
            case BATCH -> "batch";
            case STEP -> Long.toString(number("step"));
        };
    }

    String text(String name) {
        return json.text(name);
    }

    long number(String name) {
        return json.number(name);
    }

    boolean started() {
        return json.has("startedAt");
    }

    long nodes() {
        return Math.max(1, json.number("nodes"));
    }

    /// The same with the part of its run that lies in a time, in epoch milliseconds.
    AccountedJob within(long from, long to, long now) {
        if (!started()) {
            return this;
        }
        Map<String, @Nullable Object> fields = new LinkedHashMap<>(json.fields());
        long end = json.has("endedAt") ? number("endedAt") : now;
        long before = Math.max(0, from - number("startedAt"));
        long after = Math.max(0, end - to);
        fields.put("startedAt", Math.max(from, Math.min(number("startedAt"), to)));
        if (json.has("endedAt") || after > 0) {
            fields.put("endedAt", Math.max(from, Math.min(end, to)));
        }
        fields.put(
                "elapsedSeconds", Math.max(0, number("elapsedSeconds") - (before + after) / 1000));
        return new AccountedJob(new JsonObject(fields), line);
    }

    /// Of the steps of its last run, the highest: `7:0`.
    String highestExit() {
        String highest = "0:0";
        for (JsonObject step : run().objects("steps")) {
            String exit = step.has("exit") ? step.text("exit") : "0:0";
            if (code(exit) > code(highest)) {
                highest = exit;
            }
        }
        return highest;
    }

    private static long code(String exit) {
        return Long.parseLong(exit.substring(0, exit.indexOf(':')));
    }

    /// How long it waited, or waits, since it might have started.
    long plannedSeconds(long now) {
        long until =
                started() ? number("startedAt") : json.has("endedAt") ? number("endedAt") : now;
        long eligible = number(json.has("eligibleAt") ? "eligibleAt" : "submittedAt");
        return Math.max(0, until - eligible) / 1000;
    }

    long cpus() {
        return json.number("cpus");
    }

    /// `CANCELLED by 1000`; by his name whom this machine does not know.
    String state() {
        String name = json.text("cancelledBy");
        String by = Accounts.OfMachine.has(name) ? Accounts.ofMachine().idOf(name) : name;
        return json.text("state")
                + (json.text("state").equals("CANCELLED") && !by.isEmpty() && ofJob()
                        ? " by " + by
                        : "");
    }

    String exit() {
        return json.number("exitCode") + ":" + json.number("signal");
    }

    /// What the job asked for of that, memory in MiB, or what it had if the books have not kept it.
    private long requested(String tres, long had) {
        JsonObject requested = json.object("requested");
        return requested.fields().isEmpty() ? had : requested.number(tres);
    }

    /// A step asks for what it has.
    long requestedCpus() {
        return ofJob() ? requested("cpu", cpus()) : cpus();
    }

    /// In MiB.
    long requestedMemory() {
        return requested("mem", number("memoryMib"));
    }

    long requestedNodes() {
        return ofJob() ? requested("node", nodes()) : nodes();
    }

    /// As [#tres], of what the job asked for.
    String requestedTres() {
        Map<String, @Nullable Object> requested = new TreeMap<>(json.object("requested").fields());
        if (requested.isEmpty()) {
            return tres();
        }
        requested.put("billing", requestedCpus());
        if (requestedMemory() == 0) {
            requested.remove("mem");
        } else {
            requested.put("mem", SlurmMemory.rounded(requestedMemory()));
        }
        Set<String> names = requested.keySet();
        return requested.entrySet().stream()
                .filter(it -> told(it.getKey(), names))
                .map(it -> it.getKey() + "=" + it.getValue())
                .collect(Collectors.joining(","));
    }

    /// GPUs without their type, and other resources with it.
    private static boolean told(String name, Set<String> all) {
        return name.equals("gres/gpu")
                || (!name.startsWith("gres/gpu:")
                        && all.stream().noneMatch(it -> it.startsWith(name + ":")));
    }

    /// `billing=8,cpu=8,gres/gpu=2,mem=16G,node=1`; a step is not billed.
    String tres() {
        long gpus = json.number("gpus");
        long mib = json.number("memoryMib");
        return (ofJob() ? "billing=" + cpus() + "," : "")
                + "cpu="
                + cpus()
                + (gpus == 0 ? "" : ",gres/gpu=" + gpus)
                + (json.has("gpuPart") ? "," + json.text("gpuPart") : "")
                + (json.has("gres") ? "," + json.text("gres") : "")
                + (mib == 0 ? "" : ",mem=" + SlurmMemory.rounded(mib))
                + ",node="
                + nodes();
    }
}
