package io.berth.core.engine;

import io.berth.core.engine.FitClass.Choice;
import io.berth.core.engine.FitClass.Count;
import io.berth.core.engine.Usable.Candidate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The places of a gang that must have so many nodes of each of some groups: those of each group,
/// and the rest, which is for all.
///
/// A node takes one place. One that finds none free may have that of a node that can move on: so
/// the nodes that are offered first are in, as far as any deal has them all. Nodes of the same
/// groups are alike: places are counted by the groups of those who have them, and where one of them
/// found no place no other of them will.
///
/// Source: Kuhn's augmenting paths; that offering in order is best is the greedy theorem of
/// transversal matroids (Edmonds and Fulkerson, 1965).
final class Slots {

    private final List<BitSet> groups = new ArrayList<>();

    /// By group, how many of its places nodes have, by the groups that they are of.
    private final List<Map<BitSet, Integer>> taken = new ArrayList<>();

    private final int[] open;

    private Slots(Choice choice, int parts) {
        open = new int[choice.counts().size() + 1];
        int rest = parts;
        for (Count count : choice.counts()) {
            open[groups.size()] = count.least();
            rest -= count.least();
            add(count.nodes());
        }
        open[groups.size()] = rest;
        add(choice.nodes());
    }

    private void add(BitSet group) {
        groups.add(group);
        taken.add(new LinkedHashMap<>());
    }

    /// Whether candidates could fill all places.
    static boolean fill(Choice choice, int parts, List<Candidate> candidates) {
        return choice.counts().isEmpty() || pick(choice, parts, candidates) != null;
    }

    /// Candidates that fill all places, the first ones as far as it goes; null if they cannot.
    static @Nullable List<Candidate> pick(Choice choice, int parts, List<Candidate> ordered) {
        var slots = new Slots(choice, parts);
        var refused = new HashSet<BitSet>();
        var picked = new ArrayList<Candidate>();
        for (int at = 0; at < ordered.size() && picked.size() < parts; at++) {
            BitSet of = slots.groupsOf(ordered.get(at).node().index);
            if (!refused.contains(of)) {
                if (slots.place(of, new BitSet())) {
                    picked.add(ordered.get(at));
                } else {
                    refused.add(of);
                }
            }
        }
        return picked.size() == parts ? picked : null;
    }

    /// Whether these nodes, as many as there are parts, are such as a choice says.
    static boolean fill(Choice choice, int[] nodes) {
        var slots = new Slots(choice, nodes.length);
        return Arrays.stream(nodes)
                .allMatch(it ->
                        choice.nodes().get(it) && slots.place(slots.groupsOf(it), new BitSet()));
    }

    private BitSet groupsOf(int node) {
        var of = new BitSet(open.length);
        for (int group = 0; group < open.length; group++) {
            of.set(group, groups.get(group).get(node));
        }
        return of;
    }

    /// @param of the groups of a node
    /// @param tried groups that have no place for anybody, whoever moves
    private boolean place(BitSet of, BitSet tried) {
        for (int group = of.nextSetBit(0); group >= 0; group = of.nextSetBit(group + 1)) {
            if (tried.get(group)) {
                continue;
            }
            tried.set(group);
            Map<BitSet, Integer> here = taken.get(group);
            if (open[group] > 0) {
                open[group]--;
                here.merge(of, 1, Integer::sum);
                return true;
            }
            for (BitSet other : here.keySet()) {
                if (place(other, tried)) {
                    here.computeIfPresent(other, (_, count) -> count == 1 ? null : count - 1);
                    here.merge(of, 1, Integer::sum);
                    return true;
                }
            }
        }
        return false;
    }
}
