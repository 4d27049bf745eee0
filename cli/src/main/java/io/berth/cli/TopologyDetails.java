package io.berth.cli;

import io.berth.client.JsonObject;
import io.berth.slurm.HostList;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// The text of `scontrol show topology`: a line for each switch, those next to the nodes first, and
/// one for each block.
final class TopologyDetails {

    /// A switch with all nodes below it.
    ///
    /// @param level 0 next to the nodes
    /// @param named what it is; empty is not told
    private record Switch(
            String name, int level, String named, List<String> nodes, List<String> switches) {

        String line() {
            return "SwitchName=%s Level=%d LinkSpeed=1 Nodes=%s%s%s"
                    .formatted(
                            name,
                            level,
                            HostList.compress(nodes),
                            switches.isEmpty() ? "" : " Switches=" + HostList.compress(switches),
                            named.isEmpty() ? "" : " LevelName=" + named);
        }
    }

    private final JsonObject switches;
    private final Map<String, Switch> known = new TreeMap<>();

    private TopologyDetails(JsonObject switches) {
        this.switches = switches;
    }

    /// @param document in the shape of the cluster file
    /// @param name of one switch or block, or a node below them; null shows all
    static List<String> lines(JsonObject document, @Nullable String name) throws CommandFailure {
        var details = new TopologyDetails(document.object("switches"));
        var lines = new ArrayList<String>();
        for (String each : details.switches.fields().keySet()) {
            details.of(each, new LinkedHashSet<>());
        }
        details.known.values().stream()
                .sorted(Comparator.comparingInt(Switch::level).thenComparing(Switch::name))
                .filter(it -> name == null || it.name().equals(name) || it.nodes().contains(name))
                .forEach(it -> lines.add(it.line()));
        int index = 0;
        for (var block : document.object("blocks").fields().entrySet()) {
            String nodes = String.valueOf(block.getValue());
            if (name == null || block.getKey().equals(name) || expand(nodes).contains(name)) {
                lines.add(
                        "BlockName=%s BlockIndex=%d Nodes=%s BlockSize=%d"
                                .formatted(block.getKey(), index, nodes, expand(nodes).size()));
            }
            index++;
        }
        if (lines.isEmpty() && name != null) {
            throw new CommandFailure(1, "Topology of " + name + " not found\n");
        }
        return lines;
    }

    /// @param above those that lead to it: a switch that is below itself ends there
    private Switch of(String name, Set<String> above) throws CommandFailure {
        Switch before = known.get(name);
        if (before != null) {
            return before;
        }
        JsonObject entry = switches.object(name);
        var nodes = new LinkedHashSet<String>(expand(entry.text("nodes")));
        int level = 0;
        List<String> below = entry.texts("switches");
        above.add(name);
        for (String each : below) {
            if (!above.contains(each)) {
                Switch lower = of(each, above);
                nodes.addAll(lower.nodes());
                level = Math.max(level, lower.level() + 1);
            }
        }
        above.remove(name);
        var made = new Switch(name, level, entry.text("level"), List.copyOf(nodes), below);
        known.put(name, made);
        return made;
    }

    private static List<String> expand(String list) throws CommandFailure {
        try {
            return HostList.expand(list);
        } catch (IllegalArgumentException e) {
            throw CommandFailure.error("scontrol", String.valueOf(e.getMessage()));
        }
    }
}
