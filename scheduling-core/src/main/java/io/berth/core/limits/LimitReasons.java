package io.berth.core.limits;

import io.berth.contracts.Limit;
import io.berth.contracts.Reason;
import io.berth.contracts.Tres;

/// The reason that a job shows when it meets a limit.
///
/// Source: "Job Reason Codes" of Slurm.
final class LimitReasons {

    private LimitReasons() {}

    /// @param resource that is limited, "" for a limit in jobs or minutes
    static Reason of(boolean ofQos, Limit limit, String resource) {
        return ofQos ? ofQos(limit, resource) : ofAssociation(limit, resource);
    }

    private static Reason ofAssociation(Limit limit, String resource) {
        return switch (limit) {
            case GRP_JOBS -> Reason.ASSOC_GRP_JOBS_LIMIT;
            case GRP_SUBMIT_JOBS -> Reason.ASSOC_GRP_SUBMIT_JOBS_LIMIT;
            case GRP_WALL -> Reason.ASSOC_GRP_WALL_LIMIT;
            case MAX_JOBS -> Reason.ASSOC_MAX_JOBS_LIMIT;
            case MAX_SUBMIT_JOBS -> Reason.ASSOC_MAX_SUBMIT_JOB_LIMIT;
            case MAX_WALL -> Reason.ASSOC_MAX_WALL_DURATION_PER_JOB_LIMIT;
            case GRP_TRES ->
                    pick(
                            resource,
                            Reason.ASSOC_GRP_CPU_LIMIT,
                            Reason.ASSOC_GRP_MEM_LIMIT,
                            Reason.ASSOC_GRP_NODE_LIMIT,
                            Reason.ASSOC_GRP_GRES,
                            Reason.ASSOC_GRP_BILLING);
            case GRP_TRES_MINS ->
                    pick(
                            resource,
                            Reason.ASSOC_GRP_CPU_MINUTES_LIMIT,
                            Reason.ASSOC_GRP_MEM_MINUTES,
                            Reason.ASSOC_GRP_NODE_MINUTES,
                            Reason.ASSOC_GRP_GRES_MINUTES,
                            Reason.ASSOC_GRP_BILLING_MINUTES);
            case GRP_TRES_RUN_MINS ->
                    pick(
                            resource,
                            Reason.ASSOC_GRP_CPU_RUN_MINUTES_LIMIT,
                            Reason.ASSOC_GRP_MEM_RUN_MINUTES,
                            Reason.ASSOC_GRP_NODE_RUN_MINUTES,
                            Reason.ASSOC_GRP_GRES_RUN_MINUTES,
                            Reason.ASSOC_GRP_BILLING_RUN_MINUTES);
            case MAX_TRES ->
                    pick(
                            resource,
                            Reason.ASSOC_MAX_CPU_PER_JOB_LIMIT,
                            Reason.ASSOC_MAX_MEM_PER_JOB,
                            Reason.ASSOC_MAX_NODE_PER_JOB_LIMIT,
                            Reason.ASSOC_MAX_GRES_PER_JOB,
                            Reason.ASSOC_MAX_BILLING_PER_JOB);
            case MAX_TRES_PER_NODE ->
                    pick(
                            resource,
                            Reason.ASSOC_MAX_CPU_PER_NODE,
                            Reason.ASSOC_MAX_MEM_PER_NODE,
                            Reason.ASSOC_MAX_NODE_PER_JOB_LIMIT,
                            Reason.ASSOC_MAX_GRES_PER_NODE,
                            Reason.ASSOC_MAX_BILLING_PER_NODE);
            case MAX_TRES_MINS ->
                    pick(
                            resource,
                            Reason.ASSOC_MAX_CPU_MINUTES_PER_JOB_LIMIT,
                            Reason.ASSOC_MAX_MEM_MINUTES_PER_JOB,
                            Reason.ASSOC_MAX_NODE_MINUTES_PER_JOB,
                            Reason.ASSOC_MAX_GRES_MINUTES_PER_JOB,
                            Reason.ASSOC_MAX_BILLING_MINUTES_PER_JOB);
            case MAX_JOBS_PER_ACCOUNT,
                    MAX_SUBMIT_JOBS_PER_ACCOUNT,
                    MAX_TRES_PER_USER,
                    MAX_TRES_PER_ACCOUNT,
                    MIN_TRES ->
                    throw new IllegalStateException(
                            "naming the limit " + limit + " of an association: only a QOS has it");
        };
    }

