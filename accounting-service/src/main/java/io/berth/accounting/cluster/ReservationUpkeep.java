package io.berth.accounting.cluster;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.accounting.cluster.Occupancy.Stay;
import io.berth.contracts.NodeName;
import io.berth.contracts.event.ConfigEntry.Reservation;
import io.berth.contracts.event.ReservationFlag;
import io.berth.core.request.Reserved;
import io.berth.slurm.HostList;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/// What becomes of reservations by themselves: those that nobody uses go, nodes that cannot be used
/// are replaced.
///
/// - PURGE_COMP: one that is on goes when for so long none of its jobs has run. From when on is
///   remembered here, so that after a start of the service it stays for as long again.
/// - REPLACE_DOWN: a node that cannot be given work is replaced by one that can, which no job and
///   no reservation has. REPLACE: a node that a job holds is, too; the job stays on it.
///
/// Confined to one thread.
///
/// Source: scontrol(1), "RESERVATIONS - SPECIFICATIONS", Flags.
public final class ReservationUpkeep {

    private final Map<String, Long> idleSince = new HashMap<>();

    /// What is to be changed now, as a merge patch of the cluster file; empty if nothing is.
    public Optional<ObjectNode> patch(ClusterFile file, Occupancy occupancy, long now) {
        List<Reservation> kept =
                file.reservations().stream()
                        .filter(it -> purges(it) || replaces(it))
                        .filter(it -> !it.over(now))
                        .toList();
        idleSince.keySet().retainAll(kept.stream().map(Reservation::name).toList());
        if (kept.isEmpty()) {
            return Optional.empty();
        }
        ObjectNode patch = JsonNodeFactory.instance.objectNode();
        ObjectNode changes = patch.putObject("reservations");
        var nodes = new ReservedNodes(occupancy, now);
        List<Stay> stays = occupancy.stays();
        for (Reservation it : kept) {
            if (purges(it) && idle(it, stays, now)) {
                changes.putNull(it.name());
            } else if (replaces(it)) {
                List<String> others = replaced(file, it, occupancy, stays, nodes);
                if (!others.equals(it.nodes())) {
                    changes.putObject(it.name()).put("nodes", HostList.compress(others));
                }
            }
        }
        return changes.isEmpty() ? Optional.empty() : Optional.of(patch);
    }

    private static boolean purges(Reservation it) {
        return it.purgeSeconds() != null;
    }

    private static boolean replaces(Reservation it) {
        return it.has(ReservationFlag.REPLACE) || it.has(ReservationFlag.REPLACE_DOWN);
    }

    private boolean idle(Reservation it, List<Stay> stays, long now) {
        boolean used = stays.stream().anyMatch(stay -> it.name().equals(stay.reservation()));
        if (used || !it.on(now)) {
            idleSince.remove(it.name());
            return false;
        }
        long since = idleSince.computeIfAbsent(it.name(), _ -> now);
        Long seconds = it.purgeSeconds();
        return seconds != null && now - since >= seconds * 1000;
    }

    private static List<String> replaced(
            ClusterFile file,
            Reservation it,
            Occupancy occupancy,
            List<Stay> stays,
            ReservedNodes nodes) {
        Set<String> held = new HashSet<>();
        stays.forEach(stay -> held.addAll(stay.nodes()));
        Set<String> usable = occupancy.usable();
        var others = new ArrayList<String>();
        for (String node : occupancy.nodes()) {
            if (usable.contains(node)
                    && !held.contains(node)
                    && !it.nodes().contains(node)
                    && Reserved.has(
                            ReservedNodes.on(it, "ALL"),
                            file.partition(it.partition()),
                            new NodeName(node))
                    && nodes.free(file, it, node)) {
                others.add(node);
            }
        }
        var now = new TreeSet<>(HostList.ORDER);
        for (String node : it.nodes()) {
            boolean goes =
                    !usable.contains(node)
                            || (it.has(ReservationFlag.REPLACE) && held.contains(node));
            now.add(goes && !others.isEmpty() ? others.removeFirst() : node);
        }
        return List.copyOf(now);
    }
}
