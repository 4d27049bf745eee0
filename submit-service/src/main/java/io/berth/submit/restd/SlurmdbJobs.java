package io.berth.submit.restd;

import com.fasterxml.jackson.databind.JsonNode;
import io.berth.contracts.Tres;
import io.berth.submit.Refusal.InvalidRequest;
import io.berth.submit.Refused;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// Jobs of the books in the words of slurmrestd's `/slurmdb`. What the books do not know of a job
/// is left out.
final class SlurmdbJobs {

    /// What may be asked for, by what the accounting service calls it.
    private static final Map<String, String> PARAMETERS =
            Map.of(
                    "account", "account",
                    "end_time", "end",
                    "job_name", "name",
                    "partition", "partition",
                    "qos", "qos",
                    "start_time", "start",
                    "state", "state",
                    "users", "user");

    private SlurmdbJobs() {}

    /// A question in the accounting service's words.
    ///
    /// @param asked in slurmrestd's; times are epoch seconds
    /// @throws Refused if it names something else
    static Map<String, String> query(Map<String, String> asked) throws Refused {
        var query = new LinkedHashMap<String, String>();
        for (Map.Entry<String, String> one : asked.entrySet()) {
            String name = PARAMETERS.get(one.getKey());
            if (name == null) {
                throw new Refused(
                        new InvalidRequest(
                                "'%s' cannot be asked for; what can is: %s"
                                        .formatted(
                                                one.getKey(),
                                                String.join(
                                                        ", ",
                                                        PARAMETERS.keySet().stream()
                                                                .sorted()
                                                                .toList()))));
            }
            boolean time = name.equals("start") || name.equals("end");
            query.put(name, time ? millis(one.getKey(), one.getValue()) : one.getValue());
        }
        return query;
    }

    private static String millis(String name, String seconds) throws Refused {
        if (!seconds.matches("[0-9]{1,12}")) {
            throw new Refused(new InvalidRequest(name + " is not a time in seconds since 1970"));
        }
        return Long.toString(Long.parseLong(seconds) * 1000);
    }

    /// @param job as `GET /v1/accounting/jobs` tells it
    static Map<String, Object> of(JsonNode job) {
        var fields = new LinkedHashMap<String, Object>();
        fields.put("job_id", job.path("id").asLong());
        fields.put("name", text(job, "name"));
        fields.put("user", text(job, "user"));
        fields.put("account", text(job, "account"));
        fields.put("cluster", text(job, "cluster"));
        fields.put("partition", text(job, "partition"));
        fields.put("qos", text(job, "qos"));
        fields.put(
                "association",
                Map.of(
                        "account", text(job, "account"),
                        "cluster", text(job, "cluster"),
                        "partition", "",
                        "user", text(job, "user")));
        fields.put(
                "array",
                Map.of(
                        "job_id", job.path("arrayJob").asLong(),
                        "task_id", number(job, "arrayTask")));
        fields.put(
                "het",
                Map.of(
                        "job_id", job.path("hetJob").asLong(),
                        "job_offset", number(job, "hetOffset")));
        fields.put("comment", Map.of("job", text(job, "comment")));
        fields.put(
                "state",
                Map.of("current", List.of(text(job, "state")), "reason", text(job, "reason")));
        fields.put("exit_code", exit(job));
        fields.put("time", time(job));
        fields.put("nodes", text(job, "nodeList"));
        boolean started = job.hasNonNull("startedAt");
        fields.put("allocation_nodes", started ? job.path("nodes").asLong() : 0);
        fields.put(
                "required",
                Map.of(
                        "CPUs",
                        job.path("requested").path(Tres.CPU).asLong(job.path("cpus").asLong())));
        fields.put(
                "tres",
                Map.of("requested", requested(job), "allocated", started ? tres(job) : List.of()));
        fields.put("reservation", Map.of("name", text(job, "reservation")));
        fields.put("kill_request_user", text(job, "cancelledBy"));
        fields.put("restart_cnt", job.path("restarts").asLong());
        return fields;
    }

    private static String text(JsonNode job, String name) {
        return job.path(name).asText("");
    }

    private static Map<String, Object> number(JsonNode job, String name) {
        return job.hasNonNull(name) ? SlurmNumber.of(job.path(name).asLong()) : SlurmNumber.UNSET;
    }

    private static Map<String, Object> exit(JsonNode job) {
        long code = job.path("exitCode").asLong();
        long signal = job.path("signal").asLong();
        return Map.of(
                "status",
                List.of(signal != 0 ? "SIGNALED" : code == 0 ? "SUCCESS" : "ERROR"),
                "return_code",
                SlurmNumber.of(code),
                "signal",
                Map.of("id", signal == 0 ? SlurmNumber.UNSET : SlurmNumber.of(signal)));
    }

    private static Map<String, Object> time(JsonNode job) {
        long limit = job.path("timeLimitSeconds").asLong();
        return Map.of(
                "submission", job.path("submittedAt").asLong() / 1000,
                "eligible", job.path("eligibleAt").asLong() / 1000,
                "start", job.path("startedAt").asLong() / 1000,
                "end", job.path("endedAt").asLong() / 1000,
                "elapsed", job.path("elapsedSeconds").asLong(),
                "suspended", job.path("suspendedSeconds").asLong(),
                "limit",
                        limit == 0
                                ? SlurmNumber.INFINITE
                                : SlurmNumber.of(Math.ceilDiv(limit, 60)));
    }

    private static List<Map<String, Object>> tres(JsonNode job) {
        return tres(job, "cpus", "memoryMib", "nodes", "gpus");
    }

    /// What the job asked for; of one from before the books kept that, what it had.
    private static List<Map<String, Object>> requested(JsonNode job) {
        JsonNode asked = job.path("requested");
        return asked.isEmpty()
                ? tres(job)
                : tres(asked, Tres.CPU, Tres.MEMORY, Tres.NODE, Tres.GPU);
    }

    /// By Slurm's numbers; memory in MiB.
    private static List<Map<String, Object>> tres(
            JsonNode of, String cpus, String memory, String nodes, String gpus) {
        var list = new ArrayList<Map<String, Object>>();
        add(list, "cpu", "", 1, of.path(cpus).asLong());
        add(list, "mem", "", 2, of.path(memory).asLong());
        add(list, "node", "", 4, of.path(nodes).asLong());
        add(list, "gres", "gpu", 1001, of.path(gpus).asLong());
        return list;
    }

    private static void add(
            List<Map<String, Object>> to, String type, String name, int id, long count) {
        if (count > 0) {
            to.add(Map.of("type", type, "name", name, "id", id, "count", count));
        }
    }
}
