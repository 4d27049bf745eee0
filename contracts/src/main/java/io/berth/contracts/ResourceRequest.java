package io.berth.contracts;

import io.berth.contracts.MemoryRequest.Per;
import java.util.Collections;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// What a job needs to run: nodes, tasks spread over them in blocks, and for each task or node its
/// CPUs, memory and GPUs.
///
/// @param constraints which nodes will do; null is [NodeConstraints#NONE]
/// @param licenses how many of each the whole job holds; null is none
public record ResourceRequest(
        int nodes,
        int tasks,
        int cpusPerTask,
        MemoryRequest memory,
        GpuRequest gpus,
        @Nullable NodeConstraints constraints,
        @Nullable Map<String, Integer> licenses) {

    public ResourceRequest {
        if (nodes < 1 || tasks < nodes || cpusPerTask < 1) {
            throw new IllegalArgumentException(
                    tasks
                            + " tasks of "
                            + cpusPerTask
                            + " CPUs on "
                            + nodes
                            + " nodes: each must be at least 1, and a node needs a task");
        }
        if (gpus.share() != null && nodes > 1) {
            throw new IllegalArgumentException(
                    "a part of a GPU on " + nodes + " nodes: it is of one GPU of one node");
        }
        constraints = NodeConstraints.NONE.equals(constraints) ? null : constraints;
        licenses =
                licenses == null || licenses.isEmpty()
                        ? null
                        : Collections.unmodifiableMap(new TreeMap<>(licenses));
    }

    /// A request that needs no licenses.
    public ResourceRequest(
            int nodes,
            int tasks,
            int cpusPerTask,
            MemoryRequest memory,
            GpuRequest gpus,
            @Nullable NodeConstraints constraints) {
        this(nodes, tasks, cpusPerTask, memory, gpus, constraints, null);
    }

    /// A request that any nodes with room will do for.
    public ResourceRequest(
            int nodes, int tasks, int cpusPerTask, MemoryRequest memory, GpuRequest gpus) {
        this(nodes, tasks, cpusPerTask, memory, gpus, null, null);
    }

    /// Which nodes will do; never null.
    public NodeConstraints where() {
        return Objects.requireNonNullElse(constraints, NodeConstraints.NONE);
    }

    /// How many licenses of each name the whole job holds.
    public Map<String, Integer> licensesHeld() {
        return licenses == null ? Map.of() : licenses;
    }

    /// The same request, under any number of switches.
    public ResourceRequest underAnySwitches() {
        return new ResourceRequest(
                nodes, tasks, cpusPerTask, memory, gpus, where().underAnySwitches(), licenses);
    }

    /// Tasks on the node with this index (0 to `nodes - 1`): the first nodes take the remainder.
    public int tasksOn(int nodeIndex) {
        return tasks / nodes + (nodeIndex < tasks % nodes ? 1 : 0);
    }

    public int cpusOn(int nodeIndex) {
        return Math.multiplyExact(tasksOn(nodeIndex), cpusPerTask);
    }

    /// Memory on that node in MiB; `nodeMib`, all that the node has, when the request is for all.
    public long memoryMibOn(int nodeIndex, long nodeMib) {
        if (memory.wholeNode()) {
            return nodeMib;
        }
        return switch (memory.per()) {
            case Per.NODE -> memory.mib();
            case Per.CPU -> Math.multiplyExact(memory.mib(), (long) cpusOn(nodeIndex));
            case Per.GPU -> Math.multiplyExact(memory.mib(), (long) gpusOn(nodeIndex));
        };
    }

    /// GPUs on that node: by what it is given, by its tasks, or its even part of the total.
    public int gpusOn(int nodeIndex) {
        Integer perTask = gpus.perTask();
        if (perTask != null) {
            return Math.multiplyExact(perTask, tasksOn(nodeIndex));
        }
        Integer total = gpus.total();
        return total == null ? gpus.perNode() : total / nodes + (nodeIndex < total % nodes ? 1 : 0);
    }

    public int totalGpus() {
        Integer perTask = gpus.perTask();
        if (perTask != null) {
            return Math.multiplyExact(perTask, tasks);
        }
        Integer total = gpus.total();
        return total == null ? Math.multiplyExact(nodes, gpus.perNode()) : total;
    }

    public int totalCpus() {
        return Math.multiplyExact(tasks, cpusPerTask);
    }
}
