package io.berth.cli;

import io.berth.cli.JobField.Moment;
import io.berth.client.JsonObject;
import io.berth.slurm.HostList;
import io.berth.slurm.SlurmMemory;
import io.berth.slurm.SlurmTime;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.stream.Collectors;

/// The text of `scontrol show job`. What Berth has no notion of is printed as Slurm prints it for a
/// job that does not use it, so that tools find the fields that they look for.
record JobDetails(JobView job, Moment moment, Accounts accounts, boolean perNode) {

    List<String> lines() {
        var lines = new ArrayList<String>();
        addIdentity(lines);
        addTimes(lines);
        addPlace(lines);
        addResources(lines);
        addFiles(lines);
        return lines;
    }

    private void addIdentity(List<String> lines) {
        String user = job.text("user");
        String id = accounts.idOf(user);
        lines.add("JobId=" + job.id() + array() + het() + " JobName=" + job.text("name"));
        if (job.het()) {
            lines.add("HetJobIdSet=" + job.hetJobs());
        }
        lines.add("UserId=" + user + "(" + id + ") GroupId=" + user + "(" + id + ") MCS_label=N/A");
        lines.add(
                "Priority="
                        + job.number("priority")
                        + " Nice="
                        + job.number("nice")
                        + (job.json().has("siteFactor")
                                ? " SiteFactor=" + job.number("siteFactor")
                                : "")
                        + " Account="
                        + job.text("account")
                        + " QOS="
                        + job.text("qos"));
        lines.add(
                "JobState="
                        + job.state()
                        + " Reason="
                        + job.reason()
                        + " Dependency="
                        + job.orNull("dependency"));
        lines.add(
                "Requeue="
                        + (job.json().flag("requeue") ? 1 : 0)
                        + " Restarts="
                        + job.number("restarts")
                        + " BatchFlag=1 Reboot=0 ExitCode="
                        + job.number("exitCode")
                        + ":"
                        + job.number("signal"));
    }

    private void addTimes(List<String> lines) {
        lines.add(
                "RunTime="
                        + SlurmTime.full(job.elapsedSeconds(moment.now()))
                        + " TimeLimit="
                        + (job.unlimited()
                                ? SlurmTime.UNLIMITED
                                : SlurmTime.full(job.number("timeLimitSeconds")))
                        + " TimeMin="
                        + (job.json().has("timeMinSeconds")
                                ? SlurmTime.full(job.number("timeMinSeconds"))
                                : "N/A"));
        String eligible = time(job.eligibleAt());
        lines.add("SubmitTime=" + time(job.number("submittedAt")) + " EligibleTime=" + eligible);
        lines.add("AccrueTime=" + time(job.accrueAt(moment.now())));
        String started = time(job.startAt(moment.now()));
        lines.add(
                "StartTime="
                        + started
                        + " EndTime="
                        + time(job.endAt(moment.now()))
                        + " Deadline="
                        + moment.iso(job.number("deadlineAt")));
        if (job.json().has("preemptEligibleAt")) {
            lines.add(
                    "PreemptEligibleTime="
                            + time(job.number("preemptEligibleAt"))
                            + " PreemptTime="
                            + moment.text(job.number("preemptAt"), "None"));
        }
        boolean suspended = job.json().has("suspendedAt");
        lines.add(
                "SuspendTime="
                        + moment.text(job.number("suspendedAt"), "None")
                        + " SecsPreSuspend="
                        + (suspended ? job.elapsedSeconds(moment.now()) : 0)
                        + " LastSchedEval="
                        + time(job.number("startedAt"))
                        + " Scheduler=Main");
    }

    private String time(long millis) {
        return moment.text(millis, "Unknown");
    }

    private void addPlace(List<String> lines) {
        String host = job.text("submitHost").isEmpty() ? "localhost" : job.text("submitHost");
        lines.add("Partition=" + job.text("partition") + " AllocNode:Sid=" + host + ":0");
        if (job.json().has("reservation")) {
            lines.add("Reservation=" + job.text("reservation"));
        }
        lines.add(
                "ReqNodeList="
                        + job.orNull("requiredNodes")
                        + " ExcNodeList="
                        + job.orNull("excludedNodes"));
        lines.add(
                "NodeList="
                        + job.text("nodeList")
                        + (job.text("plannedNodes").isEmpty()
                                ? ""
                                : " SchedNodeList=" + job.text("plannedNodes")));
        List<String> nodes = job.json().texts("nodeNames");
        if (!nodes.isEmpty()) {
            lines.add("BatchHost=" + nodes.getFirst());
        }
    }

