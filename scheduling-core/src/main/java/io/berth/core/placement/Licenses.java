package io.berth.core.placement;

import io.berth.contracts.ResourceRequest;
import io.berth.contracts.event.ConfigEntry.License;
import java.util.Collection;
import java.util.List;
import java.util.Map;

/// The cluster's licenses as the engine's pools.
final class Licenses {

    private static final int[] NONE = {};

    private final List<License> all;

    Licenses(Collection<License> all) {
        this.all = List.copyOf(all);
    }

    /// How many there are of each.
    int[] totals() {
        return all.stream().mapToInt(License::count).toArray();
    }

    /// How many of each a request's job holds; empty if it wants none that there are.
    int[] counts(ResourceRequest request) {
        Map<String, Integer> held = request.licensesHeld();
        return held.isEmpty()
                ? NONE
                : all.stream().mapToInt(it -> held.getOrDefault(it.name(), 0)).toArray();
    }

    /// Whether the cluster has as many as a request wants, were all of them free.
    boolean cover(ResourceRequest request) {
        return request.licensesHeld().entrySet().stream()
                .allMatch(wanted ->
                        all.stream()
                                .anyMatch(it ->
                                        it.name().equals(wanted.getKey())
                                                && it.count() >= wanted.getValue()));
    }
}
