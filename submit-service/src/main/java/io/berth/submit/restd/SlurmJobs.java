package io.berth.submit.restd;

import io.berth.contracts.Allocation;
import io.berth.contracts.ExitStatus;
import io.berth.contracts.Gres;
import io.berth.contracts.HetComponent;
import io.berth.contracts.JobDescription;
import io.berth.contracts.ResourceRequest;
import io.berth.contracts.ShareRequest;
import io.berth.contracts.Tres;
import io.berth.slurm.HostList;
import io.berth.submit.Job;
import io.berth.submit.Picture;
import io.berth.submit.Priority;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Jobs in the words of slurmrestd's `job_info`. What Berth does not know of a job is left out.
final class SlurmJobs {
    private SlurmJobs() {}

    static Map<String, Object> of(Job job, Picture picture, long now) {
        JobDescription asked = job.description();
        ResourceRequest request = asked.request();
        List<String> nodes =
                job.attempt() == null || job.pending()
                        ? List.of()
                        : job.attempt().allocations().stream()
                                .map(Allocation::node)
                                .map(it -> it.value())
                                .toList();
        var fields = new LinkedHashMap<String, Object>();
        fields.put("job_id", job.id().value());
        var task = asked.array();
        fields.put("array_job_id", SlurmNumber.of(task == null ? 0 : task.array().value()));
        fields.put("array_task_id", task == null ? SlurmNumber.UNSET : SlurmNumber.of(task.task()));
        HetComponent het = asked.het();
        long first = het == null ? 0 : het.first().value();
        fields.put("het_job_id", SlurmNumber.of(first));
        fields.put("het_job_offset", SlurmNumber.of(het == null ? 0 : het.offset(job.id())));
        fields.put("het_job_id_set", het == null ? "" : first + "-" + (first + het.size() - 1));
        fields.put("name", asked.name());
        fields.put("user_name", job.user());
        fields.put("account", asked.account());
        fields.put("partition", String.join(",", job.partitions()));
        fields.put("qos", asked.qos());
        fields.put("cluster", picture.cluster());
        fields.put("job_state", List.of(job.state().name()));
        fields.put("state_reason", job.reason().slurmName());
        fields.put("state_description", job.message() == null ? "" : job.message());
        fields.put("priority", SlurmNumber.of(Priority.of(job, picture.shares(), now).points()));
        fields.put("nice", asked.nice());
        fields.put("submit_time", SlurmNumber.time(job.submittedAt()));
        fields.put(
                "eligible_time",
                SlurmNumber.time(job.eligibleAt() == null ? job.submittedAt() : job.eligibleAt()));
        fields.put("start_time", SlurmNumber.time(start(job)));
        fields.put("end_time", SlurmNumber.time(end(job)));
        fields.put(
                "time_limit",
                asked.timeLimitSeconds() == 0
                        ? SlurmNumber.INFINITE
                        : SlurmNumber.of(Math.ceilDiv(asked.timeLimitSeconds(), 60)));
        fields.put("nodes", HostList.compress(nodes));
        fields.put("batch_host", nodes.isEmpty() ? "" : nodes.getFirst());
        fields.put("node_count", SlurmNumber.of(request.nodes()));
        fields.put("tasks", SlurmNumber.of(request.tasks()));
        fields.put("cpus", SlurmNumber.of(job.cpus()));
        fields.put("cpus_per_task", SlurmNumber.of(request.cpusPerTask()));
        fields.put("tres_req_str", tres(request, request.totalCpus(), request.totalGpus()));
        fields.put(
                "tres_alloc_str",
                job.held().isEmpty() ? "" : tres(request, job.cpus(), job.gpus()));
        fields.put("requeue", asked.requeue());
        fields.put("restart_cnt", job.restarts());
        fields.put("hold", job.hold() != null);
        fields.put("exit_code", exit(job));
        return fields;
    }

    /// When it was placed, or is expected to be.
    private static long start(Job job) {
        return job.placedAt() > 0
                ? job.placedAt()
                : job.planned() == null ? 0 : job.planned().start();
    }

    /// When it ended, or will reach its limit.
    private static long end(Job job) {
        long limit = job.description().timeLimitSeconds();
        return job.endedAt() > 0 || job.placedAt() == 0 || limit == 0
                ? job.endedAt()
                : job.placedAt() + 1000 * limit;
    }

    private static String tres(ResourceRequest request, int cpus, int gpus) {
        return "cpu="
                + cpus
                + ",node="
                + request.nodes()
                + (gpus == 0 ? "" : ",gres/gpu=" + gpus)
                + part(request.gpus().share())
                + others(request);
    }

    private static String others(ResourceRequest request) {
        var text = new StringBuilder();
        for (Gres gres : request.gres()) {
            text.append(',').append(Tres.gres(gres.kind())).append('=');
            text.append(gres.count() * request.nodes());
        }
        return text.toString();
    }

    private static String part(@Nullable ShareRequest share) {
        return share == null ? "" : "," + share.sharing().tres() + "=" + share.amount();
    }

    private static Map<String, Object> exit(Job job) {
        ExitStatus exit = job.exit() == null ? ExitStatus.SUCCESS : job.exit();
        return Map.of(
                "status",
                List.of(
                        job.exit() == null
                                ? "PENDING"
                                : exit.signal() != 0
                                        ? "SIGNALED"
                                        : exit.code() == 0 ? "SUCCESS" : "ERROR"),
                "return_code",
                SlurmNumber.of(exit.code()),
                "signal",
                Map.of("id", SlurmNumber.of(exit.signal())));
    }
}
