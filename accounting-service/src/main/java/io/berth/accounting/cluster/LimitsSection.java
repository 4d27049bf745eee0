package io.berth.accounting.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import io.berth.contracts.Limit;
import io.berth.contracts.Limits;
import io.berth.contracts.Tres;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/// Limits as a cluster file writes them: by Slurm's names, a number, a time, or amounts of
/// resources as a map or as a text such as `gres/gpu=8,cpu=64`.
final class LimitsSection {

    private static final Set<Limit> OF_ONE_JOB =
            Set.of(Limit.MAX_WALL, Limit.MAX_TRES, Limit.MAX_TRES_PER_NODE, Limit.MAX_TRES_MINS);

    private LimitsSection() {}

    /// @param ofQos whether limits that only a QOS may have are allowed
    static Limits of(YamlMap map, boolean ofQos) throws InvalidClusterFile {
        Map<Limit, Long> counts = new TreeMap<>();
        Map<Limit, Map<String, Long>> tres = new TreeMap<>();
        for (String key : map.keys()) {
            Limit limit = limit(map, key, ofQos);
            if (!map.has(key)) {
                continue;
            }
            switch (limit.unit()) {
                case COUNT -> counts.put(limit, (long) map.number(key, 0));
                case MINUTES -> minutes(map, key).ifPresent(it -> counts.put(limit, it));
                case TRES -> tres.put(limit, amounts(map, key, limit));
            }
        }
        return new Limits(counts, tres);
    }

    /// The limits of an account or a user in one partition: those of a single job. Sums are not
    /// kept by partition.
    static Limits ofPartition(YamlMap map) throws InvalidClusterFile {
        Limits limits = of(map, false);
        for (String key : map.keys()) {
            if (!OF_ONE_JOB.contains(Limit.find(key).orElseThrow())) {
                throw new InvalidClusterFile(map.place(key), "is not enforced for a partition yet");
            }
        }
        return limits;
    }

    private static Limit limit(YamlMap map, String key, boolean ofQos) throws InvalidClusterFile {
        Limit limit =
                Limit.find(key)
                        .orElseThrow(() ->
                                new InvalidClusterFile(
                                        map.place(key),
                                        "is no limit; known are such as MaxJobs, MaxWall, MaxTRESPerUser, GrpTRES"));
        if (limit.ofQosOnly() && !ofQos) {
            throw new InvalidClusterFile(map.place(key), "is a limit that only a QOS may have");
        }
        return limit;
    }

    private static Optional<Long> minutes(YamlMap map, String key) throws InvalidClusterFile {
        long seconds = map.seconds(key, 0);
        return seconds == 0 ? Optional.empty() : Optional.of(seconds / 60);
    }

    private static Map<String, Long> amounts(YamlMap map, String key, Limit limit)
            throws InvalidClusterFile {
        Map<String, Long> amounts = amounts(map, key);
        for (String resource : amounts.keySet()) {
            if (limit == Limit.GRP_TRES_MINS && Tres.ofParts(resource)) {
                throw new InvalidClusterFile(
                        map.place(key),
                        resource + " is not summed up alone; gres/gpu has the parts of GPUs in it");
            }
            if (limit == Limit.GRP_TRES_MINS && Tres.ofGres(resource)) {
                throw new InvalidClusterFile(
                        map.place(key), resource + " is not summed up over ended runs");
            }
        }
        return amounts;
    }

    /// Amounts of resources under that key.
    static Map<String, Long> amounts(YamlMap map, String key) throws InvalidClusterFile {
        JsonNode value = map.at(key);
        try {
            if (!value.isObject()) {
                return Tres.parse(value.asText());
            }
            Map<String, Long> amounts = new TreeMap<>();
            YamlMap byName = map.map(key);
            for (String name : byName.keys()) {
                amounts.putAll(Tres.parse(name + "=" + byName.at(name).asText()));
            }
            return amounts;
        } catch (IllegalArgumentException e) {
            throw new InvalidClusterFile(map.place(key), String.valueOf(e.getMessage()));
        }
    }
}
