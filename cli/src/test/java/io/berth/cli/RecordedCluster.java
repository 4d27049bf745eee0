package io.berth.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.slurm.HostList;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The cluster of which a real Slurm's outputs were recorded, as Berth's gateway and accounting
/// would tell of it: rebuilt from those of the outputs that were made for programs.
///
/// @param samples the folder of the outputs
record RecordedCluster(Path samples) {

    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;
    private static final Pattern TRES = Pattern.compile("([a-z/]+)=([0-9.]+)([MG]?)");

    static Path folder() {
        String named = System.getenv("BERTH_GOLDEN");
        return Path.of(named == null ? "../../shared/golden" : named);
    }

    List<String> lines(String file) throws IOException {
        return Files.readAllLines(samples.resolve(file));
    }

    JsonNode json(String file) throws IOException {
        return new ObjectMapper().readTree(samples.resolve(file).toFile());
    }

    /// A gateway and an accounting service that tell of it.
    FakeMesh mesh() throws IOException {
        var mesh = new FakeMesh();
        ArrayNode jobs = jobs();
        mesh.on("GET", "/v1/jobs", JSON.objectNode().set("jobs", jobs).toString());
        jobs.forEach(it -> mesh.on("GET", "/v1/jobs/" + it.get("id"), it.toString()));
        return mesh.on("GET", "/v1/nodes", JSON.objectNode().set("nodes", nodes()).toString())
                .on("GET", "/v1/partitions", Samples.PARTITIONS)
                .on("GET", "/v1/steps", "{\"steps\":[]}")
                .on("GET", "/v1/priorities", priorities().toString())
                .on("GET", "/v1/accounting/shares", shares().toString())
                .on("GET", "/v1/accounting/jobs", accounted().toString())
                .on("GET", "/v1/accounting/budgets", "{\"budgets\":[]}")
                .on("GET", "/q/metrics", SdiagTest.METRICS)
                .on("GET", "/v1/configuration", CONFIGURATION);
    }

    private static final String CONFIGURATION =
            """
            {"revision":1,"document":{"name":"small",
             "switches":{"spine":{"switches":["rack1","rack2"]},
                         "rack1":{"nodes":"node[01-04]"},"rack2":{"nodes":"node[05-08]"}},
             "accounts":{
              "root":{"users":{"root":{}}},
              "bench":{"users":{"bench":{},"root":{}}},
              "team_a":{"shares":50,"users":{"alice":{"shares":30},"bob":{"shares":20}}},
              "team_b":{"shares":30,"users":{"carol":{"shares":15},"dave":{"shares":15}}},
              "team_c":{"shares":20,"users":{"eve":{"shares":20}}}},
             "fairShare":{"halfLife":"14-0","dampening":1},
             "priority":{"maxAge":"7-0","favorSmall":false,
                         "weights":{"age":1000,"fairShare":10000,"jobSize":1000,"qos":10000}},
             "preemption":{"type":"none"}}}
            """;

    /// The queue of `squeue.json`; of the waiting array a job for each of its tasks. Where waiting
    /// jobs are expected to run, only `squeue-start.txt` tells.
    private ArrayNode jobs() throws IOException {
        Map<String, String> planned = new HashMap<>();
        for (String line : lines("squeue-start.txt")) {
            String[] words = line.strip().split(" +");
            planned.put(words[0].replaceFirst("_.*", ""), words[7]);
        }
        ArrayNode jobs = JSON.arrayNode();
        for (JsonNode recorded : json("squeue.json").get("jobs")) {
            ObjectNode job =
                    job(recorded, planned.getOrDefault(recorded.get("job_id").asText(), ""));
            Matcher tasks =
                    Pattern.compile("(\\d+)-(\\d+)")
                            .matcher(recorded.get("array_task_string").asText());
            if (!tasks.matches()) {
                jobs.add(job);
                continue;
            }
            for (int task = Integer.parseInt(tasks.group(1));
                    task <= Integer.parseInt(tasks.group(2));
                    task++) {
                int id = job.get("id").asInt() + (task == 1 ? 0 : 1000 + task);
                jobs.add(job.deepCopy().put("id", id).put("arrayTask", task));
            }
        }
        return jobs;
    }