    private void addResources(List<String> lines) {
        long cpusPerTask = Math.max(1, job.number("cpusPerTask"));
        lines.add(
                "NumNodes="
                        + nodes()
                        + " NumCPUs="
                        + job.number("cpus")
                        + " NumTasks="
                        + job.number("tasks")
                        + " CPUs/Task="
                        + cpusPerTask
                        + " ReqB:S:C:T=0:0:*:"
                        + job.orAny("threadsUsed"));
        lines.add("TRES=" + job.tres());
        addGpuPart(lines);
        addLowGpuUse(lines);
        lines.add(
                "Socks/Node=* NtasksPerN:B:S:C=0:0:"
                        + job.orAny("tasksPerSocket")
                        + ":* CoreSpec=*");
        if (perNode) {
            addAllocations(lines);
        }
        lines.add(
                "MinCPUsNode="
                        + Math.max(cpusPerTask, job.number("minCpusPerNode"))
                        + (job.memoryByCpu() ? " MinMemoryCPU=" : " MinMemoryNode=")
                        + job.memory()
                        + " MinTmpDiskNode="
                        + SlurmMemory.exact(job.number("minTmpMib")).replaceFirst("^0M$", "0"));
        lines.add(
                "Features="
                        + job.orNull("constraint")
                        + " DelayBoot=00:00:00"
                        + (job.json().has("prefer") ? " Prefer=" + job.text("prefer") : ""));
        lines.add(
                "OverSubscribe="
                        + job.overSubscribe()
                        + " Contiguous="
                        + (job.json().flag("contiguous") ? 1 : 0)
                        + (job.json().has("segment") ? " SegmentSize=" + job.number("segment") : "")
                        + " Licenses="
                        + job.orNull("licenses")
                        + " Network=(null)");
    }

    /// How many it has, or may have.
    private String nodes() {
        boolean waits = job.json().texts("nodeNames").isEmpty();
        return job.nodes()
                + (waits && job.json().has("maxNodes") ? "-" + job.number("maxNodes") : "");
    }

    /// Berth's own line: what the job has of a GPU, and what limits it to that.
    private void addGpuPart(List<String> lines) {
        JsonObject part = job.part();
        if (part != null) {
            String memory = part.has("memoryMib") ? part.number("memoryMib") + "M" : "N/A";
            lines.add(
                    "GpuPart="
                            + part.text("asked")
                            + " GpuMemory="
                            + memory
                            + " Enforced="
                            + (part.has("enforced") ? part.text("enforced") : "N/A"));
        }
    }

    /// Berth's own line: where the job hardly uses its GPUs, and since when.
    private void addLowGpuUse(List<String> lines) {
        job.json().objects("lowGpuUse").stream()
                .mapToLong(it -> it.number("since"))
                .min()
                .ifPresent(since ->
                        lines.add(
                                "LowGpuUse=" + job.lowGpuUse() + " LowGpuUseSince=" + time(since)));
    }

    /// What all nodes have together, and a line for those that have the same, in the order of the
    /// first.
    private void addAllocations(List<String> lines) {
        lines.add("JOB_GRES=" + allGres());
        var nodes = new LinkedHashMap<String, List<String>>();
        for (JsonObject allocation : job.json().objects("allocations")) {
            String what =
                    " CPU_IDs="
                            + allocation.text("cpus")
                            + " Mem="
                            + allocation.number("memoryMib")
                            + " GRES="
                            + String.join(",", gres(allocation));
            nodes.computeIfAbsent(what, _ -> new ArrayList<>()).add(allocation.text("node"));
        }
        nodes.forEach((what, those) -> lines.add("  Nodes=" + HostList.compress(those) + what));
    }

