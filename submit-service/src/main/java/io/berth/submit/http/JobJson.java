package io.berth.submit.http;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.berth.contracts.Allocation;
import io.berth.contracts.ExitStatus;
import io.berth.contracts.Gpu;
import io.berth.contracts.Gres;
import io.berth.contracts.IndexSet;
import io.berth.contracts.Inventory;
import io.berth.contracts.JobDescription;
import io.berth.contracts.LaunchMode;
import io.berth.contracts.MemoryRequest;
import io.berth.contracts.ResourceRequest;
import io.berth.contracts.Sharing;
import io.berth.contracts.config.Configuration;
import io.berth.contracts.event.NodeStatus;
import io.berth.core.placement.VictimTerms;
import io.berth.slurm.GresText;
import io.berth.slurm.HostList;
import io.berth.submit.Job;
import io.berth.submit.Job.Attempt;
import io.berth.submit.Picture;
import io.berth.submit.Priority;
import java.util.BitSet;
import java.util.List;
import java.util.TreeMap;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/// A job as it is answered. Times are epoch milliseconds; what is not known is left out.
///
/// @param startedAt when it was placed: Slurm's StartTime
/// @param cpus total, as are `memoryMib` (0 while unknown) and `gpus`; those that it has, once it
///   is placed
/// @param memoryMibPerCpu if it asks for its memory by CPU; else left out
/// @param gpuTypes where it wants GPUs of several types, how many of each on every node, or of
///   `gpusPerTask` or `gpusPerJob`: `a100:2,v100:1`
/// @param gpuPart what it wants, or has, of a shared GPU
/// @param gres other resources of each of its nodes, as `--gres`: `nic:1`; left out if it wants
///   none
/// @param lowGpuUse where its run hardly uses its GPUs; left out if nowhere
/// @param lease number of the current run, else of the last; 0 before the first
/// @param suspendedAt since when it stands still
/// @param suspendedSeconds how long its run stood still in all; it counts for no limit
/// @param preemptEligibleAt from when on its run may have to give way to another job
/// @param preemptAt when its run is ended, to give way to another job
/// @param simulated whether GPUs that it has are declared and not there
/// @param launchPart only where one job is asked for
@Schema(name = "Job")
@JsonInclude(JsonInclude.Include.NON_NULL)
record JobJson(
        long id,
        String name,
        String user,
        String account,
        String partition,
        String qos,
        String cluster,
        String state,
        String stateCode,
        String reason,
        @Nullable String message,
        long priority,
        int nice,
        String submittedBy,
        long submittedAt,
        @Nullable Long startedAt,
        @Nullable Long endedAt,
        @Nullable Long suspendedAt,
        long suspendedSeconds,
        @Nullable Long preemptEligibleAt,
        @Nullable Long preemptAt,
        long timeLimitSeconds,
        int nodes,
        String nodeList,
        List<String> nodeNames,
        int tasks,
        int cpusPerTask,
        int cpus,
        long memoryMib,
        @Nullable Long memoryMibPerCpu,
        int gpus,
        int gpusPerNode,
        @Nullable String gpuType,
        @Nullable String gpuTypes,
        @Nullable GpuPartJson gpuPart,
        @Nullable String gres,
        @JsonInclude(JsonInclude.Include.NON_EMPTY) List<LowGpuUseJson> lowGpuUse,
        LaunchMode launch,
        boolean requeue,
        int restarts,
        int lease,
        int exitCode,
        int signal,
        String exit,
        @Nullable String cancelledBy,
        boolean simulated,
        List<AllocationJson> allocations,
        @Nullable Long billingRateMilli,
        @JsonUnwrapped TermsJson terms,
        @JsonUnwrapped @Nullable LaunchJson launchPart) {

    /// What the job has, or had, on one node.
    ///
    /// @param gpusOfTypes of each type, where it has several
    /// @param gres other resources than GPUs, with their device files
    @Schema(name = "Allocation")
    record AllocationJson(
            String node,
            int index,
            int tasks,
            String cpus,
            long memoryMib,
            List<String> gpus,
            String gpuIndices,
            @JsonInclude(JsonInclude.Include.NON_EMPTY) List<GpusOfTypeJson> gpusOfTypes,
            @JsonInclude(JsonInclude.Include.NON_EMPTY) List<Gres> gres) {}

    /// GPUs of one of several types that the job has on a node.
    @Schema(name = "GpusOfType")
    record GpusOfTypeJson(String type, int count, String indices) {}

    /// That the job's run hardly uses its GPUs on a node.
    ///
    /// @param percent the mean over the GPUs and the time until that was seen
    @Schema(name = "LowGpuUse")
    record LowGpuUseJson(String node, long since, int percent) {}

    static JobJson of(Job job, Picture picture, long now, @Nullable LaunchJson launchPart) {
        JobDescription asked = job.description();
        ResourceRequest request = asked.request();
        Attempt attempt = job.attempt();
        List<Allocation> allocations =
                attempt == null || job.pending() ? List.of() : attempt.allocations();
        List<String> names = allocations.stream().map(it -> it.node().value()).toList();
        ExitStatus exit = job.exit() == null ? ExitStatus.SUCCESS : job.exit();
        return new JobJson(
                job.id().value(),
                asked.name(),
                job.user(),
                asked.account(),
                String.join(",", job.partitions()),
                asked.qos(),
                picture.cluster(),
                job.state().name(),
                job.state().code(),
                job.reason().slurmName(),
                job.message(),
                Priority.of(job, picture.shares(), now).points(),
                asked.nice(),
                job.submittedBy(),
                job.submittedAt(),
                orNull(job.placedAt()),
                orNull(job.endedAt()),
                orNull(attempt == null ? 0 : attempt.suspendedAt()),
                job.placedAt() == 0 ? 0 : suspendedMillis(attempt, now) / 1000,
                attempt == null || !attempt.holding() ? null : eligibleAt(asked, attempt, picture),
                orNull(attempt == null ? 0 : attempt.preemptAt()),
                asked.timeLimitSeconds(),
                request.nodes(),
                HostList.compress(names),
                names,
                request.tasks(),
                request.cpusPerTask(),
                job.cpus(),
                memoryMib(request, allocations),
                request.memory().per() == MemoryRequest.Per.CPU ? request.memory().mib() : null,
                job.gpus(),
                request.gpus().perNode(),
                request.gpus().type(),
                request.gpus().byType().isEmpty() ? null : request.gpus().text(),
                GpuPartJson.of(request.gpus(), attempt, allocations),
                request.gres().isEmpty() ? null : GresText.text(request.gres()),
                attempt == null ? List.of() : lowGpuUse(attempt),
                asked.launch(),
                asked.requeue(),
                job.restarts(),
                attempt == null ? 0 : attempt.lease(),
                exit.code(),
                exit.signal(),
                exit.toString(),
                job.cancelledBy(),
                allocations.stream().anyMatch(it -> simulated(it, picture)),
                allocations.stream().map(it -> allocation(it, picture)).toList(),
                attempt == null || !attempt.holding() ? null : attempt.billingRate(),
                TermsJson.of(job, together(job, picture)),
                launchPart);
    }

    /// Whether it has its CPUs together with others, or may: by its partition, or as it asks.
    private static boolean together(Job job, Picture picture) {
        Sharing sharing = job.description().request().where().sharing();
        return sharing == Sharing.OVERSUBSCRIBE
                || (sharing != Sharing.NODE
                        && picture.configuration().map(Configuration::partitions).stream()
                                .flatMap(all -> job.partitions().stream().map(all::get))
                                .anyMatch(it ->
                                        it != null && it.partitionRules().ofNodes().forced()));
    }

    private static List<LowGpuUseJson> lowGpuUse(Attempt attempt) {
        return attempt.idle().stream()
                .map(it -> new LowGpuUseJson(it.node().value(), it.since(), it.percent()))
                .toList();
    }

    private static @Nullable Long eligibleAt(
            JobDescription asked, Attempt attempt, Picture picture) {
        Configuration configuration = picture.configuration().orElse(null);
        return configuration == null
                ? null
                : new VictimTerms(configuration).givesWayFrom(asked, attempt.placedAt());
    }

    private static long suspendedMillis(@Nullable Attempt attempt, long now) {
        if (attempt == null) {
            return 0;
        }
        long still = attempt.suspendedAt() == 0 ? 0 : Math.max(0, now - attempt.suspendedAt());
        return attempt.suspendedMillis() + still;
    }

    private static @Nullable Long orNull(long time) {
        return time == 0 ? null : time;
    }

    private static long memoryMib(ResourceRequest request, List<Allocation> allocations) {
        if (!allocations.isEmpty()) {
            return allocations.stream().mapToLong(Allocation::memoryMib).sum();
        }
        return switch (request.memory().per()) {
            case NODE -> request.memory().mib() * request.nodes();
            case CPU -> request.memory().mib() * request.totalCpus();
            case GPU -> request.memory().mib() * request.totalGpus();
        };
    }

    private static boolean simulated(Allocation allocation, Picture picture) {
        Inventory inventory = inventory(allocation, picture);
        return !allocation.gpus().isEmpty() && inventory != null && inventory.simulated();
    }

    private static @Nullable Inventory inventory(Allocation allocation, Picture picture) {
        NodeStatus node = picture.nodeStatus(allocation.node());
        return node == null ? null : node.seen().inventory();
    }

    private static AllocationJson allocation(Allocation it, Picture picture) {
        var byType = new TreeMap<String, BitSet>();
        var indices = new BitSet();
        Inventory inventory = inventory(it, picture);
        for (Gpu gpu : inventory == null ? List.<Gpu>of() : inventory.gpus()) {
            if (it.gpus().contains(gpu.uuid())) {
                indices.set(gpu.index());
                byType.computeIfAbsent(gpu.type(), _ -> new BitSet()).set(gpu.index());
            }
        }
        List<GpusOfTypeJson> ofTypes =
                byType.entrySet().stream()
                        .map(type ->
                                new GpusOfTypeJson(
                                        type.getKey(),
                                        type.getValue().cardinality(),
                                        IndexSet.of(type.getValue()).toString()))
                        .toList();
        return new AllocationJson(
                it.node().value(),
                it.index(),
                it.tasks(),
                it.cpus().toString(),
                it.memoryMib(),
                it.gpus(),
                IndexSet.of(indices).toString(),
                ofTypes.size() < 2 ? List.of() : ofTypes,
                it.gres());
    }
}
