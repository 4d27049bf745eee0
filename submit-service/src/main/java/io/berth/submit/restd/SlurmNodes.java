package io.berth.submit.restd;

import io.berth.contracts.Gres;
import io.berth.contracts.Inventory;
import io.berth.contracts.config.Configuration;
import io.berth.contracts.event.ConfigEntry.Partition;
import io.berth.submit.Node;
import io.berth.submit.PartitionNodes;
import io.berth.submit.Picture;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Nodes and partitions in the words of slurmrestd.
final class SlurmNodes {
    private SlurmNodes() {}

    static Map<String, Object> node(Node node, Picture picture) {
        Inventory inventory = node.inventory();
        var fields = new LinkedHashMap<String, Object>();
        String name = node.name().value();
        fields.put("name", name);
        fields.put("hostname", name);
        fields.put("state", List.of(node.state()));
        fields.put("architecture", inventory.architecture());
        fields.put("operating_system", inventory.os());
        fields.put("cpus", inventory.cpus());
        fields.put("sockets", inventory.sockets());
        fields.put("cores", inventory.coresPerSocket());
        fields.put("threads", inventory.threadsPerCore());
        fields.put("alloc_cpus", node.cpusHeld());
        fields.put("real_memory", inventory.memoryMib());
        fields.put("alloc_memory", node.memoryMibHeld());
        fields.put("gres", gres(node, picture));
        fields.put(
                "partitions",
                partitions(picture).stream()
                        .filter(it -> PartitionNodes.has(it, node.name()))
                        .map(Partition::name)
                        .toList());
        return fields;
    }

    private static String gres(Node node, Picture picture) {
        Inventory inventory = node.inventory();
        Stream<String> gpus =
                inventory.gpus().stream()
                        .collect(Collectors.groupingBy(it -> it.type(), Collectors.counting()))
                        .entrySet()
                        .stream()
                        .map(it -> "gpu:" + it.getKey() + ":" + it.getValue())
                        .sorted();
        return Stream.concat(gpus, picture.gres(node).stream().map(Gres::text))
                .collect(Collectors.joining(","));
    }

    static List<Partition> partitions(Picture picture) {
        return picture.configuration().map(Configuration::partitions).stream()
                .flatMap(it -> it.values().stream())
                .toList();
    }

    static Map<String, Object> partition(Partition partition, Picture picture) {
        List<String> nodes =
                picture.registrations().stream()
                        .filter(it -> PartitionNodes.has(partition, it.node()))
                        .map(it -> it.node().value())
                        .toList();
        return Map.of(
                "name",
                partition.name(),
                "nodes",
                Map.of("configured", String.join(",", nodes), "total", nodes.size()),
                "maximums",
                Map.of(
                        "time",
                        partition.maxTimeSeconds() == 0
                                ? SlurmNumber.INFINITE
                                : SlurmNumber.of(partition.maxTimeSeconds() / 60),
                        "nodes",
                        partition.maxNodes() == 0
                                ? SlurmNumber.INFINITE
                                : SlurmNumber.of(partition.maxNodes())),
                "defaults",
                Map.of(
                        "time",
                        partition.defaultTimeSeconds() == 0
                                ? SlurmNumber.UNSET
                                : SlurmNumber.of(partition.defaultTimeSeconds() / 60)),
                "partition",
                Map.of("state", List.of(partition.partitionRules().state().name())));
    }
}