    private static Reason ofQos(Limit limit, String resource) {
        return switch (limit) {
            case GRP_JOBS -> Reason.QOS_GRP_JOBS_LIMIT;
            case GRP_SUBMIT_JOBS -> Reason.QOS_GRP_SUBMIT_JOBS_LIMIT;
            case GRP_WALL -> Reason.QOS_GRP_WALL_LIMIT;
            case MAX_JOBS -> Reason.QOS_MAX_JOBS_PER_USER_LIMIT;
            case MAX_SUBMIT_JOBS -> Reason.QOS_MAX_SUBMIT_JOB_PER_USER_LIMIT;
            case MAX_JOBS_PER_ACCOUNT -> Reason.MAX_JOBS_PER_ACCOUNT;
            case MAX_SUBMIT_JOBS_PER_ACCOUNT -> Reason.MAX_SUBMIT_JOBS_PER_ACCOUNT;
            case MAX_WALL -> Reason.QOS_MAX_WALL_DURATION_PER_JOB_LIMIT;
            case GRP_TRES ->
                    pick(
                            resource,
                            Reason.QOS_GRP_CPU_LIMIT,
                            Reason.QOS_GRP_MEM_LIMIT,
                            Reason.QOS_GRP_NODE_LIMIT,
                            Reason.QOS_GRP_GRES,
                            Reason.QOS_GRP_BILLING);
            case GRP_TRES_MINS ->
                    pick(
                            resource,
                            Reason.QOS_GRP_CPU_MINUTES_LIMIT,
                            Reason.QOS_GRP_MEMORY_MINUTES,
                            Reason.QOS_GRP_NODE_MINUTES,
                            Reason.QOS_GRP_GRES_MINUTES,
                            Reason.QOS_GRP_BILLING_MINUTES);
            case GRP_TRES_RUN_MINS ->
                    pick(
                            resource,
                            Reason.QOS_GRP_CPU_RUN_MINUTES_LIMIT,
                            Reason.QOS_GRP_MEMORY_RUN_MINUTES,
                            Reason.QOS_GRP_NODE_RUN_MINUTES,
                            Reason.QOS_GRP_GRES_RUN_MINUTES,
                            Reason.QOS_GRP_BILLING_RUN_MINUTES);
            case MAX_TRES ->
                    pick(
                            resource,
                            Reason.QOS_MAX_CPU_PER_JOB_LIMIT,
                            Reason.QOS_MAX_MEMORY_PER_JOB,
                            Reason.QOS_MAX_NODE_PER_JOB_LIMIT,
                            Reason.QOS_MAX_GRES_PER_JOB,
                            Reason.QOS_MAX_BILLING_PER_JOB);
            case MAX_TRES_PER_NODE ->
                    pick(
                            resource,
                            Reason.QOS_MAX_CPU_PER_NODE,
                            Reason.QOS_MAX_MEMORY_PER_NODE,
                            Reason.QOS_MAX_NODE_PER_JOB_LIMIT,
                            Reason.QOS_MAX_GRES_PER_NODE,
                            Reason.QOS_MAX_BILLING_PER_NODE);
            case MAX_TRES_MINS ->
                    pick(
                            resource,
                            Reason.QOS_MAX_CPU_MINUTES_PER_JOB_LIMIT,
                            Reason.QOS_MAX_MEMORY_MINUTES_PER_JOB,
                            Reason.QOS_MAX_NODE_MINUTES_PER_JOB,
                            Reason.QOS_MAX_GRES_MINUTES_PER_JOB,
                            Reason.QOS_MAX_BILLING_MINUTES_PER_JOB);
            case MAX_TRES_PER_USER ->
                    pick(
                            resource,
                            Reason.QOS_MAX_CPU_PER_USER_LIMIT,
                            Reason.QOS_MAX_MEMORY_PER_USER,
                            Reason.QOS_MAX_NODE_PER_USER_LIMIT,
                            Reason.QOS_MAX_GRES_PER_USER,
                            Reason.QOS_MAX_BILLING_PER_USER);
            case MAX_TRES_PER_ACCOUNT ->
                    pick(
                            resource,
                            Reason.MAX_CPU_PER_ACCOUNT,
                            Reason.MAX_MEMORY_PER_ACCOUNT,
                            Reason.MAX_NODE_PER_ACCOUNT,
                            Reason.MAX_GRES_PER_ACCOUNT,
                            Reason.MAX_BILLING_PER_ACCOUNT);
            case MIN_TRES ->
                    pick(
                            resource,
                            Reason.QOS_MIN_CPU_NOT_SATISFIED,
                            Reason.QOS_MIN_MEMORY,
                            Reason.QOS_MIN_NODE,
                            Reason.QOS_MIN_GRES,
                            Reason.QOS_MIN_BILLING);
        };
    }

    private static Reason pick(
            String resource, Reason cpu, Reason memory, Reason node, Reason gres, Reason billing) {
        return switch (resource) {
            case Tres.CPU -> cpu;
            case Tres.MEMORY -> memory;
            case Tres.NODE -> node;
            case Tres.BILLING -> billing;
            default -> gres;
        };
    }
}
