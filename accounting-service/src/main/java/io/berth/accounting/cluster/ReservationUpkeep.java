package io.berth.accounting.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.accounting.cluster.Occupancy.Seen;
import io.berth.contracts.event.ConfigEntry.Reservation;
import io.berth.contracts.event.ReservationFlag;
import io.berth.slurm.HostList;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/// What becomes of reservations by themselves: those that nobody uses go, nodes that cannot be used
/// are replaced.
///
/// - PURGE_COMP: one that is on goes when for so long no job has named it and not ended, and, if it
///   is MAGNETIC, nothing has run on its nodes. From when on is remembered here, so that after a
///   start of the service it stays for as long again.
/// - REPLACE_DOWN: a node that cannot be given work is replaced by one that can, which no job and
///   no reservation has. REPLACE: a node that a job holds is, too; the job stays on it.
///
/// Confined to one thread.
///
/// Source: scontrol(1), "RESERVATIONS - SPECIFICATIONS", Flags.
public final class ReservationUpkeep {

    private final Map<String, Long> idleSince = new HashMap<>();

    /// What is to be changed now, as merge patches of the cluster file, one for each reservation:
    /// if one is refused, the others are not.
    public List<ObjectNode> patches(ClusterFile file, Occupancy occupancy, long now) {
        List<Reservation> kept =
                file.reservations().stream()
                        .filter(it -> purges(it) || replaces(it))
                        .filter(it -> !it.over(now))
                        .toList();
        idleSince.keySet().retainAll(kept.stream().map(Reservation::name).toList());
        if (kept.isEmpty()) {
            return List.of();
        }
        Seen seen = occupancy.look();
        var spares = new Spares(file, seen, now);
        var patches = new ArrayList<ObjectNode>();
        for (Reservation it : kept) {
            if (purges(it) && idle(file, it, seen, now)) {
                patches.add(patch(it, JsonNodeFactory.instance.nullNode()));
            } else if (replaces(it)) {
                Set<String> nodes = spares.replaced(it);
                if (!nodes.equals(Set.copyOf(it.nodes()))) {
                    ObjectNode change = JsonNodeFactory.instance.objectNode();
                    patches.add(patch(it, change.put("nodes", HostList.compress(nodes))));
                }
            }
        }
        return patches;
    }

    private static ObjectNode patch(Reservation it, JsonNode change) {
        ObjectNode patch = JsonNodeFactory.instance.objectNode();
        patch.putObject("reservations").set(it.name(), change);
        return patch;
    }

    private static boolean purges(Reservation it) {
        return it.purgeSeconds() != null;
    }

    private static boolean replaces(Reservation it) {
        return it.has(ReservationFlag.REPLACE) || it.has(ReservationFlag.REPLACE_DOWN);
    }

    private boolean idle(ClusterFile file, Reservation it, Seen seen, long now) {
        boolean used =
                seen.named().contains(it.name())
                        || (it.has(ReservationFlag.MAGNETIC)
                                && seen.held().anyMatch(node -> ReservedNodes.has(file, it, node)));
        if (used || !it.on(now)) {
            idleSince.remove(it.name());
            return false;
        }
        long since = idleSince.computeIfAbsent(it.name(), _ -> now);
        Long seconds = it.purgeSeconds();
        return seconds != null && now - since >= seconds * 1000;
    }

    /// The nodes that reservations can be given in place of others, each to one of them.
    private static final class Spares {

        private final ClusterFile file;
        private final Seen seen;
        private final Set<String> held;
        private final ReservedNodes nodes;
        private final Set<String> given = new HashSet<>();

        Spares(ClusterFile file, Seen seen, long now) {
            this.file = file;
            this.seen = seen;
            this.held = seen.held().collect(Collectors.toSet());
            this.nodes = new ReservedNodes(() -> seen, now);
        }

        /// The nodes of a reservation with others in place of those that are to go, as far as there
        /// are any.
        Set<String> replaced(Reservation it) {
            List<String> going =
                    it.nodes().stream()
                            .filter(node ->
                                    !seen.usable().contains(node)
                                            || (it.has(ReservationFlag.REPLACE)
                                                    && held.contains(node)))
                            .toList();
            if (going.isEmpty()) {
                return Set.copyOf(it.nodes());
            }
            List<String> coming = instead(it, going.size());
            given.addAll(coming);
            var replaced = new HashSet<>(it.nodes());
            going.subList(0, coming.size()).forEach(replaced::remove);
            replaced.addAll(coming);
            return replaced;
        }

        private List<String> instead(Reservation it, int most) {
            Set<String> own = Set.copyOf(it.nodes());
            Reservation anywhere = ReservedNodes.on(it, "ALL");
            return seen.nodes().stream()
                    .filter(seen.usable()::contains)
                    .filter(node ->
                            !held.contains(node) && !own.contains(node) && !given.contains(node))
                    .filter(node -> ReservedNodes.has(file, anywhere, node))
                    .filter(node -> nodes.free(file, it, node))
                    .limit(most)
                    .toList();
        }
    }
}
