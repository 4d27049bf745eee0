package io.berth.submit.restd;

import io.berth.contracts.NodeName;
import io.berth.contracts.config.Configuration;
import io.berth.contracts.event.ConfigEntry.Partition;
import io.berth.contracts.event.NodeSeen;
import io.berth.contracts.event.PartitionRules;
import io.berth.contracts.event.PartitionRules.Use.OverSubscribe;
import io.berth.slurm.HostList;
import io.berth.submit.PartitionNodes;
import io.berth.submit.Picture;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// Partitions in the words of slurmrestd: times are minutes, memory MiB.
///
/// Source: data parser v0.0.40 of Slurm 23.11, and of v0.0.41 `oversubscribe`.
final class SlurmPartitions {
    private SlurmPartitions() {}

    static List<Partition> all(Picture picture) {
        return picture.configuration().map(Configuration::partitions).stream()
                .flatMap(it -> it.values().stream())
                .toList();
    }

    static Map<String, Object> of(Partition partition, Picture picture) {
        List<NodeSeen> nodes =
                picture.registrations().stream()
                        .filter(it -> PartitionNodes.has(partition, it.node()))
                        .toList();
        PartitionRules rules = partition.partitionRules();
        int cpus = nodes.stream().mapToInt(it -> it.inventory().cpus()).sum();
        var fields = new LinkedHashMap<String, Object>();
        fields.put("name", partition.name());
        fields.put("partition", Map.of("state", List.of(rules.state().name())));
        fields.put("nodes", nodes(nodes, rules));
        fields.put("cpus", Map.of("task_binding", 0, "total", cpus));
        fields.put("tres", Map.of("billing_weights", "", "configured", tres(nodes, cpus)));
        fields.put(
                "accounts",
                Map.of(
                        "allowed", String.join(",", rules.allowAccounts()),
                        "deny", String.join(",", rules.denyAccounts())));
        fields.put("groups", Map.of("allowed", String.join(",", rules.ofNodes().allowGroups())));
        fields.put(
                "qos",
                Map.of(
                        "allowed", String.join(",", rules.allowQos()),
                        "deny", String.join(",", rules.denyQos()),
                        "assigned", rules.qos() == null ? "" : rules.qos()));
        fields.put("defaults", defaults(partition));
        fields.put("maximums", maximums(partition));
        fields.put("minimums", Map.of("nodes", rules.minNodes()));
        fields.put("grace_time", rules.graceSeconds());
        fields.put(
                "priority", Map.of("job_factor", partition.jobFactor(), "tier", partition.tier()));
        fields.put("alternate", "");
        fields.put("cluster", "");
        fields.put("node_sets", "");
        fields.put("suspend_time", SlurmNumber.UNSET);
        fields.put("timeouts", Map.of("resume", SlurmNumber.UNSET, "suspend", SlurmNumber.UNSET));
        return fields;
    }

    private static Map<String, Object> nodes(List<NodeSeen> nodes, PartitionRules rules) {
        List<String> hosts = rules.ofNodes().allocNodes();
        return Map.of(
                "configured",
                HostList.compress(nodes.stream().map(NodeSeen::node).map(NodeName::value).toList()),
                "total",
                nodes.size(),
                "allowed_allocation",
                hosts.contains("ALL") ? "" : HostList.compress(hosts));
    }

    private static String tres(List<NodeSeen> nodes, int cpus) {
        long memory = nodes.stream().mapToLong(it -> it.inventory().memoryMib()).sum();
        long gpus = nodes.stream().mapToLong(it -> it.inventory().gpus().size()).sum();
        return "cpu=%d,mem=%dM,node=%d,billing=%d%s"
                .formatted(cpus, memory, nodes.size(), cpus, gpus == 0 ? "" : ",gres/gpu=" + gpus);
    }

    private static Map<String, Object> defaults(Partition partition) {
        PartitionRules.Use use = partition.partitionRules().ofNodes();
        long perCpu = partition.defMemoryMibPerCpu();
        return Map.of(
                "time", unsetIfZero(minutes(partition.defaultTimeSeconds())),
                "memory_per_cpu", perCpu,
                "partition_memory_per_cpu", unsetIfZero(perCpu),
                "partition_memory_per_node", unsetIfZero(use.defaultMemoryMibPerNode()));
    }

    private static Map<String, Object> maximums(Partition partition) {
        PartitionRules rules = partition.partitionRules();
        PartitionRules.Use use = rules.ofNodes();
        OverSubscribe together = use.overSubscribe();
        int jobs = use.ofOneJob() ? 0 : together == null ? 1 : together.jobs();
        var fields = new LinkedHashMap<String, Object>();
        fields.put("cpus_per_node", infiniteIfZero(rules.maxCpusPerNode()));
        fields.put("cpus_per_socket", infiniteIfZero(use.mostCpusOnSocket()));
        fields.put("partition_memory_per_cpu", infiniteIfZero(rules.maxMemoryMibPerCpu()));
        fields.put("partition_memory_per_node", infiniteIfZero(use.maxMemoryMibPerNode()));
        fields.put("nodes", infiniteIfZero(partition.maxNodes()));
        fields.put("shares", jobs);
        fields.put(
                "oversubscribe",
                Map.of(
                        "jobs",
                        jobs,
                        "flags",
                        together != null && together.forced() ? List.of("force") : List.of()));
        fields.put("time", infiniteIfZero(minutes(partition.maxTimeSeconds())));
        fields.put("over_time_limit", unsetIfZero(minutes(use.overTimeSeconds())));
        return fields;
    }

    private static long minutes(long seconds) {
        return Math.ceilDiv(seconds, 60);
    }

    private static Map<String, Object> infiniteIfZero(long number) {
        return number == 0 ? SlurmNumber.INFINITE : SlurmNumber.of(number);
    }

    private static Map<String, Object> unsetIfZero(long number) {
        return number == 0 ? SlurmNumber.UNSET : SlurmNumber.of(number);
    }
}
