package io.berth.accounting.cluster;

import io.berth.contracts.DeclaredGres;
import io.berth.slurm.GresText;
import io.berth.slurm.InvalidOption;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/// The resources other than GPUs that a cluster file says nodes have.
final class GresSection {

    private GresSection() {}

    static List<DeclaredGres> of(YamlMap all) throws InvalidClusterFile {
        var rules = new ArrayList<DeclaredGres>();
        Set<String> known = new HashSet<>();
        for (String name : all.names()) {
            YamlMap map = all.map(name);
            map.only("nodes", "has");
            List<String> nodes = NodeLists.ofOneRule(map, known, "other resources");
            try {
                rules.add(new DeclaredGres(nodes, GresText.parse(map.text("has"))));
            } catch (InvalidOption e) {
                throw new InvalidClusterFile(
                        map.place("has"),
                        "'" + map.text("has") + "' is no list such as nic:2,fpga:xilinx:1");
            }
        }
        return rules;
    }
}
