package io.berth.core.engine;

import java.util.Arrays;
import java.util.List;

/// How close nodes are: for each level, the domain in which each node lies. Level 0 are leaf
/// switches, the last level is everything that is connected. And in which row they stand.
public final class Network {

    /// Without a topology: all nodes are equally close.
    public static final Network FLAT = new Network(List.of());

    private final List<int[]> levels;
    private final int[] domains;
    private final int[][] leaves;
    private final int[] places;

    /// Nodes that stand in the order of their indices.
    ///
    /// @param levels by level, then by node; domains are numbered from 0, and -1 is under no switch
    public Network(List<int[]> levels) {
        this(levels, new int[0]);
    }

    /// @param places in the row, by node; empty if they are their indices
    public Network(List<int[]> levels, int[] places) {
        this.places = places.clone();
        this.levels = List.copyOf(levels);
        this.domains = levels.stream().mapToInt(Network::count).toArray();
        this.leaves = levels.isEmpty() ? new int[0][] : leaves(levels.getFirst(), domains[0]);
    }

    private static int count(int[] level) {
        int most = 0;
        for (int domain : level) {
            most = Math.max(most, domain + 1);
        }
        return most;
    }

    private static int[][] leaves(int[] leafOf, int count) {
        var sizes = new int[count + 1];
        for (int leaf : leafOf) {
            sizes[leaf + 1]++;
        }
        var leaves = new int[count][];
        Arrays.setAll(leaves, leaf -> new int[sizes[leaf + 1]]);
        Arrays.fill(sizes, 0);
        for (int node = 0; node < leafOf.length; node++) {
            if (leafOf[node] >= 0) {
                leaves[leafOf[node]][sizes[leafOf[node]]++] = node;
            }
        }
        return leaves;
    }

    /// The nodes under a leaf switch. Must not be changed.
    int[] under(int leaf) {
        return leaves[leaf];
    }

    int levels() {
        return levels.size();
    }

    /// Where a node stands in the row of all nodes: those whose places differ by one are
    /// neighbours.
    int place(int node) {
        return places.length == 0 ? node : places[node];
    }

    int domain(int level, int node) {
        return levels.get(level)[node];
    }

    int domains(int level) {
        return domains[level];
    }
}
