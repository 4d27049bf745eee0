package io.berth.placement;

import io.berth.contracts.Allocation;
import io.berth.contracts.GpuShare;
import io.berth.contracts.Inventory;
import io.berth.contracts.event.JobStatus;
import io.berth.contracts.event.NodeStatus;
import io.berth.core.state.CellState;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// Which part of a cell's resources the jobs of each partition hold, from 0 to 1.
final class Utilization {

    private Utilization() {}

    /// By resource type (`cpu`, `memory`, `gpu`) and partition. Partitions without jobs that hold
    /// anything, and resources that the cell does not have, are left out.
    static Map<List<String>, Double> of(CellState state) {
        var held = new HashMap<List<String>, Long>();
        state.holding()
                .forEach(id -> {
                    JobStatus job = state.knownJob(id);
                    JobStatus.Run run = job.run();
                    if (run != null) {
                        String queue = job.description().partition();
                        run.held().forEach(it -> add(held, it, queue));
                    }
                });
        Map<String, Long> all = capacity(state);
        var parts = new HashMap<List<String>, Double>();
        held.forEach((key, amount) -> {
            long of = all.getOrDefault(key.getFirst(), 0L);
            if (of > 0) {
                parts.put(key, (double) amount / of);
            }
        });
        return parts;
    }

    private static void add(Map<List<String>, Long> held, Allocation allocation, String queue) {
        held.merge(List.of("cpu", queue), (long) allocation.cpus().size(), Long::sum);
        held.merge(List.of("memory", queue), allocation.memoryMib(), Long::sum);
        held.merge(List.of("gpu", queue), allocation.gpuUnits(), Long::sum);
    }

    private static Map<String, Long> capacity(CellState state) {
        var all = new HashMap<String, Long>();
        for (NodeStatus node : state.nodes()) {
            Inventory inventory = node.seen().inventory();
            all.merge("cpu", (long) inventory.cpus(), Long::sum);
            all.merge("memory", inventory.memoryMib(), Long::sum);
            all.merge("gpu", (long) GpuShare.WHOLE * inventory.gpus().size(), Long::sum);
        }
        return all;
    }
}