    private static ObjectNode job(JsonNode recorded, String plannedNodes) {
        String state = recorded.get("job_state").asText();
        boolean waits = state.equals("PENDING");
        Map<String, Long> asked = tres(recorded.get("tres_req_str").asText());
        Map<String, Long> tres = waits ? asked : tres(recorded.get("tres_alloc_str").asText());
        String nodes = recorded.get("nodes").asText();
        ObjectNode job =
                JSON.objectNode()
                        .put("id", recorded.get("job_id").asLong())
                        .put("name", recorded.get("name").asText())
                        .put("user", recorded.get("user_name").asText())
                        .put("account", recorded.get("account").asText())
                        .put("partition", recorded.get("partition").asText())
                        .put("qos", recorded.get("qos").asText())
                        .put("state", state)
                        .put(
                                "stateCode",
                                switch (state) {
                                    case "PENDING" -> "PD";
                                    case "RUNNING" -> "R";
                                    default -> "CD";
                                })
                        .put("reason", recorded.get("state_reason").asText())
                        .put("priority", recorded.get("priority").asLong())
                        .put("nice", recorded.get("nice").asLong())
                        .put("submittedAt", recorded.get("submit_time").asLong() * 1000)
                        .put("eligibleAt", recorded.get("eligible_time").asLong() * 1000)
                        .put("timeLimitSeconds", recorded.get("time_limit").asLong() * 60)
                        .put("nodes", recorded.get("node_count").asLong())
                        .put("nodeList", nodes)
                        .put("tasks", recorded.get("tasks").asLong())
                        .put("cpusPerTask", 1)
                        .put("cpus", tres.get("cpu"))
                        .put("memoryMib", tres.get("mem"))
                        .put("gpus", tres.getOrDefault("gres/gpu", 0L))
                        .put("launch", "BATCH")
                        .put("requeue", recorded.get("requeue").asBoolean())
                        .put("restarts", recorded.get("restart_cnt").asLong())
                        .put("exitCode", recorded.get("exit_code").asLong())
                        .put("exclusive", recorded.get("shared").asText().equals("none"))
                        .put("command", recorded.get("command").asText())
                        .put("workingDirectory", recorded.get("current_working_directory").asText())
                        .put("standardOutput", recorded.get("standard_output").asText())
                        .put("standardError", recorded.get("standard_error").asText())
                        .put("standardInput", recorded.get("standard_input").asText())
                        .put("dependency", recorded.get("dependency").asText())
                        .put("submitHost", "localhost");
        if (recorded.get("memory_per_cpu").isNumber()) {
            job.put("memoryMibPerCpu", recorded.get("memory_per_cpu").asLong());
        }
        ArrayNode names = job.putArray("nodeNames");
        HostList.expand(nodes).forEach(names::add);
        String gres = recorded.get("tres_per_node").asText();
        if (gres.startsWith("gres:gpu:")) {
            job.put("gpusPerNode", Long.parseLong(gres.replaceFirst(".*:", "")));
        } else if (gres.startsWith("gres:mps:")) {
            job.putObject("gpuPart")
                    .put("asked", gres.substring(5))
                    .put("tres", "gres/mps")
                    .put("amount", tres.get("gres/mps"));
        }
        if (recorded.get("array_job_id").asLong() != 0) {
            job.put("arrayJob", recorded.get("array_job_id").asLong());
            job.put("arrayTask", recorded.get("array_task_id").asLong());
        }
        long start = recorded.get("start_time").asLong() * 1000;
        if (!waits) {
            job.put("startedAt", start);
            addAllocations(job, names);
        } else if (recorded.get("state_reason").asText().equals("BeginTime")) {
            job.put("beginAt", start).put("plannedStart", start);
        } else if (start != 0) {
            job.put("plannedStart", start);
        }
        if (!plannedNodes.isEmpty() && !plannedNodes.equals("(null)")) {
            job.put("plannedNodes", plannedNodes);
        }
        if (state.equals("COMPLETED")) {
            job.put("endedAt", recorded.get("end_time").asLong() * 1000);
        }
        return job;
    }

    /// Of the job that has whole nodes.
    private static void addAllocations(ObjectNode job, ArrayNode names) {
        if (!job.get("exclusive").asBoolean()) {
            return;
        }
        ArrayNode allocations = job.putArray("allocations");
        for (JsonNode node : names) {
            ObjectNode allocation =
                    allocations
                            .addObject()
                            .put("node", node.asText())
                            .put("cpus", "0-127")
                            .put("memoryMib", job.get("memoryMib").asLong() / names.size())
                            .put("gpuIndices", "0-7");
            ArrayNode gpus = allocation.putArray("gpus");
            for (int i = 0; i < 8; i++) {
                gpus.add("GPU-" + i);
            }
        }
    }

