package io.berth.cli;

import io.berth.slurm.HostList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A partition as `scontrol show partition --json` tells of it: times are minutes, memory MiB.
/// `berth` is the gateway's own view.
///
/// Source: data parser v0.0.40 of Slurm 23.11, and of v0.0.41 the memory of a node, the state and
/// `oversubscribe`.
final class PartitionData {

    private PartitionData() {}

    /// @param nodes those of the cluster
    static Map<String, @Nullable Object> fields(PartitionView partition, List<NodeView> nodes) {
        var json = new LinkedHashMap<String, @Nullable Object>();
        json.put("name", partition.name());
        json.put("partition", Map.of("state", List.of(partition.state())));
        json.put("nodes", nodes(partition));
        json.put("cpus", Map.of("task_binding", 0, "total", partition.number("totalCpus")));
        json.put(
                "tres",
                Map.of(
                        "billing_weights",
                        "",
                        "configured",
                        PartitionDetails.tres(partition, nodes)));
        json.put(
                "accounts",
                Map.of(
                        "allowed",
                        joined(partition, "allowAccounts"),
                        "deny",
                        joined(partition, "denyAccounts")));
        json.put("groups", Map.of("allowed", joined(partition, "allowGroups")));
        json.put(
                "qos",
                Map.of(
                        "allowed",
                        joined(partition, "allowQos"),
                        "assigned",
                        partition.json().text("qos"),
                        "deny",
                        joined(partition, "denyQos")));
        json.put("defaults", defaults(partition));
        json.put("maximums", maximums(partition));
        json.put("minimums", Map.of("nodes", partition.number("minNodes")));
        json.put("grace_time", partition.number("graceSeconds"));
        json.put(
                "priority",
                Map.of(
                        "job_factor",
                        partition.number("jobFactor"),
                        "tier",
                        partition.number("tier")));
        json.put("alternate", "");
        json.put("cluster", "");
        json.put("node_sets", "");
        json.put("suspend_time", SlurmData.UNSET);
        json.put("timeouts", Map.of("resume", SlurmData.UNSET, "suspend", SlurmData.UNSET));
        json.put("berth", partition.json());
        return json;
    }

    private static String joined(PartitionView partition, String names) {
        return String.join(",", partition.json().texts(names));
    }

    private static Map<String, Object> nodes(PartitionView partition) {
        List<String> hosts = partition.json().texts("allocNodes");
        var json = new LinkedHashMap<String, Object>();
        json.put("configured", HostList.compress(partition.json().texts("nodes")));
        json.put("total", partition.number("totalNodes"));
        json.put("allowed_allocation", hosts.contains("ALL") ? "" : HostList.compress(hosts));
        return json;
    }

    private static Map<String, Object> defaults(PartitionView partition) {
        var json = new LinkedHashMap<String, Object>();
        json.put(
                "partition_memory_per_node",
                SlurmData.setUnlessZero(partition.number("defaultMemoryMibPerNode")));
        json.put(
                "partition_memory_per_cpu",
                SlurmData.setUnlessZero(partition.number("defaultMemoryMibPerCpu")));
        json.put("time", SlurmData.setUnlessZero(minutes(partition.number("defaultTimeSeconds"))));
        json.put("job", PartitionDetails.gpuDefaults(partition));
        return json;
    }

    private static Map<String, Object> maximums(PartitionView partition) {
        var json = new LinkedHashMap<String, Object>();
        json.put("cpus_per_node", SlurmData.infiniteIfZero(partition.number("maxCpusPerNode")));
        json.put("cpus_per_socket", SlurmData.infiniteIfZero(partition.number("maxCpusPerSocket")));
        json.put(
                "partition_memory_per_node",
                SlurmData.infiniteIfZero(partition.number("maxMemoryMibPerNode")));
        json.put(
                "partition_memory_per_cpu",
                SlurmData.infiniteIfZero(partition.number("maxMemoryMibPerCpu")));
        json.put("nodes", SlurmData.infiniteIfZero(partition.number("maxNodes")));
        json.put("shares", shares(partition));
        json.put(
                "oversubscribe",
                Map.of(
                        "jobs",
                        shares(partition),
                        "flags",
                        partition.overSubscribe().startsWith("FORCE")
                                ? List.of("force")
                                : List.of()));
        json.put("time", SlurmData.infiniteIfZero(minutes(partition.number("maxTimeSeconds"))));
        json.put(
                "over_time_limit",
                SlurmData.setUnlessZero(minutes(partition.number("overTimeSeconds"))));
        return json;
    }

    /// How many jobs have a CPU together; 0 if each has its nodes alone.
    private static long shares(PartitionView partition) {
        String text = partition.overSubscribe();
        int colon = text.indexOf(':');
        return text.equals("EXCLUSIVE")
                ? 0
                : colon < 0 ? 1 : Long.parseLong(text.substring(colon + 1));
    }

    private static long minutes(long seconds) {
        return Math.ceilDiv(seconds, 60);
    }
}
