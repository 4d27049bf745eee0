package io.berth.core.engine;

import java.util.List;

/// How close nodes are: for each level, the domain in which each node lies. Level 0 are leaf
/// switches, the last level is everything that is connected.
public final class Network {

    /// Without a topology: all nodes are equally close.
    public static final Network FLAT = new Network(List.of());

    private final List<int[]> levels;
    private final int[] domains;

    /// @param levels by level, then by node; domains are numbered from 0, and -1 is under no switch
    public Network(List<int[]> levels) {
        this.levels = List.copyOf(levels);
        this.domains = levels.stream().mapToInt(Network::count).toArray();
    }

    private static int count(int[] level) {
        int most = 0;
        for (int domain : level) {
            most = Math.max(most, domain + 1);
        }
        return most;
    }

    int levels() {
        return levels.size();
    }

    int domain(int level, int node) {
        return levels.get(level)[node];
    }

    int domains(int level) {
        return domains[level];
    }
}
