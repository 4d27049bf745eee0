package io.berth.core.priority;

import io.berth.contracts.Gpu;
import io.berth.contracts.Inventory;
import io.berth.contracts.Tres;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;

/// What a cell has in all, whether it is up or down: the measure of a job's size.
///
/// @param tres all that is counted, named as [Tres] names it; memory in MiB
public record ClusterSize(Map<String, Long> tres) {

    /// Before any node was seen.
    public static final ClusterSize UNKNOWN = new ClusterSize(Map.of());

    public ClusterSize {
        tres = Collections.unmodifiableSortedMap(new TreeMap<>(tres));
    }

    /// Of nodes and CPUs alone.
    public ClusterSize(int nodes, long cpus) {
        this(Map.of(Tres.NODE, (long) nodes, Tres.CPU, cpus));
    }

    /// Of one node.
    public static ClusterSize of(Inventory inventory) {
        Map<String, Long> tres = new TreeMap<>();
        tres.put(Tres.NODE, 1L);
        tres.put(Tres.CPU, (long) inventory.cpus());
        tres.put(Tres.MEMORY, inventory.memoryMib());
        for (Gpu gpu : inventory.gpus()) {
            tres.merge(Tres.GPU, 1L, Long::sum);
            tres.merge(Tres.gpu(gpu.type()), 1L, Long::sum);
        }
        return new ClusterSize(tres);
    }

    public ClusterSize plus(ClusterSize other) {
        Map<String, Long> sum = new TreeMap<>(tres);
        other.tres.forEach((name, amount) -> sum.merge(name, amount, Long::sum));
        return new ClusterSize(sum);
    }

    public long nodes() {
        return of(Tres.NODE);
    }

    public long cpus() {
        return of(Tres.CPU);
    }

    /// How much of it there is; 0 of what is not counted.
    public long of(String resource) {
        return tres.getOrDefault(resource, 0L);
    }
}
