package io.berth.cli;

import io.berth.client.JsonObject;
import io.berth.client.JsonText;
import io.berth.slurm.HostList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A job as `sacct --json` tells of it. Times are epoch seconds, limits minutes, memory MiB; what
/// the books do not know (priority, working directory, user and system time apart) is left out.
record SacctJson(AccountedJob job) {

    /// @param steps of it that are told too
    Map<String, @Nullable Object> fields(List<AccountedJob> steps) {
        JsonObject json = job.json();
        var fields = new LinkedHashMap<String, @Nullable Object>();
        fields.put("account", job.text("account"));
        fields.put(
                "comment",
                object(
                        "administrator",
                        JsonText.NULL,
                        "job",
                        SlurmData.orNull(job.text("comment")),
                        "system",
                        JsonText.NULL));
        fields.put("allocation_nodes", job.started() ? job.nodes() : 0);
        fields.put("array", array());
        fields.put(
                "association",
                object(
                        "account",
                        job.text("account"),
                        "cluster",
                        job.text("cluster"),
                        "partition",
                        JsonText.NULL,
                        "user",
                        job.text("user")));
        fields.put("cluster", job.text("cluster"));
        fields.put("constraints", "");
        fields.put("container", JsonText.NULL);
        fields.put("time", time());
        fields.put("derived_exit_code", exit(job.highestExit()));
        fields.put("exit_code", exit(job.exit()));
        fields.put("flags", List.of());
        fields.put("group", job.text("user"));
        fields.put("het", object("job_id", job.number("hetJob"), "job_offset", hetOffset()));
        fields.put("job_id", job.number("id"));
        fields.put("name", job.text("name"));
        fields.put("mcs", object("label", ""));
        fields.put(
                "nodes", job.text("nodeList").isEmpty() ? "None assigned" : job.text("nodeList"));
        fields.put("partition", job.text("partition"));
        fields.put("qos", job.text("qos"));
        fields.put(
                "required",
                object(
                        "CPUs",
                        job.requestedCpus(),
                        "memory",
                        job.requestedMemory() / job.requestedNodes()));
        fields.put("kill_request_user", SlurmData.orNull(job.text("cancelledBy")));
        fields.put(
                "reservation", object("id", 0, "name", SlurmData.orNull(job.text("reservation"))));
        fields.put(
                "state",
                object(
                        "current",
                        job.text("state"),
                        "reason",
                        job.text("reason").isEmpty() ? "None" : job.text("reason")));
        fields.put("steps", steps.stream().map(it -> new SacctJson(it).step()).toList());
        fields.put(
                "tres",
                object(
                        "allocated",
                        job.started() ? SlurmData.tres(tres()) : List.of(),
                        "requested",
                        SlurmData.tres(inMib(job.requestedTres(), job.requestedMemory()))));
        fields.put("user", job.text("user"));
        fields.put("wckey", object("wckey", "", "flags", List.of()));
        fields.put("berth", json);
        return fields;
    }

    private Object hetOffset() {
        return job.json().has("hetJob") ? (Object) job.number("hetOffset") : JsonText.NULL;
    }

    private Map<String, @Nullable Object> array() {
        boolean task = job.json().has("arrayJob");
        return object(
                "job_id",
                job.number("arrayJob"),
                "limits",
                object("max", object("running", object("tasks", job.number("arrayThrottle")))),
                "task",
                JsonText.NULL,
                "task_id",
                task ? job.number("arrayTask") : JsonText.NULL);
    }

    private Map<String, @Nullable Object> time() {
        var time = new LinkedHashMap<String, @Nullable Object>();
        time.put("elapsed", job.number("elapsedSeconds"));
        if (job.ofJob()) {
            time.put("eligible", seconds("eligibleAt"));
        }
        time.put("end", seconds("endedAt"));
        time.put("start", job.started() ? seconds("startedAt") : JsonText.NULL);
        if (job.ofJob()) {
            long limit = job.number("timeLimitSeconds");
            time.put("submission", seconds("submittedAt"));
            time.put("limit", limit == 0 ? JsonText.NULL : limit / 60);
        }
        time.put("suspended", job.number("suspendedSeconds"));
        long cpuMillis = job.used().number("cpuMillis");
        time.put(
                "total",
                object("seconds", cpuMillis / 1000, "microseconds", cpuMillis % 1000 * 1000));
        return time;
    }

    private Object seconds(String name) {
        return job.number(name) / 1000;
    }

    /// @param text `0:9`, code and signal
    private static Map<String, @Nullable Object> exit(String text) {
        int colon = text.indexOf(':');
        long code = Long.parseLong(text.substring(0, colon));
        long signal = Long.parseLong(text.substring(colon + 1));
        var exit = new LinkedHashMap<String, @Nullable Object>();
        exit.put("status", signal != 0 ? "SIGNALED" : code == 0 ? "SUCCESS" : "ERROR");
        exit.put("return_code", code);
        if (signal != 0) {
            exit.put("signal", object("signal_id", signal));
        }
        return exit;
    }

    /// As in [AccountedJob#tres], with memory in MiB.
    private String tres() {
        return inMib(job.tres(), job.number("memoryMib"));
    }

    private static String inMib(String tres, long mib) {
        return tres.replaceFirst(",mem=[^,]*", mib == 0 ? "" : ",mem=" + mib);
    }

    /// A batch script or a step.
    private Map<String, @Nullable Object> step() {
        List<String> nodes = HostList.expand(job.text("nodeList"));
        var fields = new LinkedHashMap<String, @Nullable Object>();
        fields.put(
                "nodes",
                object("list", nodes, "count", nodes.size(), "range", job.text("nodeList")));
        fields.put("tres", object("allocated", SlurmData.tres(tres())));
        fields.put("time", time());
        fields.put("exit_code", exit(job.exit()));
        fields.put("tasks", object("count", job.number("tasks")));
        fields.put("pid", JsonText.NULL);
        fields.put("kill_request_user", JsonText.NULL);
        fields.put("state", job.text("state"));
        fields.put(
                "step",
                object(
                        "job_id",
                        job.number("id"),
                        "het",
                        object("component", hetOffset()),
                        "id",
                        job.step(),
                        "name",
                        job.text("name")));
        fields.put("task", object("distribution", "Unknown"));
        return fields;
    }

    /// @param namesAndValues in turn
    private static Map<String, @Nullable Object> object(Object... namesAndValues) {
        var object = new LinkedHashMap<String, @Nullable Object>();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            object.put((String) namesAndValues[i], namesAndValues[i + 1]);
        }
        return object;
    }
}
