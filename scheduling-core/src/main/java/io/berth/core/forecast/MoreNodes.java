package io.berth.core.forecast;

import io.berth.contracts.DeclaredGres;
import io.berth.contracts.Gpu;
import io.berth.contracts.Inventory;
import io.berth.contracts.NodeName;
import io.berth.contracts.SharedGpus;
import io.berth.contracts.config.Configuration;
import io.berth.contracts.event.ConfigEntry.Cluster;
import io.berth.contracts.event.ConfigEntry.Partition;
import io.berth.contracts.event.NodeSeen;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Objects;

/// Nodes that are not there, made after one that is.
final class MoreNodes {

    private MoreNodes() {}

    /// The registration of a node that has the same, under other names.
    static NodeSeen another(NodeSeen like, NodeName name, String suffix) {
        Inventory has = like.inventory();
        List<Gpu> gpus = has.gpus().stream().map(gpu -> another(gpu, suffix)).toList();
        return new NodeSeen(
                name,
                name.value(),
                like.machineId() + suffix,
                like.bootId(),
                like.agentVersion(),
                new Inventory(
                        has.sockets(),
                        has.coresPerSocket(),
                        has.threadsPerCore(),
                        has.cpus(),
                        has.memoryMib(),
                        gpus,
                        has.isolation(),
                        true,
                        has.profile(),
                        has.os(),
                        has.architecture(),
                        has.links(),
                        has.hardware(),
                        List.of(),
                        has.gres()),
                List.of(),
                0);
    }

    private static Gpu another(Gpu like, String suffix) {
        return new Gpu(
                like.index(),
                like.uuid() + suffix,
                like.type(),
                like.name(),
                like.minor(),
                like.memoryMib(),
                like.numaNode(),
                like.hardware());
    }

    /// The configuration with the node in the partitions that name the one that it is like.
    static Configuration with(Configuration configuration, NodeName like, NodeName name) {
        var partitions = new LinkedHashMap<String, Partition>();
        configuration.partitions().forEach((key, it) -> partitions.put(key, with(it, like, name)));
        return new Configuration(
                configuration.revision(),
                with(configuration.cluster(), like, name),
                partitions,
                configuration.accounts(),
                configuration.associations(),
                configuration.qos(),
                configuration.reservations(),
                configuration.switches(),
                configuration.licenses());
    }

    private static Cluster with(Cluster cluster, NodeName like, NodeName name) {
        Cluster more = declaring(cluster, like, name);
        SharedGpus shared = cluster.sharedOn(like);
        if (shared == null || shared.on(name)) {
            return more;
        }
        var rules = new ArrayList<>(Objects.requireNonNull(cluster.sharedGpus()));
        rules.add(
                new SharedGpus(
                        List.of(name.value()), shared.gpus(), shared.sharing(), shared.of()));
        return more.with(to -> to.sharedGpus = rules);
    }

    private static Cluster declaring(Cluster cluster, NodeName like, NodeName name) {
        List<DeclaredGres> declared = Objects.requireNonNullElse(cluster.gres(), List.of());
        var more = new ArrayList<>(declared);
        declared.stream()
                .filter(it -> it.on(like) && !it.on(name))
                .forEach(it -> more.add(new DeclaredGres(List.of(name.value()), it.gres())));
        return more.size() == declared.size() ? cluster : cluster.with(to -> to.gres = more);
    }

    private static Partition with(Partition partition, NodeName like, NodeName name) {
        if (!partition.nodes().contains(like.value())) {
            return partition;
        }
        var nodes = new ArrayList<>(partition.nodes());
        nodes.add(name.value());
        return new Partition(
                partition.part(),
                partition.name(),
                partition.isDefault(),
                nodes,
                partition.maxTimeSeconds(),
                partition.defaultTimeSeconds(),
                partition.maxNodes(),
                partition.jobFactor(),
                partition.tier(),
                partition.defMemoryMibPerCpu(),
                partition.rules());
    }
}
