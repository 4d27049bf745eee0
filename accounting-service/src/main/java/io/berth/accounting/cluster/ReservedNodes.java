package io.berth.accounting.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.accounting.cluster.Occupancy.Seen;
import io.berth.accounting.cluster.Occupancy.Stay;
import io.berth.contracts.NodeName;
import io.berth.contracts.event.ConfigEntry.Reservation;
import io.berth.contracts.event.ReservationFlag;
import io.berth.core.request.Reserved;
import io.berth.slurm.HostList;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Whether the nodes of reservations that are made or changed can be had, and which they are where
/// only their number is told.
///
/// - Jobs that may last into the reservation keep its nodes, unless it has IGNORE_JOBS.
/// - Two reservations do not share a node at a time, unless one of them has MAINT or OVERLAP.
///
/// Looks once, when it first needs to. Confined to one thread.
///
/// Source: scontrol(1), "RESERVATIONS - SPECIFICATIONS".
public final class ReservedNodes {

    /// How many times of one that comes again are looked at.
    private static final int TIMES = 60;

    private final Occupancy occupancy;
    private final long now;
    private @Nullable Seen seen;

    public ReservedNodes(Occupancy occupancy, long now) {
        this.occupancy = occupancy;
        this.now = now;
    }

    private Seen seen() {
        Seen known = seen == null ? occupancy.look() : seen;
        seen = known;
        return known;
    }

    /// A reason for a refusal.
    public record Conflict(String code, String detail) {}

    /// The file with the nodes of each reservation that told only `nodeCount`: the first of its
    /// partition that can be had.
    ///
    /// @throws InvalidClusterFile if there are not so many
    public ClusterFile chosen(ClusterFile file) throws InvalidClusterFile {
        ClusterFile whole = file;
        for (Reservation it : file.reservations()) {
            JsonNode count = file.tree().path("reservations").path(it.name()).path("nodeCount");
            if (!count.isMissingNode()) {
                whole = chosen(whole, it, count.asInt());
            }
        }
        return whole;
    }

    private ClusterFile chosen(ClusterFile file, Reservation wanted, int count)
            throws InvalidClusterFile {
        var chosen = new ArrayList<String>();
        for (String node : seen().nodes()) {
            if (chosen.size() < count && has(file, wanted, node) && free(file, wanted, node)) {
                chosen.add(node);
            }
        }
        if (chosen.size() < count) {
            throw new InvalidClusterFile(
                    "reservations." + wanted.name() + ".nodeCount",
                    "Requested nodes are busy: %d of %d nodes can be had"
                            .formatted(chosen.size(), count));
        }
        return file.patched(nodes(wanted.name(), HostList.compress(chosen)));
    }

    private static ObjectNode nodes(String name, String list) {
        ObjectNode patch = JsonNodeFactory.instance.objectNode();
        patch.putObject("reservations").putObject(name).put("nodes", list).putNull("nodeCount");
        return patch;
    }

    /// Whether a reservation could have a node too.
    boolean free(ClusterFile file, Reservation it, String node) {
        return conflict(null, file, on(it, node)).isEmpty();
    }

    static Reservation on(Reservation it, String node) {
        return new Reservation(
                it.part(),
                it.name(),
                it.startsAt(),
                it.endsAt(),
                List.of(node),
                it.users(),
                it.accounts(),
                it.flags(),
                it.partition(),
                it.purgeSeconds());
    }

    /// Why the reservations that `after` has and `before` has not, or has otherwise, cannot be
    /// made; empty if they can.
    public Optional<Conflict> conflict(ClusterFile before, ClusterFile after) {
        return after.reservations().stream()
                .filter(it -> {
                    @Nullable Reservation same = same(before, it);
                    return same == null || !same.nodes().equals(it.nodes());
                })
                .flatMap(it -> conflict(before, after, it).stream())
                .findFirst();
    }

