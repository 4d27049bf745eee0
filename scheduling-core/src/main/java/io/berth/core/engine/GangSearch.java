package io.berth.core.engine;

import io.berth.core.engine.Reach.Longest;
import io.berth.core.engine.Search.Place;
import io.berth.core.engine.Usable.Candidate;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Finds the nodes for a gang now. Where all of them must be in one domain of a level, such as
/// under one leaf switch, it looks at one after the other: at those alone that may hold the gang by
/// what is known ([Reach]).
final class GangSearch {

    private final Cluster cluster;
    private final Search search;

    /// By group of nodes that the last search has looked at, those that could be had longest.
    private @Nullable Longest[] seen = {};

    GangSearch(Cluster cluster, Search search) {
        this.cluster = cluster;
        this.search = search;
    }

    /// Where a gang can start now and be until then; null if that is nowhere.
    ///
    /// @param freer nodes of which more is free than the class's reach says, which is right
    ///   otherwise; null where nothing is known
    @Nullable Place now(FitClass fit, long now, long end, int @Nullable [] freer) {
        Reach reach = fit.reach;
        seen = new Longest[reach.groups()];
        var usable = new Usable(fit);
        for (int group = 0; group < seen.length; group++) {
            if (freer == null || reach.holds(group, end, freer)) {
                var look = new Look(fit, now, end);
                each(fit, group, look);
                seen[group] = look.longest;
                if (look.longest.end() >= end) {
                    usable.addAll(look.candidates);
                }
            }
        }
        int[] chosen = usable.enough() ? search.choose(usable) : null;
        return chosen == null ? null : new Place(now, chosen);
    }

    /// Tells a class what the last search has seen, which was for one of its jobs and found
    /// nothing.
    void learn(FitClass fit) {
        fit.reach.set(seen);
    }

    /// Walks over the nodes of a group that may have room.
    private void each(FitClass fit, int group, Look look) {
        if (fit.underOneSwitch()) {
            for (int index : cluster.network.under(fit.level, group)) {
                Node node = cluster.node(index);
                Demand least = fit.leastOn(node.kind.number);
                if (node.open && least != null && node.covers(node.free, least)) {
                    look.at(node, least);
                }
            }
            return;
        }
        for (Kind kind : cluster.kinds) {
            Demand least = fit.leastOn(kind.number);
            int whole = least == null ? Integer.MAX_VALUE : kind.whole(least);
            for (int gpus = whole; least != null && gpus <= kind.gpus; gpus++) {
                for (int m = Kind.magnitude(least.leastCpus()); m < Kind.magnitudes(); m++) {
                    BitSet cell = kind.cell(gpus, m);
                    for (int at = cell == null ? -1 : cell.nextSetBit(0);
                            cell != null && at >= 0;
                            at = cell.nextSetBit(at + 1)) {
                        look.at(kind.nodes.get(at), least);
                    }
                }
            }
        }
    }

    /// What there is for a gang among the nodes of a group.
    private final class Look {

        private final FitClass fit;
        private final long now;
        private final long end;
        final Longest longest;
        final List<Candidate> candidates = new ArrayList<>();

        Look(FitClass fit, long now, long end) {
            this.fit = fit;
            this.now = now;
            this.end = end;
            this.longest = new Longest(fit.parts());
        }

        void at(Node node, Demand least) {
            long until = search.until(fit, node, least, now);
            if (until > now) {
                longest.add(node.index, until);
            }
            if (until >= end) {
                candidates.add(new Candidate(node, least, largest(node)));
            }
        }

        /// The largest size of which a node that has room for the smallest holds a part.
        private int largest(Node node) {
            int size = 0;
            while (size < fit.upTo.length - 1) {
                Demand demand = fit.on[size][node.kind.number];
                if (demand != null && search.until(fit, node, demand, now) >= end) {
                    return size;
                }
                size++;
            }
            return size;
        }
    }
}
