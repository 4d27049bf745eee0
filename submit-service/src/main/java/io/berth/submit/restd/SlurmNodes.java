package io.berth.submit.restd;

import io.berth.contracts.Gres;
import io.berth.contracts.Inventory;
import io.berth.contracts.event.ConfigEntry.Partition;
import io.berth.submit.Node;
import io.berth.submit.PartitionNodes;
import io.berth.submit.Picture;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Nodes in the words of slurmrestd.
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
                SlurmPartitions.all(picture).stream()
                        .filter(it -> PartitionNodes.has(it, node.name()))
                        .map(Partition::name)
                        .toList());
        return fields;
    }

    private static String gres(Node node, Picture picture) {
        Inventory inventory = node.inventory();
        String simulated = inventory.simulated() ? "(simulated)" : "";
        Stream<String> gpus =
                inventory.gpus().stream()
                        .collect(Collectors.groupingBy(it -> it.type(), Collectors.counting()))
                        .entrySet()
                        .stream()
                        .map(it -> "gpu:" + it.getKey() + ":" + it.getValue() + simulated)
                        .sorted();
        return Stream.concat(gpus, picture.gres(node).stream().map(Gres::text))
                .collect(Collectors.joining(","));
    }
}
