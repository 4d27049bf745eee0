package io.berth.submit.restd;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.contracts.json.Json;
import io.berth.slurm.GpuSpec;
import io.berth.slurm.GresList;
import io.berth.slurm.JobSubmission;
import io.berth.submit.Refusal.InvalidOption;
import io.berth.submit.Refused;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Makes a submission of slurmrestd's `job_submit_req`: a script, and the job's description beside
/// it. A field that would change what runs and that Berth does not have is refused by name.
final class SlurmSubmission {
    /// They change nothing of what runs.
    private static final Set<String> IGNORED =
            Set.of(
                    "user_id",
                    "group_id",
                    "kill_on_node_fail",
                    "container_id",
                    "wckey",
                    "profile",
                    "cluster");

    private final Map<String, @Nullable Object> job = new LinkedHashMap<>();
    private final Map<String, @Nullable Object> terms = new LinkedHashMap<>();
    private final Map<String, @Nullable Object> where = new LinkedHashMap<>();

    /// What slurmrestd has of each component, and the first one has for the script of all.
    private static final Set<String> OF_THE_SCRIPT =
            Set.of(
                    "arguments",
                    "container",
                    "environment",
                    "standardError",
                    "standardInput",
                    "standardOutput",
                    "workingDirectory");

    /// @param body of the request: with `job`, or for a heterogeneous one with `jobs`
    static JobSubmission of(ObjectNode body) throws Refused {
        JsonNode jobs = body.path("jobs");
        if (!jobs.isMissingNode() && !jobs.isNull() && !jobs.isArray()) {
            throw invalid("jobs", "a list of jobs");
        }
        JsonNode description = jobs.isEmpty() ? body.path("job") : jobs.get(0);
        JsonNode script =
                body.hasNonNull("script") ? body.get("script") : description.get("script");
        if (script == null || !script.isTextual()) {
            throw invalid("script", "a text");
        }
        Map<String, @Nullable Object> job = job(description);
        job.put("script", script.asText());
        var components = new ArrayList<Map<String, @Nullable Object>>();
        for (int i = 1; i < jobs.size(); i++) {
            Map<String, @Nullable Object> component = job(jobs.get(i));
            component.keySet().removeAll(OF_THE_SCRIPT);
            components.add(component);
        }
        job.put("components", components);
        try {
            return Json.mapper().convertValue(job, JobSubmission.class);
        } catch (IllegalArgumentException e) {
            throw new Refused(new InvalidOption("a field of the job is of the wrong type"));
        }
    }

    private static Map<String, @Nullable Object> job(JsonNode description) throws Refused {
        if (!description.isObject()) {
            throw invalid("job", "a job");
        }
        var submission = new SlurmSubmission();
        for (Map.Entry<String, JsonNode> field : description.properties()) {
            if (isSet(field.getValue()) && !field.getKey().equals("script")) {
                submission.set(field.getKey(), field.getValue());
            }
        }
        submission.job.put("terms", submission.terms);
        submission.job.put("where", submission.where);
        return submission.job;
    }

    /// Whether it says something: clients send numbers with `"set": false` for those they have not.
    private static boolean isSet(JsonNode value) {
        return !value.isNull() && value.path("set").asBoolean(true);
    }

    private void set(String name, JsonNode value) throws Refused {
        switch (name) {
            case "name", "account", "partition", "qos", "container" ->
                    job.put(name, text(name, value));
            case "current_working_directory" -> job.put("workingDirectory", text(name, value));
            case "standard_output" -> job.put("standardOutput", text(name, value));
            case "standard_error" -> job.put("standardError", text(name, value));
            case "standard_input" -> job.put("standardInput", text(name, value));
            case "argv" -> job.put("arguments", value);
            case "environment" -> job.put("environment", environment(value));
            case "tasks" -> job.put("tasks", number(name, value));
            case "tasks_per_node" -> job.put("tasksPerNode", number(name, value));
            case "cpus_per_task" -> job.put("cpusPerTask", number(name, value));
            case "nodes" -> setNodes(value);
            case "minimum_nodes" -> job.put("nodes", number(name, value));
            case "memory_per_node" -> job.put("memoryMibPerNode", number(name, value));
            case "memory_per_cpu" -> job.put("memoryMibPerCpu", number(name, value));
            case "time_limit" -> job.put("timeLimitSeconds", 60 * number(name, value));
            case "tres_per_job" -> gpus("gpus", text(name, value));
            case "tres_per_node" -> perNode(text(name, value));
            case "tres_per_task" -> gpus("gpusPerTask", text(name, value));
            case "nice" -> job.put("nice", number(name, value));
            case "requeue" -> job.put("requeue", choice(name, value));
            default -> setTerm(name, value);
        }
    }

