package io.berth.accounting.cluster;

import io.berth.slurm.HostList;
import java.util.List;

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
}
