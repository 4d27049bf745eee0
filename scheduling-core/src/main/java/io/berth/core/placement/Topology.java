package io.berth.core.placement;

import io.berth.contracts.NodeName;
import io.berth.contracts.event.ConfigEntry.Switch;
import io.berth.core.engine.Network;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The tree of switches as the engine's levels: the switch over each node, the one over that, and
/// so on up to the roots. A branch that is lower than others keeps its root in the levels above.
///
/// Source: Slurm's topology/tree, topology.conf(5).
final class Topology {

    private Topology() {}

    /// @param nodes by their indices
    static Network of(Collection<Switch> switches, List<NodeName> nodes) {
        if (switches.isEmpty()) {
            return Network.FLAT;
        }
        Map<String, String> above = new HashMap<>();
        Map<String, Integer> numbers = new HashMap<>();
        for (Switch it : switches) {
            numbers.put(it.name(), numbers.size());
            it.nodes().forEach(node -> above.put("node " + node, it.name()));
            it.switches().forEach(child -> above.put(child, it.name()));
        }
        @Nullable String[] at =
                nodes.stream().map(node -> above.get("node " + node)).toArray(String[]::new);
        var levels = new ArrayList<int[]>();
        boolean higher = true;
        while (higher && levels.size() < switches.size()) {
            levels.add(
                    Arrays.stream(at)
                            .mapToInt(name -> name == null ? -1 : numbers.getOrDefault(name, -1))
                            .toArray());
            higher = false;
            for (int node = 0; node < at.length; node++) {
                String next = at[node] == null ? null : above.get(at[node]);
                higher |= next != null;
                at[node] = next == null ? at[node] : next;
            }
        }
        return new Network(levels);
    }
}
