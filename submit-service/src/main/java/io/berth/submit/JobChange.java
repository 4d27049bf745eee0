package io.berth.submit;

import org.jspecify.annotations.Nullable;

/// What a job is to be from now on: the body of `POST /v1/jobs/{id}`. Null leaves a part as it is.
///
/// @param timeLimitSeconds 0 is unlimited
/// @param beginAt epoch milliseconds; 0 is at once
/// @param deadlineAt epoch milliseconds; 0 is none
/// @param dependency as `--dependency`; empty is none
/// @param constraint as `--constraint`; empty is none
/// @param nodeList as `--nodelist`; empty is none
/// @param excludedNodes as `--exclude`; empty is none
/// @param priority in points; 0 gives the job its own priority back
/// @param arrayThrottle the most tasks of the job's array that run at once; 0 is any number
/// @param siteFactor points that an operator adds to its priority
/// @param reservation whose nodes it uses; empty is none
/// @param minCpusPerNode CPUs that it has on each node at least; 1 does not ask
/// @param memoryMibPerNode 0 is all that a node has
/// @param gres what it has of each node, as `--gres`; empty is none
/// @param licenses as `--licenses`; empty is none
/// @param exclusive whether no other job runs on its nodes
/// @param switches as `--switches`; empty is none
/// @param timeMinSeconds as `--time-min`; 0 is none
/// @param topology as `--topology`; empty is none, and of switches too
/// @param prefer as `--prefer`; empty is none
public record JobChange(
        @Nullable String account,
        @Nullable String partition,
        @Nullable String qos,
        @Nullable String name,
        @Nullable String comment,
        @Nullable Long timeLimitSeconds,
        @Nullable Integer nice,
        @Nullable Integer siteFactor,
        @Nullable Boolean requeue,
        @Nullable Long priority,
        @Nullable Long beginAt,
        @Nullable Long deadlineAt,
        @Nullable String dependency,
        @Nullable Integer nodes,
        @Nullable String constraint,
        @Nullable String nodeList,
        @Nullable String excludedNodes,
        @Nullable Integer arrayThrottle,
        @Nullable String reservation,
        @Nullable Integer tasks,
        @Nullable Integer cpusPerTask,
        @Nullable Integer minCpusPerNode,
        @Nullable Long memoryMibPerNode,
        @Nullable Long memoryMibPerCpu,
        @Nullable String gres,
        @Nullable String licenses,
        @Nullable Boolean contiguous,
        @Nullable Boolean exclusive,
        @Nullable String switches,
        @Nullable Long timeMinSeconds,
        @Nullable String topology,
        @Nullable String prefer) {

    /// Only another priority.
    public static JobChange priority(long points) {
        return new JobChange(
                null, null, null, null, null, null, null, null, null, points, null, null, null,
                null, null, null, null, null, null, null, null, null, null, null, null, null, null,
                null, null, null, null, null);
    }
}
