package io.berth.contracts.config;

import io.berth.contracts.event.ConfigEntry.Switch;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.SequencedSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The levels of the tree of switches by name: what a switch says that it is, or else its height, 0
/// for one with nothing but nodes under it, as `scontrol show topology` numbers them.
///
/// A node is in no domain of a level where no switch of that level is over it.
public final class Levels {

    /// The level of blocks of nodes. No switch is of it.
    public static final String BLOCK = "block";

    /// The lowest first: by level, then by node, the switch of that level over it.
    private final SequencedMap<String, Map<String, String>> over = new LinkedHashMap<>();

    /// @param switches a switch that is below itself is as if it were not below that one
    public Levels(Collection<Switch> switches) {
        Map<String, Switch> all = new LinkedHashMap<>();
        Map<String, String> above = new HashMap<>();
        for (Switch it : switches) {
            all.put(it.name(), it);
            it.switches().forEach(child -> above.put(child, it.name()));
        }
        Map<String, Integer> heights = new HashMap<>();
        switches.forEach(it -> height(it, all, heights, new HashSet<>()));
        Map<String, Integer> lowest = new LinkedHashMap<>();
        for (Switch it : switches) {
            lowest.merge(name(it, heights), heights.getOrDefault(it.name(), 0), Math::min);
        }
        lowest.entrySet().stream()
                .sorted(Map.Entry.comparingByValue())
                .forEach(it -> over.put(it.getKey(), new HashMap<>()));
        for (Switch leaf : switches) {
            var seen = new HashSet<String>();
            for (@Nullable Switch at = leaf; at != null && seen.add(at.name()); ) {
                Map<String, String> domains = over.getOrDefault(name(at, heights), Map.of());
                for (String node : leaf.nodes()) {
                    domains.putIfAbsent(node, at.name());
                }
                String next = above.get(at.name());
                at = next == null ? null : all.get(next);
            }
        }
    }

    private static String name(Switch it, Map<String, Integer> heights) {
        String level = it.level();
        return level == null ? String.valueOf(heights.getOrDefault(it.name(), 0)) : level;
    }

    /// @param path those that lead to it
    private static int height(
            Switch of, Map<String, Switch> all, Map<String, Integer> heights, Set<String> path) {
        Integer known = heights.get(of.name());
        if (known != null) {
            return known;
        }
        path.add(of.name());
        int height = 0;
        for (String child : of.switches()) {
            Switch lower = path.contains(child) ? null : all.get(child);
            height =
                    lower == null
                            ? height
                            : Math.max(height, 1 + height(lower, all, heights, path));
        }
        path.remove(of.name());
        heights.put(of.name(), height);
        return height;
    }

    /// The lowest first.
    public SequencedSet<String> names() {
        return Collections.unmodifiableSequencedSet(over.sequencedKeySet());
    }

    /// Those that are wider than a level, the lowest first.
    public List<String> above(String level) {
        return over.sequencedKeySet().stream()
                .dropWhile(it -> !it.equals(level) && !level.equals(BLOCK))
                .filter(it -> !it.equals(level))
                .toList();
    }

    /// By node, the switch of a level over it; empty for a level that there is not.
    public Map<String, String> domains(String level) {
        @Nullable Map<String, String> domains = over.get(level);
        return domains == null ? Map.of() : Collections.unmodifiableMap(domains);
    }
}
