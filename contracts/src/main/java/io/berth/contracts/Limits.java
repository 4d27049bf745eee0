package io.berth.contracts;

import java.util.Collections;
import java.util.Map;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;

/// The limits of one association or QOS. What is not in it is not limited here.
///
/// @param counts limits in jobs and in minutes
/// @param tres limits by resource: for each limit the amount of each trackable resource, named as
///   [Tres] names them
public record Limits(Map<Limit, Long> counts, Map<Limit, Map<String, Long>> tres) {

    public static final Limits NONE = new Limits(Map.of(), Map.of());

    public Limits {
        counts = Collections.unmodifiableSortedMap(new TreeMap<>(counts));
        SortedMap<Limit, Map<String, Long>> copy = new TreeMap<>();
        tres.forEach((limit, amounts) ->
                copy.put(limit, Collections.unmodifiableSortedMap(new TreeMap<>(amounts))));
        tres = Collections.unmodifiableSortedMap(copy);
    }

    public boolean none() {
        return counts.isEmpty() && tres.isEmpty();
    }

    /// A limit in jobs or minutes.
    public OptionalLong count(Limit limit) {
        Long value = counts.get(limit);
        return value == null ? OptionalLong.empty() : OptionalLong.of(value);
    }

    /// A limit by resource; empty if there is none.
    public Map<String, Long> amounts(Limit limit) {
        return tres.getOrDefault(limit, Map.of());
    }

    /// These limits, and those of `above` where there is none here: how a user has the `Max…`
    /// limits of his account.
    public Limits orElse(Limits above) {
        var mergedCounts = new TreeMap<>(above.counts);
        mergedCounts.putAll(counts);
        var mergedTres = new TreeMap<>(above.tres);
        tres.forEach((limit, amounts) -> {
            var merged = new TreeMap<>(above.amounts(limit));
            merged.putAll(amounts);
            mergedTres.put(limit, merged);
        });
        return new Limits(mergedCounts, mergedTres);
    }
}
