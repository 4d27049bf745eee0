package io.berth.submit;

import static io.berth.submit.Checks.invalid;

import io.berth.contracts.IndexSet;
import io.berth.contracts.MemoryRequest;
import io.berth.contracts.MemoryRequest.Per;
import io.berth.contracts.ResourceRequest;
import io.berth.contracts.event.ConfigEntry.Partition;

/// How much memory a partition lets a job have.
///
/// - Of a CPU (MaxMemPerCPU): a job that asks for more has more CPUs for it.
/// - Of a node (MaxMemPerNode): all of a node is no more than that; one that asks for more is
///   refused.
///
/// Source: slurm.conf(5), `MaxMemPerCPU`, `MaxMemPerNode`.
record PartitionMemory(Partition partition) {

    /// The request as the partition takes it.
    ///
    /// @throws Refused if it takes no such request
    ResourceRequest within(ResourceRequest asked) throws Refused {
        long ofNode = partition.partitionRules().ofNodes().maxMemoryMibPerNode();
        long ofCpu = partition.partitionRules().maxMemoryMibPerCpu();
        MemoryRequest memory =
                ofNode > 0 && asked.memory().wholeNode()
                        ? MemoryRequest.perNode(ofNode)
                        : asked.memory();
        int cpusPerTask = asked.cpusPerTask();
        if (ofCpu > 0 && !memory.wholeNode()) {
            int tasksOfNode = Math.ceilDiv(asked.tasks(), asked.nodes());
            cpusPerTask = enoughFor(memory, cpusPerTask, tasksOfNode, ofCpu);
            memory = atMost(memory, ofCpu);
        }
        ResourceRequest request;
        try {
            request = asked.with(memory, cpusPerTask);
        } catch (IllegalArgumentException e) {
            throw invalid(String.valueOf(e.getMessage()));
        }
        if (ofNode > 0 && request.memoryMibOn(0, 0) > ofNode) {
            throw invalid(
                    "Memory specification can not be satisfied: %d MiB on a node, and partition %s allows %d"
                            .formatted(request.memoryMibOn(0, 0), partition.name(), ofNode));
        }
        return request;
    }

    /// CPUs per task so that no CPU has more memory than the partition allows.
    private static int enoughFor(
            MemoryRequest memory, int cpusPerTask, int tasksOfNode, long mostMib) {
        long cpus =
                switch (memory.per()) {
                    case CPU -> cpusPerTask * Math.ceilDiv(memory.mib(), mostMib);
                    case NODE ->
                            Math.ceilDiv(Math.ceilDiv(memory.mib(), mostMib), (long) tasksOfNode);
                    case GPU -> cpusPerTask;
                };
        return Math.clamp(cpus, cpusPerTask, IndexSet.MAX_INDEX + 1);
    }

    /// The same memory, shared out among more CPUs.
    private static MemoryRequest atMost(MemoryRequest memory, long mostMib) {
        return memory.per() == Per.CPU
                ? MemoryRequest.perCpu(
                        Math.ceilDiv(memory.mib(), Math.ceilDiv(memory.mib(), mostMib)))
                : memory;
    }
}
