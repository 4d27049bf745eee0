package io.berth.accounting.cluster;

import io.berth.contracts.config.Levels;
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
        Map<String, String> levels = new HashMap<>();
        for (String name : all.names()) {
            YamlMap map = all.map(name);
            map.only("nodes", "switches", "level");
            List<String> nodes = map.has("nodes") ? NodeLists.of(map, "nodes") : List.of();
            List<String> switches = map.nameList("switches");
            YamlMap.refuseUnknown(map.place("switches"), "switch", switches, all.keys());
            for (String child : switches) {
                put(above, "switch " + child, name, map.place("switches"));
            }
            for (String node : nodes) {
                put(above, "node " + node, name, map.place("nodes"));
            }
            String level = map.has("level") ? level(map) : null;
            if (level != null) {
                levels.put(name, level);
            }
            records.add(part -> new Switch(part, name, nodes, switches, level));
        }
        for (String name : all.keys()) {
            refuseCycle(all, name, above);
            refuseWithin(all, name, above, levels);
        }
        return records;
    }

    private static String level(YamlMap map) throws InvalidClusterFile {
        String level = map.name("level");
        if (level.equals(Levels.BLOCK) || level.chars().allMatch(Character::isDigit)) {
            throw new InvalidClusterFile(
                    map.place("level"),
                    "'%s' is no name for it: blocks have '%s', and numbers are those of heights"
                            .formatted(level, Levels.BLOCK));
        }
        return level;
    }

    private static void put(Map<String, String> above, String what, String name, String place)
            throws InvalidClusterFile {
        String other = above.putIfAbsent(what, name);
        if (other != null) {
            throw new InvalidClusterFile(place, what + " is below " + other + " already");
        }
    }

    /// A node is in one domain of a level.
    private static void refuseWithin(
            YamlMap all, String name, Map<String, String> above, Map<String, String> levels)
            throws InvalidClusterFile {
        String level = levels.get(name);
        for (@Nullable String at = above.get("switch " + name);
                level != null && at != null;
                at = above.get("switch " + at)) {
            if (level.equals(levels.get(at))) {
                throw new InvalidClusterFile(
                        all.place(name) + ".level",
                        "the %s is below %s, which is one too".formatted(level, at));
            }
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
