package io.berth.contracts;

import java.util.Collections;
import java.util.List;

/// Resources other than GPUs that some nodes have by the configuration, and do not tell of
/// themselves. They are only counted.
///
/// @param nodes names, in their order; `ALL` alone is every node
/// @param gres one of a name and type
public record DeclaredGres(List<String> nodes, List<Gres> gres) {

    public DeclaredGres {
        nodes = nodes.stream().sorted().toList();
        gres = gres.stream().sorted().toList();
        if (gres.stream().anyMatch(it -> !it.files().isEmpty())) {
            throw new IllegalArgumentException(
                    "device files of " + gres + ": the agent of a node names them");
        }
    }

    public boolean on(NodeName node) {
        return nodes.equals(List.of("ALL")) || Collections.binarySearch(nodes, node.value()) >= 0;
    }
}
