package io.berth.accounting.cluster;

import io.berth.contracts.NodeWeight;
import io.berth.slurm.HostList;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/// The weights of nodes in a cluster file: `{"gpu-[01-04]": 10, ALL: 5}`.
final class NodeWeightsSection {

    private NodeWeightsSection() {}

    static List<NodeWeight> of(YamlMap all) throws InvalidClusterFile {
        var weights = new ArrayList<NodeWeight>();
        Set<String> known = new HashSet<>();
        for (String list : all.keys()) {
            List<String> nodes = nodes(all.place(list), list);
            for (String node : nodes) {
                if (!known.add(node)) {
                    throw new InvalidClusterFile(
                            all.place(list), "node " + node + " has a weight already");
                }
            }
            weights.add(new NodeWeight(nodes, YamlMap.number(all.place(list), all.at(list))));
        }
        return weights;
    }

    private static List<String> nodes(String place, String list) throws InvalidClusterFile {
        try {
            return HostList.expand(list);
        } catch (IllegalArgumentException e) {
            throw new InvalidClusterFile(
                    place, "'" + list + "' is neither ALL nor a list such as gpu-[01-08]");
        }
    }
}
