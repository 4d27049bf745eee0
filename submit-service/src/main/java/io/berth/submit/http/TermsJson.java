package io.berth.submit.http;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.berth.contracts.ArrayTask;
import io.berth.contracts.Dependency;
import io.berth.contracts.FeatureExpression;
import io.berth.contracts.HetComponent;
import io.berth.contracts.JobTerms;
import io.berth.contracts.NodeConstraints;
import io.berth.contracts.NodeName;
import io.berth.contracts.ResourceRequest;
import io.berth.contracts.Sharing;
import io.berth.contracts.SwitchLimit;
import io.berth.contracts.WarningSignal;
import io.berth.contracts.event.JobStatus.Planned;
import io.berth.slurm.HostList;
import io.berth.slurm.SignalText;
import io.berth.slurm.SwitchesText;
import io.berth.submit.Job;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// The terms of a job as they are answered, among its other fields. What does not apply is left
/// out.
///
/// @param arrayJob id of the array that the job is a task of
/// @param arrayThrottle the most tasks that run at once; left out for any number
/// @param hetJob id of the heterogeneous job of which the job is a component: that of its first
/// @param hetOffset its place among the components, from 0
/// @param hetSize how many components there are
/// @param hold `USER` or `ADMIN`
/// @param eligibleAt since when it waits for its turn; 0 if it may not start
/// @param prefer features that its nodes have rather, where it can start on such
/// @param requiredNodes as a host list, as `excludedNodes` and `plannedNodes`
/// @param exclusiveUser whether only jobs of the same user may be on its nodes
/// @param exclusiveTopo whether no other job may be in the blocks of its nodes
/// @param oversubscribe whether it may have its CPUs together with others, where its partition lets
///   them
/// @param contiguous whether its nodes must stand side by side by name
/// @param segment nodes of each of its segments, which lie in one block each
/// @param linked whether GPUs of a node must reach one another by NVLink
/// @param gpusPerJob GPUs that are spread over its nodes, where these have not all the same number
/// @param gpusPerTask GPUs of each of its tasks, where its nodes have not all the same number
/// @param gpuMemoryMib memory that each of its GPUs must have
/// @param gpusPerSocket GPUs that each of its sockets gives
/// @param tasksPerSocket its tasks on each socket at most
/// @param maxNodes the most nodes that it takes where they are free; left out if it takes no more
///   than it needs
/// @param minTmpMib temporary disk that each of its nodes must have
/// @param preemption whose place it takes: `never`, `lower`, `always`
/// @param siteFactor points that an operator added to its priority
/// @param maxWaitSeconds after which it ends if it has not started
/// @param plannedStart when it is expected to start at the latest, if nothing comes before it
/// @param topology the level of the network of which its nodes are in one domain: `rack@00:10:00`
@JsonInclude(JsonInclude.Include.NON_NULL)
record TermsJson(
        @Nullable Long arrayJob,
        @Nullable Integer arrayTask,
        @Nullable Integer arrayThrottle,
        @Nullable Long hetJob,
        @Nullable Integer hetOffset,
        @Nullable Integer hetSize,
        @Nullable String hold,
        @Nullable Long eligibleAt,
        @Nullable Long beginAt,
        @Nullable Long deadlineAt,
        @Nullable Long timeMinSeconds,
        @Nullable String dependency,
        @Nullable String constraint,
        @Nullable String prefer,
        @Nullable String requiredNodes,
        @Nullable String excludedNodes,
        @Nullable Boolean exclusive,
        @Nullable Boolean exclusiveUser,
        @Nullable Boolean exclusiveTopo,
        @Nullable Boolean oversubscribe,
        @Nullable String switches,
        @Nullable String reservation,
        @Nullable Boolean contiguous,
        @Nullable Integer segment,
        @Nullable Boolean linked,
        @Nullable Integer gpusPerJob,
        @Nullable Integer gpusPerTask,
        @Nullable Long gpuMemoryMib,
        @Nullable Integer gpusPerSocket,
        @Nullable Integer tasksPerSocket,
        @Nullable Integer threadsUsed,
        @Nullable Integer maxNodes,
        @Nullable Integer minCpusPerNode,
        @Nullable Long minTmpMib,
        @Nullable String licenses,
        @Nullable String warning,
        @Nullable String comment,
        @Nullable String preemption,
        @Nullable Integer siteFactor,
        @Nullable Long maxWaitSeconds,
        @Nullable Long plannedStart,
        @Nullable String plannedNodes,
        @Nullable String topology) {

    /// @param together whether it has its CPUs together with others, or may
    static TermsJson of(Job job, boolean together) {
        JobTerms terms = job.description().conditions();
        ResourceRequest request = job.description().request();
        NodeConstraints where = request.where();
        ArrayTask task = job.description().array();
        HetComponent het = job.description().het();
        Dependency dependency = terms.dependency();
        FeatureExpression features = where.features();
        Planned planned = job.planned();
        return new TermsJson(
                task == null ? null : task.array().value(),
                task == null ? null : task.task(),
                task == null || task.throttle() == 0 ? null : task.throttle(),
                het == null ? null : het.first().value(),
                het == null ? null : het.offset(job.id()),
                het == null ? null : het.size(),
                job.hold() == null ? null : job.hold().name(),
                job.eligibleAt(),
                terms.beginAt(),
                terms.deadlineAt(),
                terms.timeMinSeconds(),
                dependency == null ? null : dependency.toString(),
                features == null ? null : features.toString(),
                where.prefer() == null ? null : where.prefer().toString(),
                hosts(where.nodeList()),
                hosts(where.excluded()),
                where.sharing() == Sharing.NODE ? true : null,
                where.sharing() == Sharing.USER ? true : null,
                where.sharing() == Sharing.TOPOLOGY ? true : null,
                together ? true : null,
                switches(where.switches()),
                where.reservation(),
                where.contiguous(),
                where.segment(),
                where.linked(),
                request.gpus().total(),
                request.gpus().perTask(),
                request.gpus().minMemoryMib(),
                request.gpus().perSocket(),
                where.shape() == null ? null : where.shape().tasksPerSocket(),
                where.shape() == null ? null : where.shape().threadsUsed(),
                request.range() == null ? null : request.range().most(),
                request.minCpusPerNode(),
                where.shape() == null ? null : where.shape().tmpMib(),
                licenses(request.licensesHeld()),
                warning(terms.signal()),
                terms.comment(),
                terms.preemption() == null
                        ? null
                        : terms.preemption().name().toLowerCase(Locale.ROOT),
                terms.siteFactor(),
                terms.maxWaitSeconds(),
                planned == null ? null : planned.start(),
                planned == null ? null : hosts(planned.nodes()),
                topology(where.switches()));
    }

    private static @Nullable String hosts(List<NodeName> nodes) {
        return nodes.isEmpty()
                ? null
                : HostList.compress(nodes.stream().map(NodeName::value).toList());
    }

    private static @Nullable String switches(@Nullable SwitchLimit limit) {
        if (limit == null || limit.level() != null) {
            return null;
        }
        return limit.count()
                + (limit.maxWaitSeconds() == null ? "" : "@" + limit.maxWaitSeconds() + "s");
    }

    private static @Nullable String topology(@Nullable SwitchLimit limit) {
        return limit == null || limit.level() == null
                ? null
                : SwitchesText.within(limit.level(), limit.maxWaitSeconds());
    }

    private static @Nullable String licenses(Map<String, Integer> held) {
        return held.isEmpty()
                ? null
                : held.entrySet().stream()
                        .map(it -> it.getKey() + ":" + it.getValue())
                        .collect(Collectors.joining(","));
    }

    private static @Nullable String warning(@Nullable WarningSignal signal) {
        return signal == null
                ? null
                : (signal.batchOnly() ? "B:" : "")
                        + SignalText.name(signal.number())
                        + "@"
                        + signal.secondsBefore();
    }
}
