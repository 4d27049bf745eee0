package io.berth.placement;

import io.berth.contracts.NodeName;
import io.berth.contracts.event.NodeStatus.Presence;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// What the heartbeats say of the nodes: who is heard, who is silent, who is down.
///
/// Silence counts only while the heartbeats are read at their head. After a pause (a start, a
/// broker that was away, a reader that stood still) every node gets a full new period, in which one
/// that is not heard is no better than it was. If more than a fifth of five or more nodes went
/// silent together, none of them is declared down: then it is not the nodes. Those that are gone
/// already do not count. But one that has said after what silence it ends its runs has ended them
/// by then, why ever it was not heard.
///
/// Times are of one monotonic clock, in nanoseconds. Not safe for use by several threads.
final class Presences {

    /// How long the end of a node's runs takes, and how much slower its clock may be.
    private static final long FENCE_MARGIN_NANOS = TimeUnit.SECONDS.toNanos(15);

    private static final int FENCE_MARGIN_PERCENT = 10;

    /// A node that is watched.
    ///
    /// @param epoch its last one, as far as the cell knows
    /// @param known its presence, as far as the cell knows
    /// @param fenceSeconds see [io.berth.contracts.event.NodeSeen]
    /// @param key that signs its heartbeats, likewise
    record Watched(
            NodeName name,
            long epoch,
            Presence known,
            @Nullable Long fenceSeconds,
            @Nullable String key) {

        /// Whether it has ended its runs if it was last heard so long ago: it counts from the
        /// moment that it wrote what was heard.
        boolean fencedBy(long silence) {
            return fenceSeconds != null
                    && silence - FENCE_MARGIN_NANOS
                            >= TimeUnit.SECONDS.toNanos(fenceSeconds)
                                    / 100
                                    * (100 + FENCE_MARGIN_PERCENT);
        }

        private boolean awaited() {
            return known == Presence.UP || known == Presence.SILENT;
        }
    }

    /// The smallest number of nodes of which a part can be too many.
    private static final int MASS_FROM = 5;

    private final long silentAfter;
    private final long downAfter;

    /// Nodes that were last heard no further from one another went silent together.
    private final long together;

    private final TreeMap<NodeName, Long> heard = new TreeMap<>();
    private long countingSince;

    Presences(Duration silentAfter, Duration downAfter, long now) {
        this.silentAfter = silentAfter.toNanos();
        this.downAfter = downAfter.toNanos();
        this.together = Math.max(this.silentAfter, this.downAfter / 5);
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
        var awaited = new ArrayList<Watched>();
        for (Watched node : nodes) {
            Presence presence = presence(node, now);
            presences.put(node.name(), presence);
            if (node.awaited() || presence == Presence.UP) {
                awaited.add(node);
            }
        }
        if (awaited.size() >= MASS_FROM) {
            withoutMasses(presences, awaited);
        }
        return presences;
    }

    private void withoutMasses(TreeMap<NodeName, Presence> presences, List<Watched> awaited) {
        var silentBy = new TreeMap<Long, Integer>();
        awaited.stream()
                .filter(node -> presences.get(node.name()) != Presence.UP)
                .map(node -> lastHeard(node.name()))
                .sorted()
                .forEach(since -> silentBy.put(since, total(silentBy.lastEntry()) + 1));
        for (Watched node : awaited) {
            if (presences.get(node.name()) == Presence.DOWN
                    && around(silentBy, lastHeard(node.name())) * 5 > awaited.size()) {
                presences.put(node.name(), Presence.SILENT);
            }
        }
    }

    /// @param silentBy how many were silent by when
    private int around(TreeMap<Long, Integer> silentBy, long since) {
        return total(silentBy.floorEntry(since + together))
                - total(silentBy.lowerEntry(since - together));
    }

    private static int total(Map.@Nullable Entry<Long, Integer> by) {
        return by == null ? 0 : by.getValue();
    }

    private long lastHeard(NodeName node) {
        return Math.max(countingSince, heard.getOrDefault(node, Long.MIN_VALUE));
    }

    private Presence presence(Watched node, long now) {
        long silence = now - lastHeard(node.name());
        if (node.fencedBy(silence)) {
            return Presence.FENCED;
        }
        boolean unheard = heard.getOrDefault(node.name(), Long.MIN_VALUE) < countingSince;
        if (silence >= downAfter || (unheard && node.known() == Presence.DOWN)) {
            return Presence.DOWN;
        }
        return silence >= silentAfter || (unheard && node.known() == Presence.SILENT)
                ? Presence.SILENT
                : Presence.UP;
    }
}