    /// `cpu=4,mem=16G,gres/gpu=2`, memory in MiB.
    private static Map<String, Long> tres(String text) {
        var tres = new HashMap<String, Long>();
        Matcher matcher = TRES.matcher(text);
        while (matcher.find()) {
            double amount = Double.parseDouble(matcher.group(2));
            tres.put(
                    matcher.group(1),
                    Math.round(matcher.group(3).equals("G") ? amount * 1024 : amount));
        }
        return tres;
    }

    private ArrayNode nodes() throws IOException {
        ArrayNode nodes = JSON.arrayNode();
        for (JsonNode recorded : json("sinfo.json").get("nodes")) {
            long memory = recorded.get("real_memory").asLong();
            ObjectNode node =
                    nodes.addObject()
                            .put("name", recorded.get("name").asText())
                            .put("state", recorded.get("state").asText().toUpperCase(Locale.ROOT))
                            .put("cpus", recorded.get("cpus").asLong())
                            .put("cpusAllocated", recorded.get("alloc_cpus").asLong())
                            .put("memoryMib", memory)
                            .put("memoryAllocatedMib", recorded.get("alloc_memory").asLong())
                            .put("memoryUsedMib", memory - recorded.get("free_memory").asLong())
                            .put("sockets", recorded.get("sockets").asLong())
                            .put("coresPerSocket", recorded.get("cores").asLong())
                            .put("threadsPerCore", recorded.get("threads").asLong())
                            .put("os", recorded.get("operating_system").asText())
                            .put("architecture", recorded.get("architecture").asText())
                            .put("agentVersion", recorded.get("slurmd_version").asText())
                            .put("loadPercent", recorded.get("cpu_load").asLong())
                            .put(
                                    "gpusAllocated",
                                    tres(recorded.get("tres_used").asText()).get("gres/gpu"));
            node.set("partitions", recorded.get("partitions"));
            ArrayNode gpus = node.putArray("gpus");
            for (int i = 0;
                    i < tres(recorded.get("tres").asText()).getOrDefault("gres/gpu", 0L);
                    i++) {
                gpus.addObject().put("index", i).put("type", "a100").put("job", 1015);
            }
        }
        return nodes;
    }

    /// The factors of `sprio-nl.txt` times the weights of `sprio-w.txt`.
    private ObjectNode priorities() throws IOException {
        List<String> weights = words(lines("sprio-w.txt").get(1));
        ObjectNode all = JSON.objectNode();
        all.putObject("weights")
                .put("age", Long.parseLong(weights.get(2)))
                .put("association", 0)
                .put("fairShare", Long.parseLong(weights.get(3)))
                .put("jobSize", Long.parseLong(weights.get(4)))
                .put("partition", 0)
                .put("qos", Long.parseLong(weights.get(5)))
                .putObject("tres");
        ArrayNode jobs = all.putArray("jobs");
        List<String> factors = lines("sprio-nl.txt");
        List<String> points = lines("sprio-l.txt");
        for (int i = 1; i < factors.size(); i++) {
            List<String> words = words(factors.get(i));
            ObjectNode job =
                    jobs.addObject()
                            .put("job", Long.parseLong(words.get(0)))
                            .put("partition", words.get(1).replace("interacti", "interactive"))
                            .put("user", words.get(2));
            ObjectNode priority =
                    job.putObject("priority")
                            .put("association", 0.0)
                            .put("partition", 0.0)
                            .put("tres", 0.0)
                            .put("nice", -Double.parseDouble(words(points.get(i)).get(11)));
            double total = priority.get("nice").asDouble();
            int[] columns = {4, 6, 7, 9};
            String[] names = {"age", "fairShare", "jobSize", "qos"};
            for (int part = 0; part < columns.length; part++) {
                double value =
                        Double.parseDouble(words.get(columns[part]))
                                * all.get("weights").get(names[part]).asLong();
                priority.put(names[part], value);
                total += value;
            }
            priority.put("total", total);
        }
        return all;
    }

