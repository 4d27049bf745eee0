package io.berth.core.engine;

import io.berth.core.engine.NodeVictims.Found;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// Finds who must give way for a gang: its nodes are taken one after the other, each time the one
/// that costs least beside what has given way already.
///
/// A gang that must lie under one switch is looked at under each of them. For one that lies under
/// several, stands in a row or must have certain nodes, the cheapest nodes are offered to
/// [Compact], twice as many each time, until it finds the gang's among them.
final class GangVictims {

    /// What a node costs for a part.
    private record Offer(Node node, Found found) {}

    private static final Comparator<Offer> BY_LOSS =
            Comparator.comparing((Offer it) -> it.found().loss())
                    .thenComparingInt(it -> it.node().index);

    /// Nodes chosen together, and all who give way on them.
    private record Pick(Loss loss, Set<Long> victims) {}

    private final Scheduling all;
    private final FitClass fit;
    private final Rooms rooms;

    GangVictims(Scheduling all, FitClass fit, Rooms rooms) {
        this.all = all;
        this.fit = fit;
        this.rooms = rooms;
    }

    /// Null if none are found.
    @Nullable List<Long> find() {
        List<List<Offer>> bySize = Arrays.stream(fit.on).map(this::offers).toList();
        boolean few = fit.maxSwitches > 0;
        Pick pick =
                !few && fit.layout.any()
                        ? new Picking(bySize).pick()
                        : fit.maxSwitches == 1 && fit.layout.any()
                                ? underOneSwitch(bySize)
                                : underFewSwitches(bySize);
        return pick == null ? null : List.copyOf(pick.victims());
    }

    private List<Offer> offers(@Nullable Demand[] on) {
        var offers = new ArrayList<Offer>();
        for (int index = 0; index < all.cluster.size(); index++) {
            Node node = all.cluster.node(index);
            Demand demand = on[node.kind.number];
            Found found = demand == null ? null : rooms.find(node, demand, Set.of(), null);
            if (found != null) {
                offers.add(new Offer(node, found));
            }
        }
        return offers;
    }

    private @Nullable Pick underOneSwitch(List<List<Offer>> bySize) {
        List<Map<Integer, List<Offer>>> under = bySize.stream().map(this::bySwitch).toList();
        Pick best = null;
        for (int leaf : under.getFirst().keySet()) {
            Pick pick =
                    new Picking(under.stream().map(it -> it.getOrDefault(leaf, List.of())).toList())
                            .pick();
            if (pick != null && (best == null || pick.loss().compareTo(best.loss()) < 0)) {
                best = pick;
            }
        }
        return best;
    }

    private Map<Integer, List<Offer>> bySwitch(List<Offer> offers) {
        var under = new TreeMap<Integer, List<Offer>>();
        for (Offer offer : offers) {
            int leaf = all.cluster.network.domain(fit.level, offer.node().index);
            if (leaf >= 0) {
                under.computeIfAbsent(leaf, _ -> new ArrayList<>()).add(offer);
            }
        }
        return under;
    }

    private @Nullable Pick underFewSwitches(List<List<Offer>> bySize) {
        List<Offer> least = bySize.getLast().stream().sorted(BY_LOSS).toList();
        var largest = new HashMap<Integer, Integer>();
        for (int size = 0; size < bySize.size(); size++) {
            for (Offer offer : bySize.get(size)) {
                largest.putIfAbsent(offer.node().index, size);
            }
        }
        for (int count = fit.parts(); count < 2 * least.size(); count *= 2) {
            var usable = new Usable(fit);
            for (Offer offer : least.subList(0, Math.min(count, least.size()))) {
                Demand demand = fit.leastOn(offer.node().kind.number);
                if (demand != null) {
                    int size = largest.getOrDefault(offer.node().index, bySize.size() - 1);
                    usable.add(offer.node(), demand, size);
                }
            }
            int[] nodes = all.search.choose(usable);
            if (nodes != null) {
                return new Picking(bySize.stream().map(it -> on(nodes, it)).toList()).pick();
            }
        }
        return null;
    }

    private static List<Offer> on(int[] nodes, List<Offer> offers) {
        var on = new BitSet();
        Arrays.stream(nodes).forEach(on::set);
        return offers.stream().filter(offer -> on.get(offer.node().index)).toList();
    }

    /// Takes nodes one by one.
    private final class Picking {
        private final List<List<Offer>> bySize;
        private final TreeSet<Long> gone = new TreeSet<>();
        private final BitSet chosen = new BitSet();

        /// Nodes that cost less than offered: a run that gave way elsewhere is on them too.
        private final BitSet cheaper = new BitSet();

        private Loss loss = Loss.NONE;

        Picking(List<List<Offer>> bySize) {
            this.bySize = bySize;
        }

        @Nullable Pick pick() {
            for (int size = 0, before = 0; size < bySize.size(); before = fit.upTo[size++]) {
                if (!pick(bySize.get(size), fit.upTo[size] - before, fit.on[size])) {
                    return null;
                }
            }
            return new Pick(loss, gone);
        }

        private boolean pick(List<Offer> offers, int count, @Nullable Demand[] on) {
            var line = new PriorityQueue<>(Math.max(1, offers.size()), BY_LOSS);
            Map<Integer, Offer> standing = new HashMap<>();
            for (Offer offer : offers) {
                Offer now = cheaper.get(offer.node().index) ? again(offer, on) : offer;
                standing.put(now.node().index, now);
                line.add(now);
            }
            int taken = 0;
            while (taken < count) {
                Offer next = line.poll();
                if (next == null) {
                    return false;
                }
                int node = next.node().index;
                if (!chosen.get(node) && next.equals(standing.get(node))) {
                    chosen.set(node);
                    taken++;
                    for (Offer other : take(next, on, standing)) {
                        standing.put(other.node().index, other);
                        line.add(other);
                    }
                }
            }
            return true;
        }

        /// Takes a node, and offers those anew on which the victims run too.
        private List<Offer> take(Offer offer, @Nullable Demand[] on, Map<Integer, Offer> standing) {
            var elsewhere = new BitSet();
            for (long victim : offer.found().victims()) {
                gone.add(victim);
                Arrays.stream(all.cluster.nodesOf(victim)).forEach(elsewhere::set);
            }
            loss = loss.and(offer.found().loss());
            elsewhere.clear(offer.node().index);
            cheaper.or(elsewhere);
            var offers = new ArrayList<Offer>();
            for (int node = elsewhere.nextSetBit(0); node >= 0; ) {
                Offer before = standing.get(node);
                if (before != null && !chosen.get(node)) {
                    offers.add(again(before, on));
                }
                node = elsewhere.nextSetBit(node + 1);
            }
            return offers;
        }

        private Offer again(Offer offer, @Nullable Demand[] on) {
            Demand demand = on[offer.node().kind.number];
            Found found = demand == null ? null : rooms.find(offer.node(), demand, gone, null);
            return found == null ? offer : new Offer(offer.node(), found);
        }
    }
}
