package io.berth.submit.restd;

import io.berth.contracts.config.Configuration;
import io.berth.contracts.event.ConfigEntry.Partition;
import io.berth.contracts.event.ConfigEntry.Reservation;
import io.berth.contracts.event.NodeSeen;
import io.berth.core.request.Reserved;
import io.berth.slurm.HostList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// Reservations in the words of slurmrestd: of one that comes again the time that is on, or the
/// next.
///
/// Source: data parser v0.0.40 of Slurm 23.11.
final class SlurmReservations {
    private SlurmReservations() {}

    /// @param now epoch milliseconds
    static Map<String, Object> of(
            Reservation it, Configuration configuration, List<NodeSeen> registrations, long now) {
        Partition partition = configuration.partitions().get(it.partition());
        List<NodeSeen> nodes =
                registrations.stream()
                        .filter(node -> Reserved.has(it, partition, node.node()))
                        .toList();
        long start = it.startAt(now);
        long cores = nodes.stream().mapToLong(SlurmReservations::cores).sum();
        long cpus = nodes.stream().mapToLong(node -> node.inventory().cpus()).sum();
        Long purge = it.purgeSeconds();
        var fields = new LinkedHashMap<String, Object>();
        fields.put("name", it.name());
        fields.put("start_time", SlurmNumber.time(start));
        fields.put("end_time", SlurmNumber.time(it.endOf(start)));
        fields.put(
                "node_list", HostList.compress(nodes.stream().map(n -> n.node().value()).toList()));
        fields.put("node_count", nodes.size());
        fields.put("core_count", cores);
        fields.put("tres", "cpu=" + cpus);
        fields.put("users", String.join(",", it.users()));
        fields.put("accounts", String.join(",", it.accounts()));
        fields.put("flags", it.flags());
        fields.put("partition", it.partition() == null ? "" : it.partition());
        fields.put(
                "purge_completed",
                Map.of("time", purge == null ? SlurmNumber.UNSET : SlurmNumber.of(purge)));
        return fields;
    }

    private static long cores(NodeSeen node) {
        return (long) node.inventory().sockets() * node.inventory().coresPerSocket();
    }
}
