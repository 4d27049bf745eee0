package io.berth.cli;

import io.berth.cli.JobField.Moment;
import io.berth.slurm.SlurmTime;
import java.util.ArrayList;
import java.util.List;

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
        lines.add("JobId=" + job.id() + " JobName=" + job.text("name"));
        lines.add("UserId=" + user + "(" + id + ") GroupId=" + user + "(" + id + ") MCS_label=N/A");
        lines.add(
                "Priority="
                        + job.number("priority")
                        + " Nice="
                        + job.number("nice")
                        + " Account="
                        + job.text("account")
                        + " QOS="
                        + job.text("qos"));
        lines.add("JobState=" + job.state() + " Reason=" + job.reason() + " Dependency=(null)");
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
                        + " TimeMin=N/A");
        String submitted = time(job.number("submittedAt"));
        lines.add("SubmitTime=" + submitted + " EligibleTime=" + submitted);
        lines.add("AccrueTime=" + submitted);
        String started = time(job.number("startedAt"));
        lines.add("StartTime=" + started + " EndTime=" + time(job.endAt()) + " Deadline=N/A");
        lines.add("SuspendTime=None SecsPreSuspend=0 LastSchedEval=" + started + " Scheduler=Main");
    }

    private String time(long millis) {
        return Dates.iso(millis, moment.zone().get(), "Unknown");
    }

    private void addPlace(List<String> lines) {
        String host = job.text("submitHost").isEmpty() ? "localhost" : job.text("submitHost");
        lines.add("Partition=" + job.text("partition") + " AllocNode:Sid=" + host + ":0");
        lines.add("ReqNodeList=(null) ExcNodeList=(null)");
        lines.add("NodeList=" + job.text("nodeList"));
        List<String> nodes = job.json().texts("nodeNames");
        if (!nodes.isEmpty()) {
            lines.add("BatchHost=" + nodes.getFirst());
        }
    }

    private void addResources(List<String> lines) {
        long cpusPerTask = Math.max(1, job.number("cpusPerTask"));
        lines.add(
                "NumNodes="
                        + job.nodes()
                        + " NumCPUs="
                        + job.number("cpus")
                        + " NumTasks="
                        + job.number("tasks")
                        + " CPUs/Task="
                        + cpusPerTask
                        + " ReqB:S:C:T=0:0:*:*");
        lines.add("TRES=" + job.tres());
        lines.add("Socks/Node=* NtasksPerN:B:S:C=0:0:*:* CoreSpec=*");
        if (perNode) {
            addAllocations(lines);
        }
        lines.add(
                "MinCPUsNode="
                        + cpusPerTask
                        + " MinMemoryNode="
                        + job.memoryPerNode()
                        + " MinTmpDiskNode=0");
        lines.add("Features=(null) DelayBoot=00:00:00");
        lines.add("OverSubscribe=OK Contiguous=0 Licenses=(null) Network=(null)");
    }

    private void addAllocations(List<String> lines) {
        for (JsonObject allocation : job.json().objects("allocations")) {
            int gpus = allocation.texts("gpus").size();
            lines.add(
                    "  Nodes="
                            + allocation.text("node")
                            + " CPU_IDs="
                            + allocation.text("cpus")
                            + " Mem="
                            + allocation.number("memoryMib")
                            + " GRES="
                            + (gpus == 0
                                    ? ""
                                    : "gpu:"
                                            + (job.json().has("gpuType")
                                                    ? job.text("gpuType") + ":"
                                                    : "")
                                            + gpus
                                            + "(IDX:"
                                            + allocation.text("gpuIndices")
                                            + ")"));
        }
    }

    private void addFiles(List<String> lines) {
        lines.add("Command=" + orNull("command"));
        lines.add("WorkDir=" + orNull("workingDirectory"));
        String output = job.text("standardOutput");
        String error = job.text("standardError").isEmpty() ? output : job.text("standardError");
        String input =
                job.text("standardInput").isEmpty() ? "/dev/null" : job.text("standardInput");
        lines.add("StdErr=" + error);
        lines.add("StdIn=" + input);
        lines.add("StdOut=" + output);
        lines.add("Power=");
        if (job.number("gpusPerNode") > 0) {
            lines.add("TresPerNode=" + job.gpusPerNode(""));
        }
        if (job.json().flag("simulated")) {
            lines.add("Comment=GPUs are simulated");
        }
    }

    private String orNull(String name) {
        return job.text(name).isEmpty() ? "(null)" : job.text(name);
    }
}
