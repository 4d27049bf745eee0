package io.berth.accounting.cluster;

import io.berth.contracts.GpuShare;
import io.berth.contracts.GpuSharing;
import io.berth.contracts.IndexSet;
import io.berth.contracts.SharedGpus;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The GPUs of a cluster file that are given out in parts.
final class SharedGpusSection {

    private SharedGpusSection() {}

    static List<SharedGpus> of(YamlMap all) throws InvalidClusterFile {
        var rules = new ArrayList<SharedGpus>();
        Set<String> known = new HashSet<>();
        for (String name : all.names()) {
            YamlMap map = all.map(name);
            map.only("nodes", "gpus", "sharing", "parts");
            List<String> nodes = NodeLists.ofOneRule(map, known, "shared GPUs");
            GpuSharing sharing = map.choice("sharing", GpuSharing.MPS);
            rules.add(new SharedGpus(nodes, gpus(map), sharing, parts(map, sharing)));
        }
        return rules;
    }

    static @Nullable IndexSet gpus(YamlMap map) throws InvalidClusterFile {
        String text = map.text("gpus");
        try {
            return text == null ? null : IndexSet.parse(text);
        } catch (IllegalArgumentException e) {
            throw new InvalidClusterFile(map.place("gpus"), String.valueOf(e.getMessage()));
        }
    }

    private static int parts(YamlMap map, GpuSharing sharing) throws InvalidClusterFile {
        if (sharing == GpuSharing.MPS && map.has("parts")) {
            throw new InvalidClusterFile(
                    map.place("parts"), "is given only with sharing: shard; MPS has hundredths");
        }
        if (sharing == GpuSharing.MPS) {
            return GpuSharing.THOUSANDTHS;
        }
        int parts = map.number("parts", 0);
        if (parts < 2 || parts > GpuShare.MOST_SHARDS) {
            throw new InvalidClusterFile(
                    map.place("parts"),
                    "must be 2 to " + GpuShare.MOST_SHARDS + ": into how many each GPU is shared");
        }
        return parts;
    }
}
