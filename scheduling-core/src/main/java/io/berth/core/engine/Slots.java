package io.berth.core.engine;

import io.berth.core.engine.FitClass.Choice;
import io.berth.core.engine.FitClass.Count;
import io.berth.core.engine.Usable.Candidate;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The places of a gang that must have so many nodes of each of some groups: those of each group,
/// and the rest, which is for all.
///
/// A node takes one place. One that finds none free may have that of a node that can move on: so
/// the nodes that are offered first are in, as far as any deal has them all.
///
/// Source: Kuhn's augmenting paths; that offering in order is best is the greedy theorem of
/// transversal matroids (Edmonds and Fulkerson, 1965).
final class Slots {

    private final List<BitSet> groups = new ArrayList<>();
    private final List<List<Integer>> taken = new ArrayList<>();
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
        taken.add(new ArrayList<>());
    }

    /// Whether candidates could fill all places.
    static boolean fill(Choice choice, int parts, List<Candidate> candidates) {
        return choice.counts().isEmpty() || pick(choice, parts, candidates) != null;
    }

    /// Candidates that fill all places, the first ones as far as it goes; null if they cannot.
    static @Nullable List<Candidate> pick(Choice choice, int parts, List<Candidate> ordered) {
        var slots = new Slots(choice, parts);
        var picked = new ArrayList<Candidate>();
        for (Candidate candidate : ordered) {
            if (picked.size() < parts && slots.place(candidate.node().index, new BitSet())) {
                picked.add(candidate);
            }
        }
        return picked.size() == parts ? picked : null;
    }

    /// @param tried groups that have no place for anybody, whoever moves
    private boolean place(int node, BitSet tried) {
        for (int group = 0; group < open.length; group++) {
            if (!groups.get(group).get(node) || tried.get(group)) {
                continue;
            }
            tried.set(group);
            List<Integer> here = taken.get(group);
            if (open[group] > 0) {
                open[group]--;
                here.add(node);
                return true;
            }
            for (int at = 0; at < here.size(); at++) {
                if (place(here.get(at), tried)) {
                    here.set(at, node);
                    return true;
                }
            }
        }
        return false;
    }
}
