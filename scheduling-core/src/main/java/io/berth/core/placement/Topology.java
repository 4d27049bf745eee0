package io.berth.core.placement;

import io.berth.contracts.Blocks;
import io.berth.contracts.NodeName;
import io.berth.contracts.config.Levels;
import io.berth.contracts.event.ConfigEntry.Switch;
import io.berth.contracts.event.NodeStatus;
import io.berth.core.engine.Network;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// The tree of switches as the engine's levels: the switch over each node, the one over that, and
/// so on up to the roots, and the row of nodes by their names. A branch that is lower than others
/// keeps its root in the levels above. Beside it the blocks of nodes: those of the configuration,
/// or where it has none those of NVLink fabrics, of which GPUs tell. And the levels that jobs name:
/// those of the switches, and that of the blocks.
///
/// Source: Slurm's topology/tree and topology/block, topology.conf(5).
final class Topology {

    private static final Pattern NUMBER = Pattern.compile("[0-9]+");
    private static final int LONGEST_NAME = 63;

    /// By name, the engine's number of a level that jobs name.
    private final Map<String, Integer> named = new HashMap<>();

    final Network network;

    /// @param nodes by their indices
    /// @param blocks as [#blocks] makes them
    Topology(Collection<Switch> switches, List<int[]> blocks, List<NodeName> nodes) {
        var domains = new ArrayList<int[]>();
        var levels = new Levels(switches);
        for (String level : levels.names()) {
            domains.add(numbered(levels.domains(level), nodes));
            named.put(level, domains.size());
        }
        if (!blocks.isEmpty()) {
            domains.add(blocks.getFirst());
            named.put(Levels.BLOCK, domains.size());
        }
        network = new Network(heights(switches, nodes), places(nodes), blocks, domains);
    }

    /// The engine's number of a level that jobs name; null if there is none of that name.
    @Nullable Integer level(String name) {
        return named.get(name);
    }

    private static int[] numbered(Map<String, String> domainOf, List<NodeName> nodes) {
        Map<String, Integer> numbers = new HashMap<>();
        return nodes.stream()
                .map(node -> domainOf.get(node.value()))
                .mapToInt(it -> it == null ? -1 : numbers.computeIfAbsent(it, _ -> numbers.size()))
                .toArray();
    }

    private static List<int[]> heights(Collection<Switch> switches, List<NodeName> nodes) {
        var levels = new ArrayList<int[]>();
        if (switches.isEmpty()) {
            return levels;
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
        return levels;
    }

    /// The blocks of the nodes, then blocks of blocks.
    ///
    /// @param configured null is none
    static List<int[]> blocks(@Nullable Blocks configured, List<NodeStatus> nodes) {
        Map<String, Integer> numbers = new HashMap<>();
        if (configured == null) {
            int[] fabrics =
                    nodes.stream()
                            .map(node -> node.seen().inventory().fabric())
                            .mapToInt(it ->
                                    it == null
                                            ? -1
                                            : numbers.computeIfAbsent(it, _ -> numbers.size()))
                            .toArray();
            return numbers.isEmpty() ? List.of() : List.of(fabrics);
        }
        for (int block = 0; block < configured.blocks().size(); block++) {
            for (NodeName node : configured.blocks().get(block).nodes()) {
                numbers.put(node.value(), block);
            }
        }
        int[] base =
                nodes.stream()
                        .mapToInt(node -> numbers.getOrDefault(node.node().value(), -1))
                        .toArray();
        var levels = new ArrayList<int[]>();
        levels.add(base);
        for (int size : configured.sizes().stream().skip(1).toList()) {
            int together = size / configured.sizes().getFirst();
            levels.add(Arrays.stream(base).map(it -> it < 0 ? -1 : it / together).toArray());
        }
        return levels;
    }

    /// Where each node stands in the order of the names, numbers in them taken as numbers.
    private static int[] places(List<NodeName> nodes) {
        List<NodeName> row =
                nodes.stream()
                        .sorted(
                                Comparator.comparing(Topology::padded)
                                        .thenComparing(Comparator.naturalOrder()))
                        .toList();
        Map<NodeName, Integer> places = new HashMap<>();
        row.forEach(node -> places.put(node, places.size()));
        return nodes.stream().mapToInt(node -> places.getOrDefault(node, -1)).toArray();
    }

    private static String padded(NodeName node) {
        return NUMBER.matcher(node.value())
                .replaceAll(it -> "0".repeat(LONGEST_NAME - it.group().length()) + it.group());
    }
}