    /// The reservation as it was, perhaps with other nodes; null if it was not, or was otherwise.
    private static @Nullable Reservation same(ClusterFile before, Reservation it) {
        return before.reservations().stream()
                .filter(other -> sameButNodes(it, other))
                .findFirst()
                .orElse(null);
    }

    private static boolean sameButNodes(Reservation one, Reservation other) {
        return one.name().equals(other.name())
                && one.startsAt() == other.startsAt()
                && one.endsAt() == other.endsAt()
                && one.flags().equals(other.flags())
                && Objects.equals(one.partition(), other.partition());
    }

    /// @param before what runs on a node that the reservation had already is no matter of the
    ///   change, nor is who shares it
    private Optional<Conflict> conflict(
            @Nullable ClusterFile before, ClusterFile file, Reservation it) {
        if (it.over(now)) {
            return Optional.of(
                    new Conflict(
                            "invalid_configuration",
                            "Requested reservation is invalid: %s would be over"
                                    .formatted(it.name())));
        }
        return busy(before, file, it).or(() -> overlap(before, file, it));
    }

    private Optional<Conflict> busy(
            @Nullable ClusterFile before, ClusterFile file, Reservation it) {
        if (it.has(ReservationFlag.IGNORE_JOBS)) {
            return Optional.empty();
        }
        long start = it.startAt(now);
        for (Stay stay : seen().stays()) {
            for (String node : stay.nodes()) {
                if (stay.until() > start
                        && !it.name().equals(stay.reservation())
                        && has(file, it, node)
                        && !had(before, it, node)) {
                    return Optional.of(
                            new Conflict(
                                    "nodes_busy",
                                    "Requested nodes are busy: job %d on %s may last into reservation %s; flag IGNORE_JOBS makes it all the same"
                                            .formatted(stay.job(), node, it.name())));
                }
            }
        }
        return Optional.empty();
    }

    private Optional<Conflict> overlap(
            @Nullable ClusterFile before, ClusterFile file, Reservation it) {
        for (Reservation other : file.reservations()) {
            if (other.name().equals(it.name())
                    || it.overlaps()
                    || other.overlaps()
                    || !together(it, other)) {
                continue;
            }
            @Nullable String node =
                    shared(file, it, other)
                            .filter(each -> !had(before, it, each) || !had(before, other, each))
                            .findFirst()
                            .orElse(null);
            if (node != null) {
                return Optional.of(
                        new Conflict(
                                "nodes_busy",
                                "Requested nodes are busy: reservation %s has node %s in that time; flag OVERLAP makes %s all the same"
                                        .formatted(other.name(), node, it.name())));
            }
        }
        return Optional.empty();
    }

    private boolean together(Reservation one, Reservation other) {
        for (var a : times(one).entrySet()) {
            for (var b : times(other).entrySet()) {
                if (a.getKey() < b.getValue() && b.getKey() < a.getValue()) {
                    return true;
                }
            }
        }
        return false;
    }

    /// Its next times: starts, with their ends.
    private Map<Long, Long> times(Reservation it) {
        var times = new TreeMap<Long, Long>();
        long start = it.startAt(now);
        for (int i = 0; i < (it.periodMillis() == 0 ? 1 : TIMES) && !it.over(now); i++) {
            times.put(start, it.endOf(start));
            start = it.periodMillis() == 0 ? start : it.after(start);
        }
        return times;
    }

    private Stream<String> shared(ClusterFile file, Reservation one, Reservation other) {
        var names = new ArrayList<>(seen().nodes());
        names.addAll(one.nodes());
        names.addAll(other.nodes());
        return names.stream()
                .filter(it -> !it.equals("ALL"))
                .filter(it -> has(file, one, it) && has(file, other, it));
    }

    /// Whether a reservation had a node already, at the same times.
    private static boolean had(@Nullable ClusterFile before, Reservation it, String node) {
        @Nullable Reservation same = before == null ? null : same(before, it);
        return before != null && same != null && has(before, same, node);
    }

    static boolean has(ClusterFile file, Reservation it, String node) {
        return Reserved.has(it, file.partition(it.partition()), new NodeName(node));
    }
}