    private static List<String> words(String line) {
        return List.of(line.strip().split(" +"));
    }

    private ObjectNode shares() throws IOException {
        ObjectNode all = JSON.objectNode();
        ArrayNode shares = all.putArray("shares");
        for (String line : lines("seed-sshare-alP.txt").subList(1, 14)) {
            String[] cells = line.split("\\|", -1);
            ObjectNode share =
                    shares.addObject()
                            .put("account", cells[0].strip())
                            .put("depth", cells[0].length() - cells[0].stripLeading().length())
                            .put("rawShares", cells[2])
                            .put("normShares", Double.parseDouble(cells[3]))
                            .put("rawUsage", Long.parseLong(cells[4]))
                            .put("effectiveUsage", Double.parseDouble(cells[6]))
                            .put("levelFs", cells[8]);
            if (!cells[1].isEmpty()) {
                share.put("user", cells[1]).put("fairShare", Double.parseDouble(cells[7]));
            }
            if (!cells[5].isEmpty()) {
                share.put("normUsage", Double.parseDouble(cells[5]));
            }
        }
        return all;
    }

    /// The rows of a table of `sacct -P`, by name of their column.
    static List<Map<String, String>> rows(List<String> lines) {
        var rows = new ArrayList<Map<String, String>>();
        List<String> titles = List.of(lines.getFirst().split("\\|", -1));
        for (String line : lines.subList(1, lines.size())) {
            // What ran may have `|` in it: the columns after it are counted from the end.
            String[] cells = line.split("\\|", -1);
            if (cells.length < titles.size()) {
                continue;
            }
            var row = new LinkedHashMap<String, String>();
            int last = titles.indexOf("SubmitLine");
            for (int i = 0; i < titles.size(); i++) {
                row.put(titles.get(i), cells[i < last ? i : i + cells.length - titles.size()]);
            }
            rows.add(row);
        }
        return rows;
    }

    private ObjectNode accounted() throws IOException {
        ObjectNode all = JSON.objectNode();
        ArrayNode jobs = all.putArray("jobs");
        ObjectNode job = JSON.objectNode();
        for (Map<String, String> row : rows(lines("sacct-all-P.txt"))) {
            String id = row.getOrDefault("JobID", "");
            if (!id.contains(".")) {
                job = accounted(row);
                int tasks = id.endsWith("_[1-4]") ? 4 : 1;
                for (int task = 1; task <= tasks; task++) {
                    jobs.add(
                            tasks == 1
                                    ? job
                                    : job.deepCopy()
                                            .put("id", job.get("id").asLong() + task - 1)
                                            .put("arrayTask", task));
                }
            } else if (id.startsWith(job.path("id").asText() + ".") && !id.endsWith(".batch")) {
                ((ArrayNode) job.get("runs").get(0).get("steps")).add(step(row));
            }
        }
        return all;
    }

    private static ObjectNode accounted(Map<String, String> row) {
        boolean started = !row.getOrDefault("AllocTRES", "").isEmpty();
        Map<String, Long> tres = tres(row.getOrDefault(started ? "AllocTRES" : "ReqTRES", ""));
        String state = row.getOrDefault("State", "");
        String nodes = row.getOrDefault("NodeList", "");
        ObjectNode job =
                JSON.objectNode()
                        .put("id", Long.parseLong(row.getOrDefault("JobIDRaw", "")))
                        .put("name", row.get("JobName"))
                        .put("user", row.get("User"))
                        .put("account", row.get("Account"))
                        .put("partition", row.get("Partition"))
                        .put("qos", row.get("QOS"))
                        .put("state", state.replaceFirst(" by.*", ""))
                        .put("exitCode", 0)
                        .put("signal", 0)
                        .put("submittedAt", millis(row, "Submit"))
                        .put("elapsedSeconds", Long.parseLong(row.getOrDefault("ElapsedRaw", "")))
                        .put(
                                "timeLimitSeconds",
                                Long.parseLong(row.getOrDefault("TimelimitRaw", "")) * 60)
                        .put("nodes", tres.get("node"))
                        .put("nodeList", nodes.equals("None assigned") ? "" : nodes)
                        .put("cpus", tres.get("cpu"))
                        .put("memoryMib", tres.get("mem"))
                        .put("gpus", tres.getOrDefault("gres/gpu", 0L))
                        .put("tasks", nodes.equals("node[01-08]") ? 8 : 1)
                        .put("reason", row.get("Reason"));
        ObjectNode requested = job.putObject("requested");
        tres(row.getOrDefault("ReqTRES", "")).forEach(requested::put);
        requested.remove("billing");
        put(job, row, "eligibleAt", "Eligible");
        put(job, row, "endedAt", "End");
        if (started) {
            put(job, row, "startedAt", "Start");
        }
        if (state.startsWith("CANCELLED by")) {
            job.put("cancelledBy", state.substring(13));
        }
        if (tres.containsKey("gres/mps")) {
            job.put("gpuPart", "gres/mps=" + tres.get("gres/mps"));
        }
        String name = row.getOrDefault("JobID", "");
        if (name.contains("_")) {
            job.put("arrayJob", Long.parseLong(name.replaceFirst("_.*", "")));
            job.put(
                    "arrayTask",
                    name.endsWith("]") ? 0 : Long.parseLong(name.replaceFirst(".*_", "")));
        }
        ArrayNode runs = job.putArray("runs");
        if (started) {
            runs.addObject().putArray("steps");
        }
        return job;
    }

