package io.berth.contracts;

import java.util.List;

/// In which order nodes are taken: of those that have room, those of the lowest weight (Slurm's
/// `Weight`).
///
/// @param nodes names; `ALL` alone is every node that no other rule names
/// @param weight nodes without a rule have [#DEFAULT]
public record NodeWeight(List<String> nodes, int weight) {

    public static final int DEFAULT = 1;

    public NodeWeight {
        nodes = List.copyOf(nodes);
    }
}
