package io.berth.accounting.cluster;

import io.berth.contracts.event.ConfigEntry.Switch;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The switches of a cluster file: a tree with the nodes as its leaves.
final class TopologySection {

    private TopologySection() {}

    static List<Unnumbered> of(YamlMap all) throws InvalidClusterFile {
        var records = new ArrayList<Unnumbered>();
        Map<String, String> above = new HashMap<>();
        for (String name : all.names()) {
            YamlMap map = all.map(name);
            map.only("nodes", "switches");
            List<String> nodes = map.has("nodes") ? NodeLists.of(map, "nodes") : List.of();
            List<String> switches = map.nameList("switches");
            YamlMap.refuseUnknown(map.place("switches"), "switch", switches, all.keys());
            for (String child : switches) {
                put(above, "switch " + child, name, map.place("switches"));
            }
            for (String node : nodes) {
                put(above, "node " + node, name, map.place("nodes"));
            }
            records.add(part -> new Switch(part, name, nodes, switches));
        }
        for (String name : all.keys()) {
            refuseCycle(all, name, above);
        }
        return records;
    }

    private static void put(Map<String, String> above, String what, String name, String place)
            throws InvalidClusterFile {
        String other = above.putIfAbsent(what, name);
        if (other != null) {
            throw new InvalidClusterFile(place, what + " is below " + other + " already");
        }
    }

    private static void refuseCycle(YamlMap all, String name, Map<String, String> above)
            throws InvalidClusterFile {
        var seen = new HashSet<String>();
        for (@Nullable String at = name; at != null; at = above.get("switch " + at)) {
            if (!seen.add(at)) {
                throw new InvalidClusterFile(all.place(name), "the switch is below itself");
            }
        }
    }
}
