package io.berth.placement;

import io.berth.contracts.NodeName;
import io.berth.contracts.event.NodeStatus.Presence;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// What the heartbeats say of the nodes: who is heard, who is silent, who is down.
///
/// Silence counts only while the heartbeats are read at their head. After a pause (a start, a
/// broker that was away, a reader that stood still) every node gets a full new period. If more than
/// a fifth of five or more nodes went silent together, none of them is declared down: then it is
/// not the nodes. But one that has said after what silence it ends its runs has ended them by then,
/// why ever it was not heard.
///
/// Times are of one monotonic clock, in nanoseconds. Not safe for use by several threads.
final class Presences {

    /// How long the end of a node's runs takes, and how much slower its clock may be.
    private static final long FENCE_MARGIN_NANOS = TimeUnit.SECONDS.toNanos(15);

    private static final int FENCE_MARGIN_PERCENT = 10;

    /// A node that is watched.
    ///
    /// @param fenceSeconds see [io.berth.contracts.event.NodeSeen]
    record Watched(NodeName name, @Nullable Long fenceSeconds) {

        /// Whether it has ended its runs if it was last heard so long ago: it counts from the
        /// moment that it wrote what was heard.
        boolean fencedBy(long silence) {
            return fenceSeconds != null
                    && silence - FENCE_MARGIN_NANOS
                            >= TimeUnit.SECONDS.toNanos(fenceSeconds)
                                    / 100
                                    * (100 + FENCE_MARGIN_PERCENT);
        }
    }

    /// The smallest number of nodes of which a part can be too many.
    private static final int MASS_FROM = 5;

    private final long silentAfter;
    private final long downAfter;
    private final TreeMap<NodeName, Long> heard = new TreeMap<>();
    private long countingSince;

    Presences(Duration silentAfter, Duration downAfter, long now) {
        this.silentAfter = silentAfter.toNanos();
        this.downAfter = downAfter.toNanos();
        this.countingSince = now;
    }

    void heard(NodeName node, long now) {
        heard.put(node, now);
    }

    /// The reader was away from the head of the heartbeats until now.
    void paused(long now) {
        countingSince = now;
    }

    /// The presence of each of these nodes.
    Map<NodeName, Presence> at(Iterable<Watched> nodes, long now) {
        var presences = new TreeMap<NodeName, Presence>();
        int silent = 0;
        for (Watched node : nodes) {
            Presence presence = presence(node, now - lastHeard(node.name()));
            silent += presence == Presence.UP ? 0 : 1;
            presences.put(node.name(), presence);
        }
        if (presences.size() >= MASS_FROM && silent * 5 > presences.size()) {
            presences.replaceAll(
                    (_, presence) -> presence == Presence.DOWN ? Presence.SILENT : presence);
        }
        return presences;
    }

    private long lastHeard(NodeName node) {
        return Math.max(countingSince, heard.getOrDefault(node, Long.MIN_VALUE));
    }

    private Presence presence(Watched node, long silence) {
        if (node.fencedBy(silence)) {
            return Presence.FENCED;
        }
        if (silence >= downAfter) {
            return Presence.DOWN;
        }
        return silence >= silentAfter ? Presence.SILENT : Presence.UP;
    }
}
