package io.berth.cli;

import io.berth.slurm.HostList;
import io.berth.slurm.SlurmMemory;
import io.berth.slurm.SlurmTime;
import java.util.List;

/// The text of `scontrol show partition`.
final class PartitionDetails {

    private PartitionDetails() {}

    static List<String> lines(PartitionView partition, List<NodeView> nodes) {
        long memory = 0;
        List<String> names = partition.json().texts("nodes");
        for (NodeView node : nodes) {
            memory += names.contains(node.name()) ? node.number("memoryMib") : 0;
        }
        long cpus = partition.number("totalCpus");
        long gpus = partition.number("totalGpus");
        long most = partition.number("maxNodes");
        return List.of(
                "PartitionName=" + partition.name(),
                "AllowGroups=ALL AllowAccounts=ALL AllowQos=ALL",
                "AllocNodes=ALL Default="
                        + (partition.json().flag("default") ? "YES" : "NO")
                        + " QoS=N/A",
                "DefaultTime="
                        + time(partition.number("defaultTimeSeconds"), "NONE")
                        + " DisableRootJobs=NO ExclusiveUser=NO GraceTime="
                        + partition.number("graceSeconds")
                        + " Hidden="
                        + (partition.json().flag("hidden") ? "YES" : "NO"),
                "MaxNodes="
                        + (most == 0 ? SlurmTime.UNLIMITED : Long.toString(most))
                        + " MaxTime="
                        + time(partition.number("maxTimeSeconds"), SlurmTime.UNLIMITED)
                        + " MinNodes=0 LLN=NO MaxCPUsPerNode=UNLIMITED",
                "Nodes=" + HostList.compress(names),
                "PriorityJobFactor="
                        + partition.number("jobFactor")
                        + " PriorityTier="
                        + partition.number("tier")
                        + " RootOnly=NO ReqResv="
                        + (partition.json().flag("reservedOnly") ? "YES" : "NO")
                        + " OverSubscribe=NO",
                "OverTimeLimit=NONE PreemptMode="
                        + (partition.json().has("preemptMode")
                                ? partition.json().text("preemptMode")
                                : "OFF"),
                "State="
                        + partition.state()
                        + " TotalCPUs="
                        + cpus
                        + " TotalNodes="
                        + partition.number("totalNodes")
                        + " SelectTypeParameters=NONE",
                "JobDefaults=(null)",
                "DefMemPerNode=UNLIMITED MaxMemPerNode=UNLIMITED",
                "TRES=cpu="
                        + cpus
                        + ",mem="
                        + SlurmMemory.exact(memory)
                        + ",node="
                        + partition.number("totalNodes")
                        + ",billing="
                        + cpus
                        + (gpus == 0 ? "" : ",gres/gpu=" + gpus));
    }

    private static String time(long seconds, String none) {
        return seconds == 0 ? none : SlurmTime.full(seconds);
    }
}
