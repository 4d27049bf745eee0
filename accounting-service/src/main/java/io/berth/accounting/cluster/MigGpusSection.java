package io.berth.accounting.cluster;

import io.berth.contracts.GpuRequest;
import io.berth.contracts.MigGpus;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The GPUs of a cluster file that are divided anew by MIG.
final class MigGpusSection {

    private MigGpusSection() {}

    static List<MigGpus> of(YamlMap all) throws InvalidClusterFile {
        var rules = new ArrayList<MigGpus>();
        Set<String> known = new HashSet<>();
        for (String name : all.names()) {
            YamlMap map = all.map(name);
            map.only("nodes", "gpus", "profiles", "costSeconds", "holdSeconds");
            rules.add(
                    new MigGpus(
                            NodeLists.ofOneRule(map, known, "GPUs in MIG mode"),
                            SharedGpusSection.gpus(map),
                            profiles(map),
                            map.number("costSeconds", (int) MigGpus.DEFAULT_COST_SECONDS),
                            map.number("holdSeconds", (int) MigGpus.DEFAULT_HOLD_SECONDS)));
        }
        return rules;
    }

    private static @Nullable List<String> profiles(YamlMap map) throws InvalidClusterFile {
        if (!map.has("profiles")) {
            return null;
        }
        List<String> profiles = map.texts("profiles");
        for (String profile : profiles) {
            if (!GpuRequest.isProfile(profile)) {
                throw new InvalidClusterFile(
                        map.place("profiles"), "'" + profile + "' is no profile such as 1g.10gb");
            }
        }
        return profiles;
    }
}
