package io.berth.cli;

import io.berth.cli.JobField.Moment;
import io.berth.client.JsonText;
import io.berth.contracts.JobState;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A job as `squeue --json` tells of it. Times are epoch seconds, 0 for none, limits minutes. What
/// Berth has no notion of is told as Slurm tells it of a job that does not use it.
final class SqueueJson {

    private static final List<String> EMPTY =
            List.of(
                    "admin_comment",
                    "batch_features",
                    "burst_buffer",
                    "burst_buffer_state",
                    "cluster_features",
                    "federation_origin",
                    "federation_siblings_active",
                    "federation_siblings_viable",
                    "mcs_label",
                    "system_comment",
                    "tres_freq",
                    "wckey");
    private static final List<String> ZERO =
            List.of(
                    "delay_boot",
                    "max_cpus",
                    "resize_time",
                    "sockets_per_board",
                    "tasks_per_board");
    private static final List<String> NULL =
            List.of(
                    "core_spec",
                    "cores_per_socket",
                    "cpu_frequency_governor",
                    "cpu_frequency_maximum",
                    "cpu_frequency_minimum",
                    "profile",
                    "sockets_per_node",
                    "tasks_per_core",
                    "thread_spec");

    private SqueueJson() {}

    static Map<String, @Nullable Object> fields(JobView job, Moment moment) {
        var json = new LinkedHashMap<String, @Nullable Object>();
        addIdentity(json, job, moment);
        addTimes(json, job, moment);
        addResources(json, job);
        addLaunch(json, job);
        addUnused(json);
        json.put("berth", job.json());
        return json;
    }

    private static void addIdentity(
            Map<String, @Nullable Object> json, JobView job, Moment moment) {
        long user = Long.parseLong(JobField.USER_ID.value(job, moment));
        json.put("job_id", job.id());
        json.put("array_job_id", job.array() ? job.number("arrayJob") : 0);
        json.put("array_task_id", job.array() ? job.number("arrayTask") : JsonText.NULL);
        json.put("array_max_tasks", job.number("arrayThrottle"));
        json.put("array_task_string", "");
        json.put("name", job.text("name"));
        json.put("user_id", user);
        json.put("user_name", job.text("user"));
        json.put("group_id", user);
        json.put("group_name", job.text("user"));
        json.put("account", job.text("account"));
        json.put("cluster", job.text("cluster"));
        json.put("partition", job.text("partition"));
        json.put("qos", job.text("qos"));
        json.put("resv_name", job.text("reservation"));
        json.put("comment", job.text("comment"));
        json.put("job_state", job.state());
        json.put("state_reason", job.reason());
        json.put("state_description", job.text("message"));
        json.put("priority", job.number("priority"));
        json.put("nice", job.number("nice"));
        json.put("dependency", job.text("dependency"));
        json.put("requeue", job.json().flag("requeue"));
        json.put("restart_cnt", job.number("restarts"));
        json.put("exit_code", job.number("exitCode"));
        json.put("het_job_id", job.number("hetJob"));
        json.put("het_job_id_set", job.hetJobs());
        json.put("het_job_offset", job.number("hetOffset"));
    }

    private static void addTimes(Map<String, @Nullable Object> json, JobView job, Moment moment) {
        json.put("submit_time", job.number("submittedAt") / 1000);
        json.put("eligible_time", job.eligibleAt() / 1000);
        json.put("accrue_time", job.accrueAt(moment.now()) / 1000);
        json.put("start_time", job.startAt(moment.now()) / 1000);
        json.put("end_time", job.endAt(moment.now()) / 1000);
        json.put("last_sched_evaluation", job.number("startedAt") / 1000);
        json.put("suspend_time", job.number("suspendedAt") / 1000);
        json.put(
                "pre_sus_time",
                job.json().has("suspendedAt") ? job.elapsedSeconds(moment.now()) : 0);
        json.put("preempt_time", job.number("preemptAt") / 1000);
        json.put("deadline", job.number("deadlineAt") / 1000);
        json.put(
                "time_limit",
                job.unlimited() ? JsonText.NULL : job.number("timeLimitSeconds") / 60);
        json.put("time_minimum", job.number("timeMinSeconds") / 60);
        json.put("elapsed", job.elapsedSeconds(moment.now()));
    }

    private static void addResources(Map<String, @Nullable Object> json, JobView job) {
        List<String> nodes = job.json().texts("nodeNames");
        json.put("node_count", job.nodes());
        json.put("nodes", job.text("nodeList"));
        json.put("batch_host", nodes.isEmpty() ? "" : nodes.getFirst());
        json.put("required_nodes", job.text("requiredNodes"));
        json.put("excluded_nodes", job.text("excludedNodes"));
        json.put("features", job.text("constraint"));
        json.put("prefer", job.text("prefer"));
        json.put("contiguous", job.json().flag("contiguous"));
        json.put("licenses", job.text("licenses"));
        json.put("max_nodes", job.number("maxNodes"));
        json.put("tasks", job.number("tasks"));
        json.put("cpus", job.number("cpus"));
        json.put("cpus_per_task", Math.max(1, job.number("cpusPerTask")));
        json.put(
                "minimum_cpus_per_node",
                Math.max(job.number("cpusPerTask"), job.number("minCpusPerNode")));
        json.put("minimum_tmp_disk_per_node", job.number("minTmpMib"));
        boolean byCpu = job.memoryByCpu();
        json.put(
                "memory_per_node",
                byCpu ? JsonText.NULL : Math.ceilDiv(job.number("memoryMib"), job.nodes()));
        json.put("memory_per_cpu", byCpu ? job.number("memoryMibPerCpu") : JsonText.NULL);
        json.put(
                "tasks_per_socket",
                job.json().has("tasksPerSocket") ? job.number("tasksPerSocket") : JsonText.NULL);
        json.put(
                "threads_per_core",
                job.json().has("threadsUsed") ? job.number("threadsUsed") : JsonText.NULL);
        json.put("tres_per_socket", job.counted("gpusPerSocket", ""));
        json.put("shared", shared(job));
        json.put("tres_per_node", job.gresPerNode(""));
        json.put("tres_req_str", job.tres());
        json.put("tres_alloc_str", nodes.isEmpty() || job.is(JobState.PENDING) ? "" : job.tres());
    }

    /// What a list that is too long for it does not tell is left out.
    private static void addLaunch(Map<String, @Nullable Object> json, JobView job) {
        json.put("batch_flag", job.text("launch").equals("BATCH"));
        if (job.json().has("workingDirectory")) {
            json.put("command", job.text("command"));
            json.put("current_working_directory", job.text("workingDirectory"));
            json.put("standard_input", job.text("standardInput"));
            json.put("standard_output", job.text("standardOutput"));
            json.put("standard_error", job.text("standardError"));
        }
    }

    private static Object shared(JobView job) {
        return switch (job.overSubscribe()) {
            case "NO" -> "none";
            case "USER" -> "user";
            case "YES" -> "oversubscribe";
            default -> JsonText.NULL;
        };
    }

    private static void addUnused(Map<String, @Nullable Object> json) {
        EMPTY.forEach(it -> json.put(it, ""));
        ZERO.forEach(it -> json.put(it, 0));
        NULL.forEach(it -> json.put(it, JsonText.NULL));
        json.put("reboot", false);
    }
}
