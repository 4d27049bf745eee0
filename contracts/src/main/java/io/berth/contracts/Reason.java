package io.berth.contracts;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;

/// Why a job is in its state, by Slurm's names.
///
/// Source: squeue(1), "JOB REASON CODES".
public enum Reason {
    NONE("None"),
    /// The job is the first in its partition and waits for resources to come free.
    RESOURCES("Resources"),
    /// A job ahead of it in the partition waits for resources.
    PRIORITY("Priority"),
    /// Its owner holds it.
    JOB_HELD_USER("JobHeldUser"),
    /// An operator holds it.
    JOB_HELD_ADMIN("JobHeldAdmin"),
    /// The time at which it may begin has not come.
    BEGIN_TIME("BeginTime"),
    /// A job that it depends on has not come so far.
    DEPENDENCY("Dependency"),
    /// What it depends on can never happen any more.
    DEPENDENCY_NEVER_SATISFIED("DependencyNeverSatisfied"),
    /// As many tasks of its array run as may at once.
    JOB_ARRAY_TASK_LIMIT("JobArrayTaskLimit"),
    /// Its reservation has not begun, or is not there.
    RESERVATION("Reservation"),
    /// Licenses that it needs are in use.
    LICENSES("Licenses"),
    /// It could not have ended by its deadline.
    DEADLINE("DeadLine"),
    /// No registered node of the partition could ever hold the job.
    BAD_CONSTRAINTS("BadConstraints"),
    /// Nodes that could hold the job are down or silent.
    REQ_NODE_NOT_AVAIL("ReqNodeNotAvail"),
    /// Maintenance keeps nodes that it needs before it could have ended.
    RESERVED_FOR_MAINTENANCE("ReqNodeNotAvail, Reserved for maintenance"),
    /// A reservation keeps nodes that it needs before it could have ended.
    RESERVED_FOR_OTHERS("ReqNodeNotAvail, May be reserved for other job"),
    /// The time limit is above the partition's.
    PARTITION_TIME_LIMIT("PartitionTimeLimit"),
    /// More nodes than the partition allows.
    PARTITION_NODE_LIMIT("PartitionNodeLimit"),
    /// The partition is not configured, or not any more.
    PARTITION_CONFIG("PartitionConfig"),
    /// The partition starts no jobs.
    PARTITION_DOWN("PartitionDown"),
    /// The partition takes no jobs and starts none.
    PARTITION_INACTIVE("PartitionInactive"),
    /// The partition does not let the job's account in.
    ACCOUNT_NOT_ALLOWED("AccountNotAllowed"),
    /// The partition or the association does not let the job's QOS in.
    QOS_NOT_ALLOWED("QOSNotAllowed"),
    /// The job runs on a node that is down; whether it still runs is not known.
    NODE_DOWN("NodeDown"),
    NON_ZERO_EXIT_CODE("NonZeroExitCode"),
    RAISED_SIGNAL("RaisedSignal"),
    JOB_LAUNCH_FAILURE("JobLaunchFailure"),
    TIME_LIMIT("TimeLimit"),
    OUT_OF_MEMORY("OutOfMemory"),

