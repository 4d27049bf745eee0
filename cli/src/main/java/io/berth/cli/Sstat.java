package io.berth.cli;

import static io.berth.cli.CliOption.flag;
import static io.berth.cli.CliOption.valued;

import io.berth.cli.CliOption.Words;
import io.berth.cli.Table.Title;
import io.berth.contracts.JobState;
import io.berth.slurm.HostList;
import io.berth.slurm.SlurmMemory;
import io.berth.slurm.SlurmTime;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.stream.Collectors;

/// `sstat`: what running jobs use. It is counted for a job as a whole, and told in the line of its
/// script, as `sacct` does.
///
/// Source: sstat(1) of Slurm 22.05.
final class Sstat implements Command {

    private static final Table ALL =
            new Table(
                    List.of(
                            Title.left("JobID", 12),
                            Title.right("NTasks", 8),
                            Title.right("AveCPU", 10),
                            Title.right("MaxRSS", 10),
                            Title.right("MaxRSSNode", 10),
                            Title.right("AveRSS", 10),
                            Title.right("MaxDiskRead", 12),
                            Title.right("MaxDiskReadNode", 15),
                            Title.right("MaxDiskWrite", 12),
                            Title.right("MaxDiskWriteNode", 16),
                            Title.right("TRESUsageInAve", 30),
                            Title.right("TRESUsageInMax", 30),
                            Title.right("Nodelist", 20)));

    private static final String FORMAT =
            "JobID,NTasks,AveCPU,MaxRSS,MaxRSSNode,MaxDiskRead,MaxDiskWrite,TRESUsageInAve,TRESUsageInMax";

    private static final String UNTOLD = ", or its nodes have not told: they do every few seconds";

    private static final List<CliOption> OPTIONS =
            Table.options(
                    flag("allsteps", 'a', "nothing more: a job has one line"),
                    valued("format", 'o', "columns, such as JobID,MaxRSS,AveCPU%12"),
                    flag("helpformat", 'e', "names of the columns"),
                    valued("jobs", 'j', "these jobs: 17, 17.batch, 20_3"),
                    DataForm.OPTIONS.getFirst(),
                    DataForm.OPTIONS.getLast());

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
        Table shown = ALL.only("sstat", words.value("format", FORMAT));
        List<String> ids = ids(words);
        MeshClient client = MeshClient.of(terminal, "sstat");
        var rows = new ArrayList<List<String>>();
        var data = new ArrayList<JsonObject>();
        int exitCode = 0;
        for (String id : ids) {
            var job = new JobView(client.get(JobIds.path(id)));
            JsonObject used = client.get(JobIds.path(id) + "/telemetry");
            if (used.objects("nodes").isEmpty() && used.objects("gpus").isEmpty()) {
                terminal.err()
                        .print(
                                "sstat: error: no steps running for job %s%s\n"
                                        .formatted(id, job.is(JobState.RUNNING) ? UNTOLD : ""));
                exitCode = 1;
                continue;
            }
            rows.add(row(job, used));
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

    private static List<String> ids(Words words) throws CommandFailure {
        var ids = new ArrayList<String>();
        for (String text : words.list("jobs")) {
            int dot = text.indexOf('.');
            String id = dot < 0 ? text : text.substring(0, dot);
            if (!JobIds.names(id) || !JobIds.one(id)) {
                throw CommandFailure.error("sstat", "Invalid job id: " + text);
            }
            if (dot >= 0 && !text.endsWith(".batch")) {
                throw CommandFailure.error(
                        "sstat",
                        text + ": use is counted for a job as a whole, in " + id + ".batch");
            }
            ids.add(id);
        }
        if (ids.isEmpty()) {
            throw CommandFailure.error("sstat", "You didn't give me any jobs to stat.");
        }
        return ids;
    }

    /// The values of a job, in the order of all columns.
    private static List<String> row(JobView job, JsonObject used) {
        List<JsonObject> nodes = used.objects("nodes");
        List<JsonObject> gpus = used.objects("gpus");
        long tasks = Math.max(1, job.number("tasks"));
        String averageCpu =
                nodes.isEmpty() ? "" : SlurmTime.full(sum(nodes, "cpuMillis") / tasks / 1000);
        String averageMemory =
                nodes.isEmpty() ? "" : SlurmMemory.exact(sum(nodes, "maxMemoryMib") / nodes.size());
        return List.of(
                job.name() + ".batch",
                Long.toString(tasks),
                averageCpu,
                memory(nodes, "maxMemoryMib"),
                most(nodes, "maxMemoryMib").text("node"),
                averageMemory,
                memory(nodes, "readMib"),
                most(nodes, "readMib").text("node"),
                memory(nodes, "writtenMib"),
                most(nodes, "writtenMib").text("node"),
                tres(averageCpu, "gres/gpuutil", gpuUse(gpus), averageMemory),
                tres(averageCpu, "gres/gpumem", gpuMemory(gpus), memory(nodes, "maxMemoryMib")),
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

    /// The most memory that one of the GPUs had in use.
    private static String gpuMemory(List<JsonObject> gpus) {
        OptionalLong most =
                gpus.stream()
                        .flatMap(it -> it.numbers("memoryUsedMib").stream())
                        .mapToLong(Long::longValue)
                        .max();
        return most.isEmpty() ? "" : most.getAsLong() + "M";
    }

    private static long sum(List<JsonObject> nodes, String name) {
        return nodes.stream().mapToLong(it -> it.number(name)).sum();
    }

    /// The node that has most of it; none if no node counts it.
    private static JsonObject most(List<JsonObject> nodes, String name) {
        return nodes.stream()
                .filter(it -> it.has(name))
                .max(Comparator.comparingLong(it -> it.number(name)))
                .orElse(JsonObject.EMPTY);
    }

    private static String memory(List<JsonObject> nodes, String name) {
        JsonObject node = most(nodes, name);
        return node.has(name) ? SlurmMemory.exact(node.number(name)) : "";
    }
}