    private void setTerm(String name, JsonNode value) throws Refused {
        switch (name) {
            case "array" -> terms.put("array", text(name, value));
            case "dependency" -> terms.put("dependency", text(name, value));
            case "hold" -> terms.put("hold", choice(name, value));
            case "begin_time" -> terms.put("beginAt", 1000 * number(name, value));
            case "deadline" -> terms.put("deadlineAt", 1000 * number(name, value));
            case "priority" -> terms.put("priority", number(name, value));
            case "comment" -> terms.put("comment", text(name, value));
            case "mail_type" -> terms.put("mailType", list(name, value));
            case "mail_user" -> terms.put("mailUser", text(name, value));
            case "reservation", "licenses" -> where.put(name, text(name, value));
            case "maximum_nodes" -> where.put("maxNodes", number(name, value));
            case "minimum_cpus_per_node" -> where.put("minCpusPerNode", number(name, value));
            case "temporary_disk_per_node" -> where.put("tmpMib", number(name, value));
            case "oversubscribe" -> where.put("oversubscribe", choice(name, value));
            case "contiguous" -> where.put("contiguous", choice(name, value));
            case "exclusive" -> setExclusive(text(name, value));
            case "constraints" -> where.put("constraint", text(name, value));
            case "prefer" -> where.put("prefer", text(name, value));
            case "required_nodes" -> where.put("nodeList", list(name, value));
            case "excluded_nodes" -> where.put("excludedNodes", list(name, value));
            default -> {
                if (!IGNORED.contains(name)) {
                    throw new Refused(
                            new InvalidOption("field 'job." + name + "' is not supported yet"));
                }
            }
        }
    }

    /// A list as `--gres` has it; each item may be written as a TRES is: `gres/gpu:a100=2`.
    private void perNode(String list) throws Refused {
        GresList wanted =
                gres(list, "gres/gpu[:type]:count, gres/name[:type]:count or a list of them");
        put("gpusPerNode", wanted.gpus());
        job.put("gpuPart", wanted.part());
        job.put("gres", wanted.others());
    }

    /// GPUs alone, counted otherwise than by node.
    private void gpus(String field, String list) throws Refused {
        String gpu = list.replaceFirst("^gres[:/]", "");
        if (gpu.startsWith("mps") || gpu.startsWith("shard")) {
            job.put("gpuPart", gpu.replace('=', ':'));
            return;
        }
        String expected = "gres/gpu[:type]:count or a list of them";
        GresList wanted = gres(list, expected);
        boolean counted = Stream.of(list.split(",")).allMatch(item -> item.matches(".*[:=][0-9]+"));
        if (!counted || wanted.gpus() == null || wanted.part() != null || wanted.others() != null) {
            throw invalid(list, expected);
        }
        put(field, wanted.gpus());
    }

    private void put(String field, @Nullable GpuSpec gpus) {
        if (gpus != null) {
            job.put(field, gpus.count());
            job.put("gpuType", gpus.type());
            job.put("gpuTypes", gpus.typesText());
        }
    }

    private static GresList gres(String list, String expected) throws Refused {
        try {
            return GresList.parse(list.replace("gres/", "gres:").replace('=', ':'));
        } catch (io.berth.slurm.InvalidOption e) {
            throw invalid(list, expected + ": " + e.getMessage());
        }
    }

    private static Map<String, String> environment(JsonNode value) throws Refused {
        var environment = new LinkedHashMap<String, String>();
        if (!value.isArray()) {
            throw invalid("environment", "a list of NAME=VALUE");
        }
        for (JsonNode variable : value) {
            String[] parts = variable.asText().split("=", 2);
            if (parts.length < 2) {
                throw invalid("environment", "a list of NAME=VALUE");
            }
            environment.put(parts[0], parts[1]);
        }
        return environment;
    }

    /// A number, or a range.
    private void setNodes(JsonNode value) throws Refused {
        String[] range = value.asText().split("-", 2);
        try {
            job.put("nodes", Integer.parseInt(range[0]));
            if (range.length > 1) {
                where.put("maxNodes", Integer.parseInt(range[1]));
            }
        } catch (NumberFormatException e) {
            throw invalid("nodes", "a number of nodes");
        }
    }

    private void setExclusive(String value) throws Refused {
        switch (value) {
            case "true" -> where.put("exclusive", true);
            case "user" -> where.put("exclusiveUser", true);
            case "topo" -> where.put("exclusiveTopo", true);
            case "false" -> {}
            default -> throw invalid("exclusive", "true, false, user or topo");
        }
    }

    private static String list(String name, JsonNode value) throws Refused {
        if (!value.isArray()) {
            return text(name, value);
        }
        var items = new ArrayList<String>();
        for (JsonNode item : value) {
            items.add(text(name, item));
        }
        return String.join(",", items);
    }

    private static boolean choice(String name, JsonNode value) throws Refused {
        return switch (value.asText()) {
            case "true", "1" -> true;
            case "false", "0" -> false;
            default -> throw invalid(name, "true or false");
        };
    }

    private static String text(String name, JsonNode value) throws Refused {
        if (!value.isTextual()) {
            throw invalid(name, "a text");
        }
        return value.asText();
    }

    /// A number as it is, or as one that may be unset or infinite: infinite is 0, without limit.
    private static long number(String name, JsonNode value) throws Refused {
        JsonNode number = value.isObject() ? value.path("number") : value;
        if (value.path("infinite").asBoolean()) {
            return 0;
        }
        if (!number.isIntegralNumber() || !number.canConvertToLong()) {
            throw invalid(name, "a whole number");
        }
        return Math.clamp(number.asLong(), -1_000_000_000_000L, 1_000_000_000_000L);
    }

    private static Refused invalid(String name, String allowed) {
        return new Refused(new InvalidOption("field '" + name + "' is not " + allowed));
    }
}
