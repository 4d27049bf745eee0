package io.berth.contracts;

import io.berth.contracts.MemoryRequest.Per;

/// What a job needs to run: nodes, tasks spread over them in blocks, and for each task or node its
/// CPUs, memory and GPUs.
public record ResourceRequest(
        int nodes, int tasks, int cpusPerTask, MemoryRequest memory, GpuRequest gpus) {

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
            case Per.GPU -> Math.multiplyExact(memory.mib(), (long) gpus.perNode());
        };
    }

    public int totalGpus() {
        return Math.multiplyExact(nodes, gpus.perNode());
    }

    public int totalCpus() {
        return Math.multiplyExact(tasks, cpusPerTask);
    }
}
