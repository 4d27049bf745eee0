package io.berth.cli;

import static io.berth.cli.CliOption.flag;
import static io.berth.cli.CliOption.valued;

import io.berth.cli.CliOption.Words;
import io.berth.cli.Table.Title;
import io.berth.cli.TasksUse.Extreme;
import io.berth.client.JsonObject;
import io.berth.contracts.JobState;
import io.berth.slurm.HostList;
import io.berth.slurm.SlurmMemory;
import io.berth.slurm.SlurmTime;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// `sstat`: what running jobs use. That of a job as a whole is told in the line of its script, as
/// `sacct` does; its steps are lines of their own where they are counted.
///
/// Source: sstat(1) of Slurm 22.05.
final class Sstat implements Command {

    private static final Table ALL =
            new Table(
                    List.of(
                            Title.left("JobID", 12),
                            Title.right("NTasks", 8),
                            Title.right("AveCPU", 10),
                            Title.right("MinCPU", 10),
                            Title.right("MinCPUNode", 10),
                            Title.right("MinCPUTask", 10),
                            Title.right("MaxRSS", 10),
                            Title.right("MaxRSSNode", 10),
                            Title.right("MaxRSSTask", 10),
                            Title.right("AveRSS", 10),
                            Title.right("MaxDiskRead", 12),
                            Title.right("MaxDiskReadNode", 15),
                            Title.right("MaxDiskReadTask", 15),
                            Title.right("AveDiskRead", 14),
                            Title.right("MaxDiskWrite", 12),
                            Title.right("MaxDiskWriteNode", 16),
                            Title.right("MaxDiskWriteTask", 16),
                            Title.right("AveDiskWrite", 14),
                            Title.right("TRESUsageInAve", 30),
                            Title.right("TRESUsageInMax", 30),
                            Title.right("Nodelist", 20)));

    private static final String FORMAT =
            "JobID,NTasks,AveCPU,MaxRSS,MaxRSSNode,MaxDiskRead,MaxDiskWrite,TRESUsageInAve,TRESUsageInMax";

    private static final String UNTOLD = ", or its nodes have not told: they do every few seconds";

    private static final String NO_PIDS =
            "nodes do not tell the numbers of processes; 'scontrol listpids' does, on a node";

    private static final List<CliOption> OPTIONS =
            Table.options(
                    flag("allsteps", 'a', "a line for each step that runs, too"),
                    valued("format", 'o', "columns, such as JobID,MaxRSS,AveCPU%12"),
                    flag("helpformat", 'e', "names of the columns"),
                    valued("jobs", 'j', "these jobs: 17, 17.batch, 17.0, 20_3"),
                    DataForm.OPTIONS.getFirst(),
                    DataForm.OPTIONS.getLast(),
                    flag("noconvert", '\0', "nothing: numbers have one form"),
                    flag("pidformat", 'i', "refused: " + NO_PIDS),
                    CliOption.USAGE,
                    CliOption.VERBOSE);

    @Override
    public String synopsis() {
        return "sstat -j JOB [-o FIELDS]: what running jobs use";
    }

    @Override
    public List<CliOption> options() {
        return OPTIONS;
    }

    @Override
    public int run(Terminal terminal, Words words) throws CommandFailure {
        if (words.has("helpformat")) {
            ALL.titles().forEach(title -> terminal.out().print(title.name() + "\n"));
            return 0;
        }
        if (words.has("pidformat")) {
            throw CommandFailure.error("sstat", "--pidformat: " + NO_PIDS);
        }
        Table shown = ALL.only("sstat", words.value("format", FORMAT));
        List<Asked> asked = asked(words);
        MeshClient client = MeshClient.of(terminal, "sstat");
        var rows = new ArrayList<List<String>>();
        var data = new ArrayList<JsonObject>();
        int exitCode = 0;
        for (Asked it : asked) {
            String id = it.job();
            var job = new JobView(client.get(JobIds.path(id)));
            JsonObject used = client.get(JobIds.path(id) + "/telemetry");
            List<List<String>> lines = lines(job, used, it.step(), words.has("allsteps"));
            if (lines.isEmpty()) {
                terminal.err()
                        .print(
                                "sstat: error: no steps running for job %s%s\n"
                                        .formatted(it, job.is(JobState.RUNNING) ? UNTOLD : ""));
                exitCode = 1;
                continue;
            }
            rows.addAll(lines);
            data.add(used);
        }
        DataForm form = DataForm.of(words);
        if (form != null) {
            terminal.out().print(form.text(Map.of("jobs", data)));
        } else {
            shown.print(terminal.out(), words, ALL, rows);
        }
        return exitCode;
    }

    /// A job, or a step of it.
    ///
    /// @param step null is the job
    private record Asked(String job, @Nullable Long step) {
        @Override
        public String toString() {
            return step == null ? job : job + "." + step;
        }
    }

    private static List<Asked> asked(Words words) throws CommandFailure {
        var asked = new ArrayList<Asked>();
        for (String text : words.list("jobs")) {
            int dot = text.indexOf('.');
            String id = dot < 0 ? text : text.substring(0, dot);
            String step = dot < 0 ? "batch" : text.substring(dot + 1);
            if (!JobIds.names(id) || !JobIds.one(id)) {
                throw CommandFailure.error("sstat", "Invalid job id: " + text);
            }
            if (!step.equals("batch") && !step.matches("[0-9]{1,9}")) {
                throw CommandFailure.error(
                        "sstat", text + ": a step is a number, or batch, as in " + id + ".0");
            }
            asked.add(new Asked(id, step.equals("batch") ? null : Long.valueOf(step)));
        }
        if (asked.isEmpty()) {
            throw CommandFailure.error("sstat", "You didn't give me any jobs to stat.");
        }
        return asked;
    }

