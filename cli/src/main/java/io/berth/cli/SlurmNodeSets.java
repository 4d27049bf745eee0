package io.berth.cli;

import io.berth.slurm.HostList;
import io.berth.slurm.SlurmConf.Line;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// The sets of nodes of a slurm.conf, which stand for nodes where a partition names them: those of
/// `Nodes=`, and those whose lines have the `Feature=`.
///
/// Source: slurm.conf(5) of Slurm 22.05, "NODESET CONFIGURATION".
final class SlurmNodeSets {

    private static final String ALL = "ALL";

    private final Map<String, Line> sets = new LinkedHashMap<>();
    private final Map<String, Set<String>> byFeature = new LinkedHashMap<>();

    /// Of lines that name none, as the last `NodeName=DEFAULT` has it.
    private String defaultFeatures = "";

    void take(Line line) {
        sets.put(line.value("nodeset", ""), line);
    }

    /// Takes the features of a line `NodeName=`.
    void node(Line line) {
        String features = line.value("features", line.value("feature", defaultFeatures));
        String nodes = line.value("nodename", "");
        if (nodes.equals("DEFAULT")) {
            defaultFeatures = features;
            return;
        }
        for (String feature : CliOption.split(features)) {
            byFeature.computeIfAbsent(feature, _ -> new LinkedHashSet<>()).addAll(hosts(nodes));
        }
    }

    private static List<String> hosts(String list) {
        try {
            return HostList.expand(list);
        } catch (IllegalArgumentException e) {
            return List.of(list);
        }
    }

    private Set<String> of(Line set) {
        var nodes = new LinkedHashSet<String>();
        if (set.values().containsKey("nodes")) {
            nodes.addAll(hosts(set.value("nodes", "")));
        }
        nodes.addAll(byFeature.getOrDefault(set.value("feature", ""), Set.of()));
        return nodes;
    }

    /// A list of nodes in which the names of sets are the nodes of these.
    String resolved(String list) {
        List<String> named = hosts(list);
        if (named.stream().anyMatch(ALL::equalsIgnoreCase)) {
            return ALL;
        }
        if (named.stream().noneMatch(sets::containsKey)) {
            return list;
        }
        var nodes = new LinkedHashSet<String>();
        for (String name : named) {
            Line set = sets.get(name);
            Set<String> inSet = set == null ? Set.of() : of(set);
            if (inSet.stream().anyMatch(ALL::equalsIgnoreCase)) {
                return ALL;
            }
            nodes.addAll(inSet.isEmpty() ? Set.of(name) : inSet);
        }
        return HostList.compress(nodes);
    }

    /// What could not be carried over.
    List<String> leftOut() {
        var leftOut = new ArrayList<String>();
        sets.forEach((name, line) -> {
            if (of(line).isEmpty()) {
                leftOut.add(
                        "NodeSet="
                                + name
                                + ": no line of nodes has its feature; where a partition names it, it is a host of that name");
            }
        });
        return leftOut;
    }
}
