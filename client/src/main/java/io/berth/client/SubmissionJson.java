package io.berth.client;

import io.berth.slurm.JobSubmission;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A submission as the gateway reads it, written without the data binding that would cost a command
/// its speed.
public final class SubmissionJson {

    private SubmissionJson() {}

    public static String of(JobSubmission job) {
        return JsonText.compact(fields(job));
    }

    public static Map<String, @Nullable Object> fields(JobSubmission job) {
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("script", job.script());
        json.put("arguments", job.arguments());
        json.put("environment", job.environment());
        json.put("workingDirectory", job.workingDirectory());
        json.put("user", job.user());
        json.put("account", job.account());
        json.put("partition", job.partition());
        json.put("qos", job.qos());
        json.put("name", job.name());
        json.put("nodes", job.nodes());
        json.put("tasks", job.tasks());
        json.put("tasksPerNode", job.tasksPerNode());
        json.put("cpusPerTask", job.cpusPerTask());
        json.put("memoryMibPerNode", job.memoryMibPerNode());
        json.put("memoryMibPerCpu", job.memoryMibPerCpu());
        json.put("memoryMibPerGpu", job.memoryMibPerGpu());
        json.put("gpus", job.gpus());
        json.put("gpusPerNode", job.gpusPerNode());
        json.put("gpusPerTask", job.gpusPerTask());
        json.put("cpusPerGpu", job.cpusPerGpu());
        json.put("tasksPerGpu", job.tasksPerGpu());
        json.put("gpuType", job.gpuType());
        json.put("gpuTypes", job.gpuTypes());
        json.put("gpuPart", job.gpuPart());
        json.put("gres", job.gres());
        json.put("timeLimitSeconds", job.timeLimitSeconds());
        json.put("nice", job.nice());
        json.put("requeue", job.requeue());
        json.put("launch", job.launch());
        json.put("standardOutput", job.standardOutput());
        json.put("standardError", job.standardError());
        json.put("standardInput", job.standardInput());
        json.put("appendOutput", job.appendOutput());
        json.put("submitHost", job.submitHost());
        json.put("container", job.container());
        json.put("command", job.command());
        json.put("terms", terms(job.conditions()));
        json.put("where", where(job.nodesWanted()));
        if (!job.furtherComponents().isEmpty()) {
            json.put(
                    "components",
                    job.furtherComponents().stream().map(SubmissionJson::fields).toList());
        }
        return json;
    }

    private static @Nullable Object terms(JobSubmission.Terms terms) {
        if (terms.equals(JobSubmission.Terms.NONE)) {
            return null;
        }
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("array", terms.array());
        json.put("dependency", terms.dependency());
        json.put("killOnInvalidDependency", terms.killOnInvalidDependency());
        json.put("hold", terms.hold());
        json.put("beginAt", terms.beginAt());
        json.put("deadlineAt", terms.deadlineAt());
        json.put("timeMinSeconds", terms.timeMinSeconds());
        json.put("signal", terms.signal());
        json.put("priority", terms.priority());
        json.put("comment", terms.comment());
        json.put("preemption", terms.preemption());
        json.put("mailType", terms.mailType());
        json.put("mailUser", terms.mailUser());
        json.put("maxWaitSeconds", terms.maxWaitSeconds());
        return json;
    }

    private static @Nullable Object where(JobSubmission.Nodes where) {
        if (where.equals(JobSubmission.Nodes.NONE)) {
            return null;
        }
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("constraint", where.constraint());
        json.put("prefer", where.prefer());
        json.put("nodeList", where.nodeList());
        json.put("excludedNodes", where.excludedNodes());
        json.put("exclusive", where.exclusive());
        json.put("switches", where.switches());
        json.put("reservation", where.reservation());
        json.put("licenses", where.licenses());
        json.put("sockets", where.sockets());
        json.put("coresPerSocket", where.coresPerSocket());
        json.put("threadsPerCore", where.threadsPerCore());
        json.put("maxNodes", where.maxNodes());
        json.put("contiguous", where.contiguous());
        json.put("minCpusPerNode", where.minCpusPerNode());
        json.put("tmpMib", where.tmpMib());
        json.put("exclusiveUser", where.exclusiveUser());
        json.put("exclusiveTopo", where.exclusiveTopo());
        json.put("segment", where.segment());
        json.put("parallel", where.parallel());
        json.put("gpusPerSocket", where.gpusPerSocket());
        json.put("tasksPerSocket", where.tasksPerSocket());
        json.put("oversubscribe", where.oversubscribe());
        json.put("topology", where.topology());
        json.put("threadsUsed", where.threadsUsed());
        return json;
    }
}
