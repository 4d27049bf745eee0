package io.berth.accounting.cluster;

import io.berth.slurm.HostList;
import java.util.List;
import java.util.Set;

/// Names of nodes in a cluster file.
final class NodeLists {

    private static final List<String> ALL = List.of("ALL");

    private NodeLists() {}

    /// `ALL` where nothing is said.
    static List<String> of(YamlMap map, String key) throws InvalidClusterFile {
        String nodes = map.text(key);
        if (nodes == null || nodes.equals("ALL")) {
            return ALL;
        }
        try {
            return HostList.expand(nodes);
        } catch (IllegalArgumentException e) {
            throw new InvalidClusterFile(
                    map.place(key),
                    "'" + nodes + "' is neither ALL nor a list such as gpu-[01-08]");
        }
    }

    /// The nodes of one of several rules, each of which may stand in one alone.
    ///
    /// @param known the nodes of the rules before; takes these
    /// @param what the rules are on
    static List<String> ofOneRule(YamlMap map, Set<String> known, String what)
            throws InvalidClusterFile {
        List<String> nodes = of(map, "nodes");
        for (String node : nodes) {
            if (!known.add(node) || (known.size() > 1 && known.contains("ALL"))) {
                throw new InvalidClusterFile(
                        map.place("nodes"), "node " + node + " stands in two rules on " + what);
            }
        }
        return nodes;
    }
}
