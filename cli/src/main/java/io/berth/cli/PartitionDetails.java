package io.berth.cli;

import io.berth.slurm.HostList;
import io.berth.slurm.SlurmMemory;
import io.berth.slurm.SlurmTime;
import java.util.List;

/// The text of `scontrol show partition`.
final class PartitionDetails {

    private PartitionDetails() {}

    static List<String> lines(PartitionView partition, List<NodeView> nodes) {
        List<String> names = partition.json().texts("nodes");
        long cpus = partition.number("totalCpus");
        String defaults = gpuDefaults(partition);
        List<String> hosts = partition.json().texts("allocNodes");
        long over = partition.number("overTimeSeconds");
        long least = partition.number("minNodes");
        List<String> groups = partition.json().texts("allowGroups");
        return List.of(
                "PartitionName=" + partition.name(),
                "AllowGroups="
                        + (groups.isEmpty() ? "ALL" : String.join(",", groups))
                        + entry(partition, "Accounts")
                        + entry(partition, "Qos"),
                "AllocNodes="
                        + (hosts.isEmpty() ? "ALL" : HostList.compress(hosts))
                        + " Default="
                        + (partition.json().flag("default") ? "YES" : "NO")
                        + " QoS="
                        + (partition.json().has("qos") ? partition.json().text("qos") : "N/A"),
                "DefaultTime="
                        + time(partition.number("defaultTimeSeconds"), "NONE")
                        + " DisableRootJobs="
                        + yes(partition, "disableRootJobs")
                        + " ExclusiveUser="
                        + yes(partition, "exclusiveUser")
                        + (partition.json().flag("exclusiveTopo") ? " ExclusiveTopo=YES" : "")
                        + " GraceTime="
                        + partition.number("graceSeconds")
                        + " Hidden="
                        + (partition.json().flag("hidden") ? "YES" : "NO"),
                "MaxNodes="
                        + mostOf(partition.number("maxNodes"))
                        + " MaxTime="
                        + time(partition.number("maxTimeSeconds"), SlurmTime.UNLIMITED)
                        + " MinNodes="
                        + (least <= 1 ? 0 : least)
                        + " LLN="
                        + yes(partition, "leastLoaded")
                        + " MaxCPUsPerNode="
                        + mostOf(partition.number("maxCpusPerNode"))
                        + ofSocket(partition.number("maxCpusPerSocket")),
                "Nodes=" + HostList.compress(names),
                "PriorityJobFactor="
                        + partition.number("jobFactor")
                        + " PriorityTier="
                        + partition.number("tier")
                        + " RootOnly="
                        + yes(partition, "rootOnly")
                        + " ReqResv="
                        + yes(partition, "reservedOnly")
                        + " OverSubscribe="
                        + partition.overSubscribe(),
                "OverTimeLimit="
                        + (over == 0 ? "NONE" : Long.toString(Math.ceilDiv(over, 60)))
                        + " PreemptMode="
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
                "JobDefaults=" + (defaults.isEmpty() ? "(null)" : defaults),
                memory(partition, "Def", "default") + " " + memory(partition, "Max", "max"),
                "TRES=" + tres(partition, nodes));
    }

    /// What its nodes have.
    static String tres(PartitionView partition, List<NodeView> nodes) {
        List<String> names = partition.json().texts("nodes");
        long memory = 0;
        for (NodeView node : nodes) {
            memory += names.contains(node.name()) ? node.number("memoryMib") : 0;
        }
        long cpus = partition.number("totalCpus");
        long gpus = partition.number("totalGpus");
        return "cpu="
                + cpus
                + ",mem="
                + SlurmMemory.exact(memory)
                + ",node="
                + partition.number("totalNodes")
                + ",billing="
                + cpus
                + (gpus == 0 ? "" : ",gres/gpu=" + gpus);
    }

    /// By the GPU; empty where there are none.
    static String gpuDefaults(PartitionView partition) {
        long cpus = partition.number("defaultCpusPerGpu");
        long mib = partition.number("defaultMemoryMibPerGpu");
        return (cpus == 0 ? "" : "DefCpuPerGPU=" + cpus)
                + (cpus == 0 || mib == 0 ? "" : ",")
                + (mib == 0 ? "" : "DefMemPerGPU=" + mib);
    }

    /// Whose jobs it takes: those that are denied only where none are allowed by name.
    private static String entry(PartitionView partition, String of) {
        List<String> denied = partition.json().texts("deny" + of);
        List<String> allowed = partition.json().texts("allow" + of);
        return allowed.isEmpty() && !denied.isEmpty()
                ? " Deny" + of + "=" + String.join(",", denied)
                : " Allow" + of + "=" + (allowed.isEmpty() ? "ALL" : String.join(",", allowed));
    }

    /// Of a node where that is set, else of a CPU where that is.
    private static String memory(PartitionView partition, String slurm, String key) {
        long perNode = partition.number(key + "MemoryMibPerNode");
        long perCpu = partition.number(key + "MemoryMibPerCpu");
        return perNode == 0 && perCpu != 0
                ? slurm + "MemPerCPU=" + perCpu
                : slurm + "MemPerNode=" + mostOf(perNode);
    }

    private static String yes(PartitionView partition, String flag) {
        return partition.json().flag(flag) ? "YES" : "NO";
    }

    /// Slurm 22.05 knows no such limit, and so scripts do not where there is none.
    private static String ofSocket(long cpus) {
        return cpus == 0 ? "" : " MaxCPUsPerSocket=" + cpus;
    }

    private static String mostOf(long most) {
        return most == 0 ? SlurmTime.UNLIMITED : Long.toString(most);
    }

    private static String time(long seconds, String none) {
        return seconds == 0 ? none : SlurmTime.full(seconds);
    }
}