    private static List<List<String>> lines(
            JobView job, JsonObject used, @Nullable Long step, boolean all) {
        boolean told = !used.objects("nodes").isEmpty() || !used.objects("gpus").isEmpty();
        var lines = new ArrayList<List<String>>();
        if (step == null && told) {
            lines.add(row(job, used));
        }
        var steps = new TreeMap<Long, List<JsonObject>>();
        for (JsonObject node : used.objects("nodes")) {
            for (JsonObject each : node.objects("steps")) {
                Map<String, @Nullable Object> here = new LinkedHashMap<>(each.fields());
                here.put("node", node.text("node"));
                steps.computeIfAbsent(each.number("step"), _ -> new ArrayList<>())
                        .add(new JsonObject(here));
            }
        }
        steps.forEach((number, nodes) -> {
            if (all || number.equals(step)) {
                lines.add(row(job.name() + "." + number, sum(nodes, "tasks"), nodes, List.of()));
            }
        });
        return lines;
    }

    /// The values of a job, in the order of all columns.
    private static List<String> row(JobView job, JsonObject used) {
        return row(
                job.name() + ".batch",
                job.number("tasks"),
                used.objects("nodes"),
                used.objects("gpus"));
    }

    private static List<String> row(
            String id, long tasksThere, List<JsonObject> nodes, List<JsonObject> gpus) {
        long tasks = Math.max(1, tasksThere);
        TasksUse each = TasksUse.of(nodes);
        String averageCpu =
                each.counted()
                        ? each.averageCpu()
                        : nodes.isEmpty()
                                ? ""
                                : SlurmTime.full(sum(nodes, "cpuMillis") / tasks / 1000);
        String averageMemory =
                each.counted()
                        ? each.averageMib("memoryMib")
                        : nodes.isEmpty()
                                ? ""
                                : SlurmMemory.exact(sum(nodes, "maxMemoryMib") / nodes.size());
        Extreme memory = most(each, "mostMemory", nodes, "maxMemoryMib");
        Extreme read = most(each, "mostRead", nodes, "readMib");
        Extreme written = most(each, "mostWritten", nodes, "writtenMib");
        Extreme leastCpu = each.leastCpu();
        return List.of(
                id,
                Long.toString(tasks),
                averageCpu,
                leastCpu.amount(),
                leastCpu.node(),
                leastCpu.rank(),
                memory.amount(),
                memory.node(),
                memory.rank(),
                averageMemory,
                read.amount(),
                read.node(),
                read.rank(),
                each.averageMib("readMib"),
                written.amount(),
                written.node(),
                written.rank(),
                each.averageMib("writtenMib"),
                tres(averageCpu, "gres/gpuutil", gpuUse(gpus), averageMemory),
                tres(averageCpu, "gres/gpumem", gpuMemory(nodes, gpus), memory.amount()),
                HostList.compress(nodes.stream().map(it -> it.text("node")).toList()));
    }

    /// `cpu=00:00:10,gres/gpuutil=80,mem=512M`: of what is measured.
    private static String tres(String cpu, String gpuResource, String gpu, String memory) {
        return List.of(Map.entry("cpu", cpu), Map.entry(gpuResource, gpu), Map.entry("mem", memory))
                .stream()
                .filter(it -> !it.getValue().isEmpty())
                .map(it -> it.getKey() + "=" + it.getValue())
                .collect(Collectors.joining(","));
    }

    /// The share of time in which the GPUs worked, in percent, over all that they told.
    private static String gpuUse(List<JsonObject> gpus) {
        var average =
                gpus.stream()
                        .flatMap(it -> it.numbers("use").stream())
                        .mapToLong(Long::longValue)
                        .average();
        return average.isEmpty() ? "" : Long.toString(Math.round(average.getAsDouble()));
    }

    /// The most memory that one of the GPUs had in use; of one of which the job holds a part what
    /// its own processes had.
    private static String gpuMemory(List<JsonObject> nodes, List<JsonObject> gpus) {
        List<Long> own =
                nodes.stream()
                        .filter(it -> it.has("gpuMemoryMib"))
                        .map(it -> it.number("gpuMemoryMib"))
                        .toList();
        OptionalLong most =
                (own.isEmpty()
                                ? gpus.stream().flatMap(it -> it.numbers("memoryUsedMib").stream())
                                : own.stream())
                        .mapToLong(Long::longValue)
                        .max();
        return most.isEmpty() ? "" : most.getAsLong() + "M";
    }

    private static long sum(List<JsonObject> nodes, String name) {
        return nodes.stream().mapToLong(it -> it.number(name)).sum();
    }

    /// The task that has most of it; where nobody counts tasks the node, without a rank.
    private static Extreme most(
            TasksUse each, String ofTasks, List<JsonObject> nodes, String ofNode) {
        if (each.counted()) {
            return each.most(ofTasks);
        }
        return nodes.stream()
                .filter(it -> it.has(ofNode))
                .max(Comparator.comparingLong(it -> it.number(ofNode)))
                .map(it -> new Extreme(it.text("node"), "", SlurmMemory.exact(it.number(ofNode))))
                .orElse(Extreme.NONE);
    }
}
