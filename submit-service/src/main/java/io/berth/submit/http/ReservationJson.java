package io.berth.submit.http;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.berth.contracts.config.Configuration;
import io.berth.contracts.event.ConfigEntry.Partition;
import io.berth.contracts.event.ConfigEntry.Reservation;
import io.berth.contracts.event.NodeSeen;
import io.berth.core.request.Reserved;
import io.berth.core.request.Sight;
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/// A reservation as it is answered.
///
/// @param state `ACTIVE` while it is on, else `INACTIVE`
/// @param startsAt epoch milliseconds, as `endsAt`: of the time that is on, or the next one
/// @param nodes those of its nodes that are registered
/// @param cpus of these nodes
/// @param users who may use it; one with `-` before it may not
/// @param accounts whose users may use it; those of one with `-` before it may not
/// @param partition that its nodes are of; left out for any
/// @param purgeSeconds after which it goes if no job of it runs; left out if it stays
@Schema(name = "Reservation")
@JsonInclude(JsonInclude.Include.NON_NULL)
record ReservationJson(
        String name,
        String state,
        long startsAt,
        long endsAt,
        List<String> nodes,
        int cpus,
        List<String> users,
        List<String> accounts,
        List<String> flags,
        @Nullable String partition,
        @Nullable Long purgeSeconds) {

    /// Those that are not over and that he who asks may see.
    static List<ReservationJson> all(
            Configuration configuration, List<NodeSeen> registrations, Sight sight, long now) {
        return configuration.reservations().values().stream()
                .filter(it -> !it.over(now) && sight.reservation(it))
                .map(it -> of(configuration, it, registrations, now))
                .toList();
    }

    private static ReservationJson of(
            Configuration configuration, Reservation it, List<NodeSeen> registrations, long now) {
        Partition partition = configuration.partitions().get(it.partition());
        List<NodeSeen> nodes =
                registrations.stream()
                        .filter(node -> Reserved.has(it, partition, node.node()))
                        .toList();
        long start = it.startAt(now);
        return new ReservationJson(
                it.name(),
                it.on(now) ? "ACTIVE" : "INACTIVE",
                start,
                it.endOf(start),
                nodes.stream().map(node -> node.node().value()).toList(),
                nodes.stream().mapToInt(node -> node.inventory().cpus()).sum(),
                it.users(),
                it.accounts(),
                it.flags(),
                it.partition(),
                it.purgeSeconds());
    }
}