    // Limits of associations and QOS; core.limits chooses among them by limit and resource.
    ASSOC_GRP_BILLING("AssocGrpBilling"),
    ASSOC_GRP_BILLING_MINUTES("AssocGrpBillingMinutes"),
    ASSOC_GRP_BILLING_RUN_MINUTES("AssocGrpBillingRunMinutes"),
    ASSOC_GRP_CPU_LIMIT("AssocGrpCpuLimit"),
    ASSOC_GRP_CPU_MINUTES_LIMIT("AssocGrpCPUMinutesLimit"),
    ASSOC_GRP_CPU_RUN_MINUTES_LIMIT("AssocGrpCPURunMinutesLimit"),
    ASSOC_GRP_GRES("AssocGrpGRES"),
    ASSOC_GRP_GRES_MINUTES("AssocGrpGRESMinutes"),
    ASSOC_GRP_GRES_RUN_MINUTES("AssocGrpGRESRunMinutes"),
    ASSOC_GRP_JOBS_LIMIT("AssocGrpJobsLimit"),
    ASSOC_GRP_MEM_LIMIT("AssocGrpMemLimit"),
    ASSOC_GRP_MEM_MINUTES("AssocGrpMemMinutes"),
    ASSOC_GRP_MEM_RUN_MINUTES("AssocGrpMemRunMinutes"),
    ASSOC_GRP_NODE_LIMIT("AssocGrpNodeLimit"),
    ASSOC_GRP_NODE_MINUTES("AssocGrpNodeMinutes"),
    ASSOC_GRP_NODE_RUN_MINUTES("AssocGrpNodeRunMinutes"),
    ASSOC_GRP_SUBMIT_JOBS_LIMIT("AssocGrpSubmitJobsLimit"),
    ASSOC_GRP_WALL_LIMIT("AssocGrpWallLimit"),
    ASSOC_MAX_BILLING_MINUTES_PER_JOB("AssocMaxBillingMinutesPerJob"),
    ASSOC_MAX_BILLING_PER_JOB("AssocMaxBillingPerJob"),
    ASSOC_MAX_BILLING_PER_NODE("AssocMaxBillingPerNode"),
    ASSOC_MAX_CPU_MINUTES_PER_JOB_LIMIT("AssocMaxCpuMinutesPerJobLimit"),
    ASSOC_MAX_CPU_PER_JOB_LIMIT("AssocMaxCpuPerJobLimit"),
    ASSOC_MAX_CPU_PER_NODE("AssocMaxCpuPerNode"),
    ASSOC_MAX_GRES_MINUTES_PER_JOB("AssocMaxGRESMinutesPerJob"),
    ASSOC_MAX_GRES_PER_JOB("AssocMaxGRESPerJob"),
    ASSOC_MAX_GRES_PER_NODE("AssocMaxGRESPerNode"),
    ASSOC_MAX_JOBS_LIMIT("AssocMaxJobsLimit"),
    ASSOC_MAX_MEM_MINUTES_PER_JOB("AssocMaxMemMinutesPerJob"),
    ASSOC_MAX_MEM_PER_JOB("AssocMaxMemPerJob"),
    ASSOC_MAX_MEM_PER_NODE("AssocMaxMemPerNode"),
    ASSOC_MAX_NODE_MINUTES_PER_JOB("AssocMaxNodeMinutesPerJob"),
    ASSOC_MAX_NODE_PER_JOB_LIMIT("AssocMaxNodePerJobLimit"),
    ASSOC_MAX_SUBMIT_JOB_LIMIT("AssocMaxSubmitJobLimit"),
    ASSOC_MAX_WALL_DURATION_PER_JOB_LIMIT("AssocMaxWallDurationPerJobLimit"),
    QOS_GRP_BILLING("QOSGrpBilling"),
    QOS_GRP_BILLING_MINUTES("QOSGrpBillingMinutes"),
    QOS_GRP_BILLING_RUN_MINUTES("QOSGrpBillingRunMinutes"),
    QOS_GRP_CPU_LIMIT("QOSGrpCpuLimit"),
    QOS_GRP_CPU_MINUTES_LIMIT("QOSGrpCPUMinutesLimit"),
    QOS_GRP_CPU_RUN_MINUTES_LIMIT("QOSGrpCPURunMinutesLimit"),
    QOS_GRP_GRES("QOSGrpGRES"),
    QOS_GRP_GRES_MINUTES("QOSGrpGRESMinutes"),
    QOS_GRP_GRES_RUN_MINUTES("QOSGrpGRESRunMinutes"),
    QOS_GRP_JOBS_LIMIT("QOSGrpJobsLimit"),
    QOS_GRP_MEM_LIMIT("QOSGrpMemLimit"),
    QOS_GRP_MEMORY_MINUTES("QOSGrpMemoryMinutes"),
    QOS_GRP_MEMORY_RUN_MINUTES("QOSGrpMemoryRunMinutes"),
    QOS_GRP_NODE_LIMIT("QOSGrpNodeLimit"),
    QOS_GRP_NODE_MINUTES("QOSGrpNodeMinutes"),
    QOS_GRP_NODE_RUN_MINUTES("QOSGrpNodeRunMinutes"),
    QOS_GRP_SUBMIT_JOBS_LIMIT("QOSGrpSubmitJobsLimit"),
    QOS_GRP_WALL_LIMIT("QOSGrpWallLimit"),
    QOS_MAX_BILLING_MINUTES_PER_JOB("QOSMaxBillingMinutesPerJob"),
    QOS_MAX_BILLING_PER_JOB("QOSMaxBillingPerJob"),
    QOS_MAX_BILLING_PER_NODE("QOSMaxBillingPerNode"),
    QOS_MAX_BILLING_PER_USER("QOSMaxBillingPerUser"),
    QOS_MAX_CPU_MINUTES_PER_JOB_LIMIT("QOSMaxCpuMinutesPerJobLimit"),
    QOS_MAX_CPU_PER_JOB_LIMIT("QOSMaxCpuPerJobLimit"),
    QOS_MAX_CPU_PER_NODE("QOSMaxCpuPerNode"),
    QOS_MAX_CPU_PER_USER_LIMIT("QOSMaxCpuPerUserLimit"),
    QOS_MAX_GRES_MINUTES_PER_JOB("QOSMaxGRESMinutesPerJob"),
    QOS_MAX_GRES_PER_JOB("QOSMaxGRESPerJob"),
    QOS_MAX_GRES_PER_NODE("QOSMaxGRESPerNode"),
    QOS_MAX_GRES_PER_USER("QOSMaxGRESPerUser"),
    QOS_MAX_JOBS_PER_USER_LIMIT("QOSMaxJobsPerUserLimit"),
    QOS_MAX_MEMORY_MINUTES_PER_JOB("QOSMaxMemoryMinutesPerJob"),
    QOS_MAX_MEMORY_PER_JOB("QOSMaxMemoryPerJob"),
    QOS_MAX_MEMORY_PER_NODE("QOSMaxMemoryPerNode"),
    QOS_MAX_MEMORY_PER_USER("QOSMaxMemoryPerUser"),
    QOS_MAX_NODE_MINUTES_PER_JOB("QOSMaxNodeMinutesPerJob"),
    QOS_MAX_NODE_PER_JOB_LIMIT("QOSMaxNodePerJobLimit"),
    QOS_MAX_NODE_PER_USER_LIMIT("QOSMaxNodePerUserLimit"),
    QOS_MAX_SUBMIT_JOB_PER_USER_LIMIT("QOSMaxSubmitJobPerUserLimit"),
    QOS_MAX_WALL_DURATION_PER_JOB_LIMIT("QOSMaxWallDurationPerJobLimit"),
    QOS_MIN_BILLING("QOSMinBilling"),
    QOS_MIN_CPU_NOT_SATISFIED("QOSMinCpuNotSatisfied"),
    QOS_MIN_GRES("QOSMinGRES"),
    QOS_MIN_MEMORY("QOSMinMemory"),
    QOS_MIN_NODE("QOSMinNode"),
    MAX_BILLING_PER_ACCOUNT("MaxBillingPerAccount"),
    MAX_CPU_PER_ACCOUNT("MaxCpuPerAccount"),
    MAX_GRES_PER_ACCOUNT("MaxGRESPerAccount"),
    MAX_JOBS_PER_ACCOUNT("MaxJobsPerAccount"),
    MAX_MEMORY_PER_ACCOUNT("MaxMemoryPerAccount"),
    MAX_NODE_PER_ACCOUNT("MaxNodePerAccount"),
    MAX_SUBMIT_JOBS_PER_ACCOUNT("MaxSubmitJobsPerAccount");

    private final String slurmName;

    Reason(String slurmName) {
        this.slurmName = slurmName;
    }

    @JsonValue
    public String slurmName() {
        return slurmName;
    }

    /// The reason of that name.
    ///
    /// @throws IllegalArgumentException if there is none
    @JsonCreator
    public static Reason of(String slurmName) {
        for (Reason reason : values()) {
            if (reason.slurmName.equals(slurmName)) {
                return reason;
            }
        }
        throw new IllegalArgumentException("'" + slurmName + "' is no reason");
    }
}
