package io.berth.cli;

import io.berth.slurm.HostList;
import io.berth.slurm.SlurmConf.Line;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.error.YAMLException;

/// The network of a cluster: the switches and blocks of a topology.conf, or of a topology.yaml, of
/// which that topology is taken which is the cluster's default, else the first.
///
/// Source: topology.conf(5) of Slurm 22.05, topology.yaml(5) of Slurm 24.11.
final class SlurmTopology {

    static final String KINDS = "a cluster has a tree of switches, and blocks";

    private final Map<String, Object> switches = new LinkedHashMap<>();
    private final Map<String, Object> blocks = new LinkedHashMap<>();
    private final List<String> blockSizes = new ArrayList<>();

    /// @return what of a line `SwitchName=` could not be carried over
    List<String> addSwitch(Line line) {
        var leftOut = new ArrayList<String>();
        var entry = new LinkedHashMap<String, Object>();
        line.values()
                .forEach((key, value) -> {
                    switch (key) {
                        case "switchname" -> {}
                        case "nodes" -> entry.put("nodes", value);
                        case "switches" -> entry.put("switches", names(value));
                        default -> leftOut.add(key + "=" + value + ": it is not used");
                    }
                });
        switches.put(line.value("switchname", ""), entry);
        return leftOut;
    }

    void addBlock(Line line) {
        blocks.put(line.value("blockname", ""), line.value("nodes", ""));
    }

    void addSizes(Line line) {
        blockSizes.addAll(CliOption.split(line.value("blocksizes", "")));
    }

    /// The names in a list such as `s[1-2],core`; the text itself if it is none.
    private static List<String> names(String list) {
        try {
            return HostList.expand(list);
        } catch (IllegalArgumentException e) {
            return List.of(list);
        }
    }

    /// Takes a topology.yaml.
    ///
    /// @return what of it could not be carried over
    List<String> take(String text) {
        List<Map<?, ?>> all;
        try {
            all = maps(new Yaml(new SafeConstructor(new LoaderOptions())).load(text));
        } catch (MarkedYAMLException e) {
            return List.of(
                    "line %d: %s".formatted(e.getProblemMark().getLine() + 1, e.getProblem()));
        } catch (YAMLException e) {
            return List.of(String.valueOf(e.getMessage()));
        }
        int chosen = 0;
        for (int i = all.size() - 1; i >= 0; i--) {
            if (text(all.get(i), "cluster_default").equalsIgnoreCase("true")) {
                chosen = i;
            }
        }
        var leftOut = new ArrayList<String>();
        for (int i = 0; i < all.size(); i++) {
            String place = "topology " + text(all.get(i), "topology") + ": ";
            if (i == chosen) {
                choose(all.get(i)).forEach(it -> leftOut.add(place + it));
            } else {
                leftOut.add(place + "a cluster has one, that of cluster_default");
            }
        }
        return leftOut;
    }

    private List<String> choose(Map<?, ?> topology) {
        var leftOut = new ArrayList<String>();
        topology.forEach((key, value) -> {
            switch (String.valueOf(key)) {
                case "topology", "cluster_default", "flat" -> {}
                case "tree" -> maps(at(value, "switches")).forEach(this::putSwitch);
                case "block" -> {
                    blockSizes.addAll(CliOption.split(text(value, "block_sizes")));
                    maps(at(value, "blocks"))
                            .forEach(it -> blocks.put(text(it, "block"), text(it, "nodes")));
                }
                default -> leftOut.add(key + " is not there: " + KINDS);
            }
        });
        return leftOut;
    }

    private void putSwitch(Map<?, ?> map) {
        var entry = new LinkedHashMap<String, Object>();
        if (map.containsKey("nodes")) {
            entry.put("nodes", text(map, "nodes"));
        }
        if (map.containsKey("children")) {
            entry.put("switches", names(text(map, "children")));
        }
        switches.put(text(map, "switch"), entry);
    }

    private static @Nullable Object at(@Nullable Object map, String key) {
        return map instanceof Map<?, ?> it ? it.get(key) : null;
    }

    /// The maps in a list.
    private static List<Map<?, ?>> maps(@Nullable Object list) {
        var maps = new ArrayList<Map<?, ?>>();
        if (list instanceof List<?> items) {
            for (Object item : items) {
                if (item instanceof Map<?, ?> map) {
                    maps.add(map);
                }
            }
        }
        return maps;
    }

    /// A value; those of a list with commas between them, "" if there is none.
    private static String text(@Nullable Object map, String key) {
        Object value = at(map, key);
        return value instanceof List<?> items
                ? items.stream().map(String::valueOf).collect(Collectors.joining(","))
                : value == null ? "" : value.toString();
    }

    void write(Map<String, Object> file) {
        if (!switches.isEmpty()) {
            file.put("switches", switches);
        }
        if (!blocks.isEmpty()) {
            file.put("blocks", blocks);
            if (!blockSizes.isEmpty()) {
                file.put("blockSizes", blockSizes);
            }
        }
    }
}
