package io.berth.core.engine;

import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Where a class could have room, and who must give way for it there, one node at a time.
final class Rooms {

    private final Scheduling all;
    private final FitClass fit;
    private final NodeVictims victims;
    private final long now;
    private final long end;

    /// @param end until when the room must be there
    Rooms(Scheduling all, FitClass fit, NodeVictims victims, long now, long end) {
        this.all = all;
        this.fit = fit;
        this.victims = victims;
        this.now = now;
        this.end = end;
    }

    /// Who must give way on a node; null if nobody may, or if it would lose more than `most`.
    /// Nobody does for a demand that must lie somewhere there.
    ///
    /// @param gone jobs that give way anyhow
    /// @param most null is any loss
    NodeVictims.@Nullable Found find(
            Node node, Demand demand, Set<Long> gone, @Nullable Loss most) {
        if (demand.seating() != null
                || !node.open
                || !fit.admits(node)
                || all.search.kept.get(node.index)) {
            return null;
        }
        if (gone.isEmpty() && !victims.promises(node, demand, most)) {
            return null;
        }
        NodeVictims.Found found = victims.find(node, demand, gone);
        if (found == null || lasts(node, demand, found, gone)) {
            return found;
        }
        NodeVictims.Found everybody = victims.everybody(node, gone);
        return lasts(node, demand, everybody, gone) ? everybody : null;
    }

    private boolean lasts(Node node, Demand demand, NodeVictims.Found found, Set<Long> gone) {
        return (!node.reserved() && !node.crowded() && fit.hours.of(node.index).length == 0)
                || node.without(
                        run -> gone.contains(run) || found.victims().contains(run),
                        () -> lasts(node, demand));
    }

    /// Whether the demand has room on the node for as long as it must.
    boolean lasts(Node node, Demand demand) {
        return node.until(demand, Search.clock(now), fit.hours.of(node.index)) >= end;
    }
}