    /// `gpu:a100:64,nic:8`, or `(null)`.
    private String allGres() {
        var counts = new LinkedHashMap<String, Long>();
        for (JsonObject allocation : job.json().objects("allocations")) {
            for (String item : gres(allocation)) {
                String counted = item.replaceFirst("\\(.*", "");
                int colon = counted.lastIndexOf(':');
                counts.merge(
                        counted.substring(0, colon),
                        Long.parseLong(counted.substring(colon + 1)),
                        Long::sum);
            }
        }
        return counts.isEmpty()
                ? "(null)"
                : counts.entrySet().stream()
                        .map(it -> it.getKey() + ":" + it.getValue())
                        .collect(Collectors.joining(","));
    }

    /// `gpu:a100:2(IDX:0-1)`, `fpga:xilinx:1(/dev/xfpga0)`, `nic:1`
    private List<String> gres(JsonObject allocation) {
        var items = new ArrayList<String>();
        int gpus = allocation.texts("gpus").size();
        if (gpus > 0) {
            String type = job.json().has("gpuType") ? job.text("gpuType") + ":" : "";
            List<JsonObject> ofTypes = allocation.objects("gpusOfTypes");
            if (ofTypes.isEmpty()) {
                items.add("gpu:" + type + gpus + "(IDX:" + allocation.text("gpuIndices") + ")");
            }
            for (JsonObject of : ofTypes) {
                items.add(
                        "gpu:%s:%d(IDX:%s)"
                                .formatted(
                                        of.text("type"), of.number("count"), of.text("indices")));
            }
        }
        for (JsonObject gres : allocation.objects("gres")) {
            List<String> files = gres.texts("files");
            items.add(
                    gres.text("name")
                            + (gres.has("type") ? ":" + gres.text("type") : "")
                            + ":"
                            + gres.number("count")
                            + (files.isEmpty() ? "" : "(" + String.join(",", files) + ")"));
        }
        return items;
    }

    private void addFiles(List<String> lines) {
        lines.add("Command=" + job.orNull("command"));
        lines.add("WorkDir=" + job.orNull("workingDirectory"));
        String output = job.text("standardOutput");
        String error = job.text("standardError").isEmpty() ? output : job.text("standardError");
        String input =
                job.text("standardInput").isEmpty() ? "/dev/null" : job.text("standardInput");
        lines.add("StdErr=" + error);
        lines.add("StdIn=" + input);
        lines.add("StdOut=" + output);
        lines.add("Power=");
        addIfAny(lines, "TresPerJob=", job.counted("gpusPerJob", ""));
        addIfAny(lines, "TresPerNode=", job.gresPerNode(""));
        addIfAny(lines, "TresPerSocket=", job.counted("gpusPerSocket", ""));
        addIfAny(lines, "TresPerTask=", job.counted("gpusPerTask", ""));
        if (job.json().has("gpuMemoryMib")) {
            lines.add("GpuMemory=" + job.number("gpuMemoryMib") + "M");
        }
        addIfAny(lines, "Comment=", comment());
        if (!job.text("warning").isEmpty()) {
            lines.add("Signal=" + job.text("warning"));
        }
        lines.add(""); // Slurm ends a job with one.
    }

    /// ` HetJobId=17 HetJobOffset=1`; empty for a job that is no component of another.
    private String het() {
        return job.het()
                ? " HetJobId=" + job.number("hetJob") + " HetJobOffset=" + job.number("hetOffset")
                : "";
    }

    /// ` ArrayJobId=17 ArrayTaskId=4` with the throttle, if there is one; empty for a job alone.
    private String array() {
        if (!job.array()) {
            return "";
        }
        long throttle = job.number("arrayThrottle");
        return " ArrayJobId="
                + job.arrayOrSelf()
                + " ArrayTaskId="
                + job.task()
                + (throttle == 0 ? "" : " ArrayTaskThrottle=" + throttle);
    }

    /// The user's, behind which it is said that GPUs are simulated.
    private String comment() {
        String said = job.text("comment");
        String simulated = job.json().flag("simulated") ? "GPUs are simulated" : "";
        return said.isEmpty() || simulated.isEmpty()
                ? said + simulated
                : "%s (%s)".formatted(said, simulated);
    }

    private static void addIfAny(List<String> lines, String name, String value) {
        if (!value.isEmpty()) {
            lines.add(name + value);
        }
    }
}
