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
    /// The time limit is above the partition's.
    PARTITION_TIME_LIMIT("PartitionTimeLimit"),
    /// More nodes than the partition allows.
    PARTITION_NODE_LIMIT("PartitionNodeLimit"),
    /// The partition is not configured, or not any more.
    PARTITION_CONFIG("PartitionConfig"),
    /// The job runs on a node that is down; whether it still runs is not known.
    NODE_DOWN("NodeDown"),
    NON_ZERO_EXIT_CODE("NonZeroExitCode"),
    RAISED_SIGNAL("RaisedSignal"),
    JOB_LAUNCH_FAILURE("JobLaunchFailure"),
    TIME_LIMIT("TimeLimit"),
    OUT_OF_MEMORY("OutOfMemory");

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
