package io.berth.core.request;

import io.berth.contracts.JobDescription;
import io.berth.contracts.NodeName;
import io.berth.contracts.config.Configuration;
import io.berth.contracts.event.ConfigEntry.Partition;
import io.berth.contracts.event.ConfigEntry.Reservation;
import io.berth.contracts.event.ReservationFlag;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// What a reservation says of one node, one person, one run.
///
/// Source: scontrol(1), "RESERVATIONS - SPECIFICATIONS".
public final class Reserved {

    private static final List<String> ALL = List.of("ALL");

    private Reserved() {}

    /// Whether a node is a reservation's.
    ///
    /// @param partition that the reservation names; null if it names none, or one that is not there
    public static boolean has(
            Reservation reservation, @Nullable Partition partition, NodeName node) {
        if (!reservation.nodes().equals(ALL)) {
            return reservation.nodes().contains(node.value());
        }
        return reservation.partition() == null
                || (partition != null
                        && (partition.nodes().equals(ALL)
                                || partition.nodes().contains(node.value())));
    }

    /// Whether jobs of that user in that account may use a reservation: as its users say, if it
    /// names any, and as its accounts say, if it names any.
    public static boolean admits(
            Configuration configuration, Reservation reservation, String user, String account) {
        return admits(reservation.users(), List.of(user))
                && admits(reservation.accounts(), configuration.lineage(account));
    }

    private static boolean admits(List<String> listed, List<String> names) {
        boolean denied =
                listed.stream()
                        .anyMatch(it -> it.startsWith("-") && names.contains(it.substring(1)));
        List<String> allowed = listed.stream().filter(it -> !it.startsWith("-")).toList();
        return !denied && (allowed.isEmpty() || allowed.stream().anyMatch(names::contains));
    }

    /// When a run that was placed at that time is ended with its reservation; `Long.MAX_VALUE` for
    /// never, as for one that was placed when it was over.
    public static long end(
            @Nullable Configuration configuration, JobDescription job, long placedAt) {
        String name = job.request().where().reservation();
        Reservation it =
                name == null || configuration == null
                        ? null
                        : configuration.reservations().get(name);
        return it == null || it.has(ReservationFlag.FLEX) || it.over(placedAt)
                ? Long.MAX_VALUE
                : it.endOf(it.startAt(placedAt));
    }
}