    /// The jobs of a `sacct --json`.
    static ObjectNode accounted(JsonNode recorded) {
        ObjectNode all = JSON.objectNode();
        ArrayNode jobs = all.putArray("jobs");
        for (JsonNode each : recorded.get("jobs")) {
            JsonNode time = each.get("time");
            boolean started = each.get("allocation_nodes").asLong() > 0;
            ObjectNode job =
                    jobs.addObject()
                            .put("id", each.get("job_id").asLong())
                            .put("name", each.get("name").asText())
                            .put("user", each.get("user").asText())
                            .put("account", each.get("account").asText())
                            .put("partition", each.get("partition").asText())
                            .put("qos", each.get("qos").asText())
                            .put("state", each.get("state").get("current").asText())
                            .put("reason", each.get("state").get("reason").asText())
                            .put("cancelledBy", each.get("kill_request_user").asText())
                            .put("exitCode", 0)
                            .put("signal", 0)
                            .put("submittedAt", time.get("submission").asLong() * 1000)
                            .put("eligibleAt", time.get("eligible").asLong() * 1000)
                            .put("endedAt", time.get("end").asLong() * 1000)
                            .put("elapsedSeconds", time.get("elapsed").asLong())
                            .put("timeLimitSeconds", time.get("limit").asLong() * 60)
                            .put("nodes", 1)
                            .put("tasks", 1)
                            .put("nodeList", started ? each.get("nodes").asText() : "")
                            .put("gpus", 1);
            for (JsonNode tres : each.get("tres").get("requested")) {
                switch (tres.get("type").asText()) {
                    case "cpu" -> job.put("cpus", tres.get("count").asLong());
                    case "mem" -> job.put("memoryMib", tres.get("count").asLong());
                    default -> {}
                }
            }
            ArrayNode runs = job.putArray("runs");
            if (started) {
                job.put("startedAt", time.get("start").asLong() * 1000);
                runs.addObject().putArray("steps");
            }
        }
        return all;
    }

    private static ObjectNode step(Map<String, String> row) {
        Map<String, Long> tres = tres(row.getOrDefault("AllocTRES", ""));
        return JSON.objectNode()
                .put(
                        "number",
                        Long.parseLong(row.getOrDefault("JobID", "").replaceFirst(".*\\.", "")))
                .put("name", row.get("JobName"))
                .put("state", row.get("State"))
                .put("exit", row.get("ExitCode"))
                .put("node", row.get("NodeList"))
                .put("tasks", Long.parseLong(row.getOrDefault("NTasks", "")))
                .put("cpus", tres.get("cpu"))
                .put("gpus", tres.getOrDefault("gres/gpu", 0L))
                .put("startedAt", millis(row, "Start"))
                .put("endedAt", millis(row, "End"));
    }

    private static void put(ObjectNode job, Map<String, String> row, String name, String column) {
        if (row.getOrDefault(column, "").startsWith("2")) {
            job.put(name, millis(row, column));
        }
    }

    private static long millis(Map<String, String> row, String column) {
        return LocalDateTime.parse(row.getOrDefault(column, ""))
                .toInstant(ZoneOffset.UTC)
                .toEpochMilli();
    }
}
