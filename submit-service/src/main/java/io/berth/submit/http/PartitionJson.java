package io.berth.submit.http;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonInclude.Include;
import com.fasterxml.jackson.annotation.JsonProperty;
import io.berth.contracts.PreemptMode;
import io.berth.contracts.event.ConfigEntry.Partition;
import io.berth.contracts.event.NodeSeen;
import io.berth.contracts.event.PartitionRules;
import io.berth.core.placement.VictimTerms;
import io.berth.submit.PartitionNodes;
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/// A partition as it is answered.
///
/// @param maxTimeSeconds 0 is unlimited, as in `maxNodes`
/// @param preemptMode what becomes of its jobs when others take their place, unless they have GPUs
/// @param graceSeconds between their notice and their end
/// @param hidden whether listings leave it out unless asked for all
/// @param reservedOnly whether its jobs must name a reservation
/// @param defaultMemoryMibPerNode of jobs that ask for none; 0 is nothing of its own
/// @param maxMemoryMibPerNode that a job may ask for; 0 is unlimited
/// @param overTimeSeconds for which a run may go on beyond its limit
/// @param leastLoaded whether jobs go to the nodes with the most free CPUs
/// @param allocNodes hosts that jobs may be submitted from; `ALL` alone is any
/// @param rootOnly whether only operators may submit to it
/// @param minNodes of a job
/// @param maxCpusPerNode CPUs of a node that all its jobs have together; 0 is unlimited
/// @param maxCpusPerSocket the same of each socket of a node; 0 is unlimited
/// @param exclusiveUser whether a node of one of its jobs is for that job's user alone
/// @param exclusiveTopo whether each of its jobs has the blocks of its nodes to itself
/// @param exclusive whether each of its jobs has its nodes to itself
/// @param overSubscribe which of its jobs have their CPUs together, and how many on one: `FORCE:4`,
///   `YES:2`; absent where none do
/// @param defaultCpusPerGpu of jobs with GPUs that ask for no CPUs per task; 0 is nothing of its
///   own
/// @param defaultMemoryMibPerGpu of jobs with GPUs that ask for no memory; 0 is nothing of its own
/// @param disableRootJobs whether jobs of user `root` are kept out of it
/// @param allowGroups of whose members it takes jobs; empty is all
/// @param allowAccounts whose jobs it takes, with those below them, as `allowQos`; empty is all
/// @param denyAccounts whose jobs it does not take, where `allowAccounts` is empty, as `denyQos`
/// @param qos whose limits hold for all its jobs; absent is none
/// @param defaultMemoryMibPerCpu of jobs that ask for none; 0 is nothing of its own
/// @param maxMemoryMibPerCpu above which a job gets more CPUs; 0 is unlimited
/// @param nodes those configured; where that is all, those registered
/// @param totalCpus of the registered nodes, as `totalGpus`
@Schema(name = "Partition")
record PartitionJson(
        String name,
        @JsonProperty("default") boolean isDefault,
        String state,
        long maxTimeSeconds,
        long defaultTimeSeconds,
        int maxNodes,
        int tier,
        int jobFactor,
        PreemptMode preemptMode,
        long graceSeconds,
        boolean hidden,
        boolean reservedOnly,
        long defaultMemoryMibPerNode,
        long maxMemoryMibPerNode,
        long overTimeSeconds,
        boolean leastLoaded,
        List<String> allocNodes,
        boolean rootOnly,
        int minNodes,
        int maxCpusPerNode,
        int maxCpusPerSocket,
        boolean exclusiveUser,
        boolean exclusiveTopo,
        boolean exclusive,
        @JsonInclude(Include.NON_NULL) @Nullable String overSubscribe,
        int defaultCpusPerGpu,
        long defaultMemoryMibPerGpu,
        boolean disableRootJobs,
        List<String> allowGroups,
        List<String> allowAccounts,
        List<String> denyAccounts,
        List<String> allowQos,
        List<String> denyQos,
        @JsonInclude(Include.NON_NULL) @Nullable String qos,
        long defaultMemoryMibPerCpu,
        long maxMemoryMibPerCpu,
        List<String> nodes,
        int totalCpus,
        int totalNodes,
        int totalGpus) {
    static PartitionJson of(Partition partition, VictimTerms terms, List<NodeSeen> registrations) {
        List<NodeSeen> there =
                registrations.stream()
                        .filter(node -> PartitionNodes.has(partition, node.node()))
                        .toList();
        List<String> names =
                PartitionNodes.isAll(partition)
                        ? there.stream().map(node -> node.node().value()).toList()
                        : partition.nodes();
        PartitionRules rules = partition.partitionRules();
        PartitionRules.Use use = rules.ofNodes();
        return new PartitionJson(
                partition.name(),
                partition.isDefault(),
                rules.state().name(),
                partition.maxTimeSeconds(),
                partition.defaultTimeSeconds(),
                partition.maxNodes(),
                partition.tier(),
                partition.jobFactor(),
                terms.own(partition.name()),
                rules.graceSeconds(),
                rules.hidden(),
                rules.reserved(),
                use.defaultMemoryMibPerNode(),
                use.maxMemoryMibPerNode(),
                use.overTimeSeconds(),
                use.leastLoaded(),
                use.allocNodes(),
                use.rootOnly(),
                rules.minNodes(),
                rules.maxCpusPerNode(),
                use.mostCpusOnSocket(),
                use.ofOneUser(),
                use.ofOneJobEachBlock(),
                use.ofOneJob(),
                use.overSubscribe() == null ? null : use.overSubscribe().text(),
                use.gpuDefaults().cpusPerGpu(),
                use.gpuDefaults().memoryMibPerGpu(),
                !use.admitsUser("root"),
                use.allowGroups(),
                rules.allowAccounts(),
                rules.denyAccounts(),
                rules.allowQos(),
                rules.denyQos(),
                rules.qos(),
                partition.defMemoryMibPerCpu(),
                rules.maxMemoryMibPerCpu(),
                names,
                there.stream().mapToInt(node -> node.inventory().cpus()).sum(),
                names.size(),
                there.stream().mapToInt(node -> node.inventory().gpus().size()).sum());
    }
}
