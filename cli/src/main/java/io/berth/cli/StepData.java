package io.berth.cli;

import io.berth.client.JsonObject;
import io.berth.contracts.JobState;
import io.berth.slurm.HostList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/// A step as `squeue --steps --json` tells of it: times are epoch seconds, limits minutes. How many
/// CPUs it has and where its `srun` is, is not told.
///
/// Source: data parser v0.0.40 of Slurm 23.11.
final class StepData {

    private StepData() {}

    /// The script of a job that runs, as the gateway lists steps; empty where the job has none of
    /// its own.
    static Optional<JsonObject> script(JobView job) {
        if (job.text("launch").equals("HELD")) {
            return Optional.empty();
        }
        List<String> nodes = job.json().texts("nodeNames");
        long tasks = Math.max(1, job.number("tasks"));
        var step = new LinkedHashMap<String, @Nullable Object>();
        step.put("job", job.id());
        step.put("step", "batch");
        step.put("name", "batch");
        step.put("tasks", 1L);
        step.put("cpus", Math.ceilDiv(tasks, job.nodes()) * (job.number("cpus") / tasks));
        step.put("beganAt", job.number("startedAt"));
        step.put("nodes", nodes.isEmpty() ? nodes : nodes.subList(0, 1));
        return Optional.of(new JsonObject(step));
    }

    /// Its number, or `batch`.
    static String name(JsonObject step) {
        return String.valueOf(step.fields().get("step"));
    }

    /// How long it has run. Nothing of a step whose job was suspended: how long of it the step
    /// stood still is not told.
    ///
    /// @param step its number, or `batch`
    /// @param began epoch milliseconds; 0 if it was not told
    /// @param now epoch milliseconds
    static OptionalLong seconds(JobView job, String step, long began, long now) {
        long suspended = job.number("suspendedSeconds");
        return began == 0 || (suspended > 0 && !step.equals("batch"))
                ? OptionalLong.empty()
                : OptionalLong.of(Math.max(0, (now - began) / 1000 - suspended));
    }

    /// @param step its number, or `batch`
    /// @param began epoch milliseconds; 0 if it was not told
    /// @param now epoch milliseconds
    static Map<String, @Nullable Object> fields(
            JobView job,
            String step,
            String name,
            long tasks,
            long began,
            List<String> nodes,
            long now) {
        OptionalLong seconds = seconds(job, step, began, now);
        var json = new LinkedHashMap<String, @Nullable Object>();
        json.put("id", job.id() + "." + step);
        json.put(
                "array",
                Map.of(
                        "job_id",
                        job.array() ? job.number("arrayJob") : 0,
                        "task_id",
                        job.array() ? job.number("arrayTask") : 0));
        json.put("name", name);
        json.put("user", job.text("user"));
        json.put("partition", job.text("partition"));
        json.put("nodes", HostList.compress(nodes));
        json.put("number_tasks", tasks);
        json.put("state", List.of(JobState.RUNNING.name()));
        var time = new LinkedHashMap<String, Object>();
        time.put("start", SlurmData.setUnlessZero(began / 1000));
        time.put(
                "running",
                seconds.isEmpty() ? SlurmData.UNSET : SlurmData.number(seconds.getAsLong()));
        time.put("limit", SlurmData.infiniteIfZero(job.number("timeLimitSeconds") / 60));
        json.put("time", time);
        json.put("cluster", job.text("cluster"));
        json.put("container", "");
        json.put("container_id", "");
        json.put("network", "");
        json.put("reserved_ports", "");
        return json;
    }
}
