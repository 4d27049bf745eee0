package io.berth.submit;

import io.berth.contracts.Blocks;
import io.berth.contracts.Inventory;
import io.berth.contracts.NodeName;
import io.berth.contracts.config.Configuration;
import io.berth.contracts.event.ConfigEntry.Switch;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Where nodes stand, as far as the topology tells: the block of each, and the switch over it.
public final class NodePlaces {
    private final @Nullable Map<String, String> blocks;
    private final Map<String, String> switches = new HashMap<>();

    /// @param configuration null is none yet
    public NodePlaces(@Nullable Configuration configuration) {
        Blocks configured = configuration == null ? null : configuration.cluster().blocks();
        blocks = configured == null ? null : names(configured);
        if (configuration != null) {
            for (Switch each : configuration.switches().values()) {
                each.nodes().forEach(node -> switches.put(node, each.name()));
            }
        }
    }

    private static Map<String, String> names(Blocks configured) {
        var names = new HashMap<String, String>();
        configured
                .blocks()
                .forEach(block ->
                        block.nodes().forEach(node -> names.put(node.value(), block.name())));
        return names;
    }

    /// The block of a node: where blocks are not configured, the NVLink fabric of its GPUs. Null if
    /// it is in none.
    public @Nullable String block(NodeName node, Inventory inventory) {
        return blocks == null ? inventory.fabric() : blocks.get(node.value());
    }

    /// The switch right over a node; null if none is.
    public @Nullable String leafSwitch(NodeName node) {
        return switches.get(node.value());
    }
}
